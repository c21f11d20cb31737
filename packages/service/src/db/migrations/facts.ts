/** What happened, told once from the log of events, in the shape that reports and metrics are read from. Ids only: nothing personal. */
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
  primary key (conversation_id, interaction_id)
);
create index interactions_created on interactions (account_id, created_time);
create index interactions_resolved on interactions (account_id, resolved_time) where resolved_time is not null;
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
create index responses_time on responses (account_id, created_time);`;
