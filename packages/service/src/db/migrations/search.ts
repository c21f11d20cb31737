/**
 * How users are found and sorted: names and e-mail addresses by a key that is the same for every case and accent of a letter, phone numbers by
 * their digits. The key is compared by code point, so that an index is right whichever collations and versions of them a server has, and is
 * cut off, so that every text fits into an index.
 * The translated letters have no decomposition into a letter and an accent. What a condition or an order is made of is included beside its
 * key: lists are read from the index alone.
 */
export const SEARCH = `
create function sort_key(value text) returns text language sql immutable parallel safe
return left(
  translate(regexp_replace(normalize(lower(value), nfd), '[\\u0300-\\u036f]+', '', 'g'), 'łøđħıæœßðþ', 'lodhiaosdt'),
  64
);
create function phone_key(value text) returns text language sql immutable parallel safe
return coalesce(nullif(regexp_replace(regexp_replace(value, '[^0-9+]+', '', 'g'), '^00', '+'), ''), value);

drop index users_email;
drop index users_first_name;
drop index users_last_name;
drop index users_phone;
create index users_email on users (account_id, (sort_key(email) collate "C"), sequence) include (created_time, email)
  where deleted_time is null;
create index users_first_name on users (account_id, (sort_key(first_name) collate "C"), sequence)
  include (created_time, first_name) where deleted_time is null;
create index users_last_name on users (account_id, (sort_key(last_name) collate "C"), sequence)
  include (created_time, last_name) where deleted_time is null;
create index users_phone on users (account_id, phone_key(phone)) where deleted_time is null and phone is not null;
`;
