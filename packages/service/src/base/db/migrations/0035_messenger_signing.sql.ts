/**
 * Signed identities of visitors: the keys of accounts, whether an account requires them, until when and by which key a session is signed, and
 * which visitors the messenger itself began, since anybody can begin a visitor with any external id.
 */
export const MESSENGER_SIGNING = `
create table messenger_signing_keys (
  id             uuid primary key,
  account_id     integer not null references accounts,
  name           text not null,
  algorithm      text not null,
  -- Sealed. Of an HS256 key.
  secret         text,
  -- PEM. Of an RS256 key.
  public_key     text,
  created_time   timestamptz(3) not null,
  created_by     text,
  last_used_time timestamptz(3),
  check ((algorithm = 'HS256') = (secret is not null) and (algorithm = 'RS256') = (public_key is not null))
);
create index messenger_signing_keys_account on messenger_signing_keys (account_id, created_time);
create table signed_identity_rules (
  account_id             integer primary key references accounts,
  is_required            boolean not null,
  is_hidden_until_signed boolean not null
);
alter table visitor_sessions
  add column signed_until   timestamptz(3),
  add column signing_key_id uuid;
alter table visitors
  add column is_begun boolean not null default true;`;
