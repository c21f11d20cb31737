/** Raw reports that were asked for, and their files. */
export const REPORTS = `
create table reports (
  id           uuid primary key,
  account_id   integer not null references accounts,
  event        text not null,
  created_time timestamptz(3) not null,
  body         text not null
);
create index reports_event on reports (account_id, event, created_time);`;
