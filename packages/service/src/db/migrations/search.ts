/** Users are found by e-mail whatever the case of its letters, and by phone however its digits are grouped. */
export const SEARCH = `
create index users_email_folded on users (account_id, lower(email)) where deleted_time is null and email is not null;
create index users_phone_digits on users (account_id, coalesce(nullif(regexp_replace(phone, '[^0-9+]', '', 'g'), ''), phone))
  where deleted_time is null and phone is not null;
`;
