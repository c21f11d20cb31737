/**
 * Users, conversations, messages, and the event log.
 * An event refers to its objects: the message, and the revisions of the user and the conversation at its commit. The present revision is in
 * the row itself and older revisions are in the `_revisions` tables, so that an event copies nothing and still represents the state at its
 * commit. The `message_id` of a conversation_create is the last of the messages that were created with it, which are the messages of the
 * conversation up to its seq.
 * Conversation numbers are drawn in blocks, one per process, so that the latest conversation of a user is the conversation with the
 * greatest (created_time, number). The row of a deleted user is kept without personal data, for the conversations that refer to it.
 */
export const CONVERSATIONS = `
create table users (
  id           uuid primary key,
  account_id   integer not null references accounts,
  sequence     bigint generated always as identity,
  revision     integer not null default 1,
  created_time timestamptz(3) not null,
  updated_time timestamptz(3) not null,
  first_name   text,
  last_name    text,
  email        text,
  phone        text,
  reference_id text,
  deleted_time timestamptz(3),
  body         text not null
);
create index users_created on users (account_id, created_time, sequence);
create index users_updated on users (account_id, updated_time, sequence);
create index users_email on users (account_id, email) where email is not null;
create index users_phone on users (account_id, phone) where phone is not null;
create index users_reference on users (account_id, reference_id) where reference_id is not null;
create index users_first_name on users (account_id, first_name, sequence);
create index users_last_name on users (account_id, last_name, sequence);
create table user_revisions (
  user_id  uuid not null,
  revision integer not null,
  body     text not null,
  primary key (user_id, revision)
);
create sequence conversation_numbers increment by 64;
create table conversations (
  id                uuid primary key,
  account_id        integer not null references accounts,
  number            bigint not null unique,
  user_id           uuid not null,
  channel_id        uuid not null,
  created_time      timestamptz(3) not null,
  updated_time      timestamptz(3) not null,
  revision          integer not null default 1,
  status            text not null,
  assigned_agent_id uuid,
  assigned_group_id uuid,
  interaction_id    text not null,
  properties        text not null,
  restricted        boolean not null default false
) with (fillfactor = 80);
create index conversations_user on conversations (user_id, created_time, number);
create table conversation_revisions (
  conversation_id   uuid not null,
  revision          integer not null,
  status            text not null,
  assigned_agent_id uuid,
  assigned_group_id uuid,
  interaction_id    text not null,
  properties        text not null,
  primary key (conversation_id, revision)
);
create sequence log_positions;
create table messages (
  id              uuid primary key,
  conversation_id uuid not null,
  seq             bigint not null,
  created_time    timestamptz(3) not null,
  interaction_id  text not null,
  body            text not null
);
create unique index messages_conversation on messages (conversation_id, seq);
create table outbox (
  seq                   bigint primary key,
  id                    uuid not null,
  account_id            integer not null,
  partition             smallint not null,
  kind                  text not null,
  entity_id             uuid not null,
  created_time          timestamptz(3) not null,
  actor_type            text not null,
  actor_id              text,
  user_id               uuid not null,
  user_revision         integer not null,
  conversation_revision integer,
  message_id            uuid,
  changes               text
);
create index outbox_user_changes on outbox (entity_id) where kind = 'user_update';`;
