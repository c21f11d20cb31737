/**
 * Templates of an account, and the messages sent with them. The content that all recipients of a request share is stored once, as it was
 * rendered when the request was accepted. `is_waiting`: the message is added to the conversation when its recipient writes. A recipient
 * without a number is a deleted user.
 * An event of an outbound message has no user and no conversation.
 */
export const OUTBOUND = `
create table templates (
  account_id integer not null references accounts,
  namespace  text not null,
  name       text not null,
  language   text not null,
  body       text not null,
  primary key (account_id, namespace, name, language)
);
create table template_failures (
  account_id  integer not null references accounts,
  namespace   text not null,
  name        text not null,
  failed_time timestamptz(3) not null,
  primary key (account_id, namespace, name)
);
create index template_failures_time on template_failures (account_id, failed_time);
create table outbound_requests (
  id           uuid primary key,
  account_id   integer not null references accounts,
  provider     text not null,
  sender       text not null,
  template     text not null,
  rendered     text not null,
  created_time timestamptz(3) not null
);
create table outbound_messages (
  id                  uuid primary key,
  account_id          integer not null references accounts,
  request_id          uuid not null references outbound_requests,
  place               integer not null,
  recipient           text,
  status              text not null default 'Accepted',
  failure_code        text,
  failure_reason      text,
  provider_message_id text,
  tries               integer not null default 0,
  is_waiting          boolean not null,
  created_time        timestamptz(3) not null,
  updated_time        timestamptz(3) not null
) with (fillfactor = 80);
create index outbound_messages_created on outbound_messages (account_id, created_time desc, request_id desc, place);
create index outbound_messages_request on outbound_messages (request_id, place);
create index outbound_messages_recipient on outbound_messages (account_id, recipient);
create index outbound_messages_provider on outbound_messages (provider_message_id) where provider_message_id is not null;
create index outbound_messages_waiting on outbound_messages (account_id, created_time) where is_waiting;
alter table outbox alter column user_id drop not null, alter column user_revision drop not null;`;
