/** What an account is set up with besides, by its owner. */
export const SETTINGS = `
create table business_hours (
  account_id integer not null references accounts,
  group_id   uuid,
  body       text not null,
  unique nulls not distinct (account_id, group_id)
);`;
