/** Subscribers of events, their positions in the log, and undeliverable events. */
export const SUBSCRIPTIONS = `
create table subscriptions (
  id           uuid primary key,
  account_id   integer not null references accounts,
  name         text not null,
  kind         text not null,
  url          text not null,
  secret       text not null,
  start_seq    bigint not null,
  created_time timestamptz(3) not null,
  unique (account_id, name)
);
create table cursors (
  subscription_id uuid not null references subscriptions on delete cascade,
  partition       smallint not null,
  seq             bigint not null,
  primary key (subscription_id, partition)
) with (fillfactor = 50);
create table dead_letters (
  subscription_id uuid not null references subscriptions on delete cascade,
  seq             bigint not null,
  event_id        uuid not null,
  tries           integer not null,
  reason          text not null,
  failed_time     timestamptz(3) not null,
  primary key (subscription_id, seq)
);`;
