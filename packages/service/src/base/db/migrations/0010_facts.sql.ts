/**
 * The event log projected into the form that reports and metrics read. Rows contain ids only, no personal data.
 * `metric_hours` contains each measure four times, by its `cut`: in total, by group, by agent and by both, so that a query over a year reads
 * one row per hour. A histogram is two arrays: buckets, and the number of values in each.
 */
export const FACTS = `
create table interactions (
  conversation_id         uuid not null,
  interaction_id          text not null,
  account_id              integer not null references accounts,
  created_time            timestamptz(3) not null,
  reopened                boolean not null,
  channel_id              uuid not null,
  user_id                 uuid not null,
  group_id                uuid,
  agent_id                uuid,
  first_assigned_time     timestamptz(3),
  first_response_time     timestamptz(3),
  first_response_agent_id uuid,
  responses               integer not null default 0,
  resolved_time           timestamptz(3),
  resolved_agent_id       uuid,
  resolved_group_id       uuid,
  resolver_type           text,
  resolver_id             text,
  waiting_since           timestamptz(3),
  primary key (conversation_id, interaction_id)
) with (fillfactor = 80);
create index interactions_created on interactions (account_id, created_time);
create index interactions_resolved on interactions (account_id, resolved_time) where resolved_time is not null;
create index interactions_unassigned on interactions (account_id, created_time)
  where resolved_time is null and agent_id is null;
create table assignments (
  seq             bigint not null,
  kind            text not null,
  account_id      integer not null references accounts,
  conversation_id uuid not null,
  interaction_id  text not null,
  created_time    timestamptz(3) not null,
  from_id         uuid,
  to_id           uuid,
  actor_type      text not null,
  actor_id        text,
  primary key (seq, kind)
);
create index assignments_time on assignments (account_id, kind, created_time);
create table responses (
  message_id       uuid primary key,
  account_id       integer not null references accounts,
  conversation_id  uuid not null,
  interaction_id   text not null,
  created_time     timestamptz(3) not null,
  agent_id         uuid,
  group_id         uuid,
  first            boolean not null,
  value_in_seconds double precision
);
create index responses_time on responses (account_id, created_time);
create table metric_hours (
  account_id integer not null,
  measure    text not null,
  cut        text not null,
  hour       timestamptz(3) not null,
  group_id   uuid,
  agent_id   uuid,
  count      bigint not null,
  sum_ms     bigint not null,
  min_ms     bigint,
  max_ms     bigint,
  buckets    integer[] not null,
  counts     bigint[] not null,
  unique nulls not distinct (account_id, measure, cut, hour, group_id, agent_id)
) with (fillfactor = 80);
create table open_interactions (
  account_id integer not null,
  group_id   uuid,
  agent_id   uuid,
  count      bigint not null,
  unique nulls not distinct (account_id, group_id, agent_id)
) with (fillfactor = 50);
create table facts_cursor (
  seq bigint not null
) with (fillfactor = 10);
insert into facts_cursor values (0);`;
