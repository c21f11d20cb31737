/**
 * The messenger: users whom it began, sessions of visitors, origins and aliases of accounts, blocked users, bytes that visitors uploaded by day
 * (with a row of each account and day, whose user_id is 0), and until where visitors and
 * agents have read a conversation.
 */
export const MESSENGER = `
create table visitor_sessions (
  id             uuid primary key,
  hash           bytea not null unique,
  account_id     integer not null references accounts,
  user_id        uuid not null,
  created_time   timestamptz(3) not null,
  last_seen_time timestamptz(3) not null,
  expires_time   timestamptz(3) not null
);
create index visitor_sessions_user on visitor_sessions (account_id, user_id, created_time);
create index visitor_sessions_expiry on visitor_sessions (expires_time);
create table visitors (
  account_id     integer not null references accounts,
  user_id        uuid not null,
  created_time   timestamptz(3) not null,
  -- null: the site gave a name.
  generated_name text,
  -- Properties that pages have set. Agents and apps set others, which visitors don't see.
  property_names text[] not null,
  primary key (account_id, user_id)
);
create index visitors_created on visitors (created_time);
create table messenger_settings (
  account_id integer primary key references accounts,
  origins    text[] not null
);
create table messenger_aliases (
  alias      text primary key,
  account_id integer not null references accounts
);
create index messenger_aliases_account on messenger_aliases (account_id);
create table blocked_users (
  account_id   integer not null references accounts,
  user_id      uuid not null,
  agent_id     uuid,
  blocked_time timestamptz(3) not null,
  primary key (account_id, user_id)
);
create table visitor_uploads (
  account_id integer not null references accounts,
  day        date not null,
  user_id    uuid not null,
  bytes      bigint not null,
  primary key (account_id, day, user_id)
);
create table conversation_reads (
  conversation_id    uuid primary key,
  account_id         integer not null references accounts,
  visitor_message_id uuid,
  visitor_read_time  timestamptz(3),
  agent_read_time    timestamptz(3)
);
create index conversation_reads_account on conversation_reads (account_id);`;
