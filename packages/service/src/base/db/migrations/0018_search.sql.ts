/**
 * Search and sort order of users: names and e-mail addresses by a key without case and accents, phone numbers by their digits.
 * The key is compared by code point, so that an index is valid for all collations and their versions on any server. The key is a separate
 * column, so that lists are read by index-only scans. Indexed texts are truncated: an index row has at most 2,704 bytes, and a text of 1,024
 * characters up to 4,096. The translated letters are those without a decomposition into a letter and an accent.
 */
export const SEARCH = `
create function sort_key(value text) returns text language sql immutable parallel safe
return left(
  translate(regexp_replace(normalize(lower(value), nfd), '[\\u0300-\\u036f]+', '', 'g'), 'łøđħıæœßðþ', 'lodhiaosdt'),
  64
);
create function phone_key(value text) returns text language sql immutable parallel safe
return coalesce(nullif(regexp_replace(regexp_replace(value, '[^0-9+]+', '', 'g'), '^00', '+'), ''), value);

alter table users
  add column first_name_key text collate "C" generated always as (sort_key(first_name)) stored,
  add column last_name_key text collate "C" generated always as (sort_key(last_name)) stored,
  add column email_key text collate "C" generated always as (sort_key(email)) stored;
drop index users_first_name;
drop index users_last_name;
drop index users_email;
drop index users_phone;
drop index users_reference;
create index users_first_name on users (account_id, first_name_key, sequence) include (created_time) where deleted_time is null;
create index users_last_name on users (account_id, last_name_key, sequence) include (created_time) where deleted_time is null;
create index users_email on users (account_id, email_key, sequence) include (created_time) where deleted_time is null;
create index users_phone on users (account_id, left(phone_key(phone), 200)) where phone is not null;
create index users_reference on users (account_id, left(reference_id, 200)) where reference_id is not null;
`;
