/** Further settings of an account, managed by its owner. */
export const SETTINGS = `
create table business_hours (
  account_id integer not null references accounts,
  group_id   uuid,
  body       text not null,
  unique nulls not distinct (account_id, group_id)
);`;
