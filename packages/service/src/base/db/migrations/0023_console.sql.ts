/**
 * Drafts, saved views and reply templates of agents. `agent_id` of a view or a template is its owner while it is not shared, and null while
 * it is: unshared rows are deleted with their agent, shared rows remain. `filter` and `parts` are JSON texts.
 * Customers by name: the key is that of the full name, else of the e-mail address or the phone number; those without any come last. The
 * index of phone numbers also finds them by their beginning, in any collation. Conversations of an agent or a group that are resolved are
 * found too; both indexes contain ids that a message never changes.
 */
export const CONSOLE = `
create table drafts (
  account_id      integer not null references accounts,
  agent_id        uuid not null,
  conversation_id uuid not null,
  text            text not null,
  is_private      boolean not null,
  parts           text not null,
  updated_time    timestamptz(3) not null,
  primary key (account_id, agent_id, conversation_id),
  foreign key (account_id, agent_id) references agents on delete cascade
);
create index drafts_conversation on drafts (conversation_id);
create table saved_views (
  id         uuid primary key,
  account_id integer not null references accounts,
  owner_id   uuid not null,
  agent_id   uuid,
  name       text not null,
  filter     text not null,
  sort_order text not null,
  foreign key (account_id, agent_id) references agents on delete cascade
);
create index saved_views_agent on saved_views (account_id, agent_id);
create table reply_templates (
  id           uuid primary key,
  account_id   integer not null references accounts,
  owner_id     uuid not null,
  agent_id     uuid,
  name         text not null,
  shortcut     text,
  text         text not null,
  updated_time timestamptz(3) not null,
  foreign key (account_id, agent_id) references agents on delete cascade
);
create index reply_templates_agent on reply_templates (account_id, agent_id);

alter table users
  add column name_key text collate "C" generated always as (
    coalesce(
      sort_key(coalesce(nullif(btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), email, phone)),
      chr(1114111)
    )
  ) stored;
create index users_name on users (account_id, name_key, sequence) include (created_time) where deleted_time is null;
drop index users_phone;
create index users_phone on users (account_id, left(phone_key(phone), 200) text_pattern_ops) where phone is not null;
create index conversations_agent on conversations (assigned_agent_id, user_id) where assigned_agent_id is not null;
create index conversations_group on conversations (assigned_group_id, user_id) where assigned_group_id is not null;`;
