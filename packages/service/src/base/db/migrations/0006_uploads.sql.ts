/** Uploads, and the keys that sign addresses, which all processes share. */
export const UPLOADS = `
create table signing_keys (
  name   text primary key,
  secret bytea not null
);
create table uploads (
  id           uuid primary key,
  account_id   integer not null references accounts,
  kind         text not null,
  created_time timestamptz(3) not null,
  object_key   text not null,
  body         text not null
);`;
