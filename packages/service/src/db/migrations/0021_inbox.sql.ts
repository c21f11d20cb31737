/**
 * Positions of the projections of the event log, one row each.
 */
export const INBOX = `
create table projection_cursors (
  name text primary key,
  seq  bigint not null
) with (fillfactor = 10);
insert into projection_cursors select 'analytics', seq from facts_cursor;
drop table facts_cursor;`;
