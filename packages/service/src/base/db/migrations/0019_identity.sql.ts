/**
 * How agents sign in, and the audit log. Sessions, links and codes are stored as hashes of random secrets; secrets that must be read again (of
 * authenticator apps, of identity providers) are encrypted with the key of the installation. Rows that belong to an agent are deleted with the agent.
 * An entry of the audit log outlives its account. A closed account has a time at which its deletion is due, and is not reopened once the deletion has
 * started.
 */
export const IDENTITY = `
alter table accounts
  add column closed_time           timestamptz(3),
  add column deletion_time         timestamptz(3),
  add column deletion_started_time timestamptz(3);
create table agent_sessions (
  id             uuid primary key,
  hash           bytea not null unique,
  token_hash     bytea not null,
  account_id     integer not null references accounts,
  agent_id       uuid not null,
  method         text not null,
  created_time   timestamptz(3) not null,
  last_seen_time timestamptz(3) not null,
  expires_time   timestamptz(3) not null,
  address        text not null,
  user_agent     text not null,
  foreign key (account_id, agent_id) references agents on delete cascade
);
create index agent_sessions_agent on agent_sessions (account_id, agent_id);
create index agent_sessions_expiry on agent_sessions (expires_time);
create table agent_credentials (
  account_id      integer not null references accounts,
  agent_id        uuid not null,
  password_hash   text,
  password_time   timestamptz(3),
  totp_secret     text,
  totp_pending    text,
  totp_step       bigint,
  recovery_hashes bytea[] not null default '{}',
  primary key (account_id, agent_id),
  foreign key (account_id, agent_id) references agents on delete cascade
);
create table sign_in_links (
  hash         bytea primary key,
  purpose      text not null,
  account_id   integer not null references accounts,
  agent_id     uuid not null,
  created_time timestamptz(3) not null,
  expires_time timestamptz(3) not null,
  foreign key (account_id, agent_id) references agents on delete cascade
);
create index sign_in_links_agent on sign_in_links (account_id, agent_id, purpose);
create index sign_in_links_expiry on sign_in_links (expires_time);
create table sign_in_attempts (
  key          bytea not null,
  window_start timestamptz(3) not null,
  attempts     integer not null,
  primary key (key, window_start)
);
create index sign_in_attempts_window on sign_in_attempts (window_start);
create table identity_providers (
  account_id    integer not null references accounts,
  name          text not null,
  label         text not null,
  issuer        text not null,
  client_id     text not null,
  client_secret text,
  created_time  timestamptz(3) not null,
  primary key (account_id, name)
);
create table identity_subjects (
  account_id   integer not null references accounts,
  issuer       text not null,
  subject      text not null,
  agent_id     uuid not null,
  created_time timestamptz(3) not null,
  primary key (account_id, issuer, subject),
  foreign key (account_id, agent_id) references agents on delete cascade
);
create unique index identity_subjects_agent on identity_subjects (account_id, agent_id, issuer);
create table audit_log (
  id         uuid primary key,
  time       timestamptz(3) not null,
  account_id integer,
  account    text,
  actor_type text not null,
  actor_id   text,
  actor_name text,
  address    text,
  action     text not null,
  subject    text,
  details    text not null
);
create index audit_log_account on audit_log (account_id, time, id);
create index audit_log_time on audit_log (time, id);`;
