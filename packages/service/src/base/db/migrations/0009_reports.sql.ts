/**
 * Requested raw reports, and the periods of their range, each of which becomes a file. Messages are stored in the order of their time, so
 * that a small BRIN index finds the messages of a period.
 */
export const REPORTS = `
create table reports (
  id           uuid primary key,
  account_id   integer not null references accounts,
  event        text not null,
  created_time timestamptz(3) not null,
  start_time   timestamptz(3) not null,
  end_time     timestamptz(3) not null,
  without_pii  boolean not null
);
create index reports_event on reports (account_id, event, created_time);
create table report_links (
  report_id     uuid not null references reports on delete cascade,
  place         integer not null,
  from_time     timestamptz(3) not null,
  to_time       timestamptz(3) not null,
  status        text not null default 'PENDING',
  primary key (report_id, place)
);
create index messages_time on messages using brin (created_time) with (autosummarize = on);`;
