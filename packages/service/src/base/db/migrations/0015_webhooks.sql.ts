/**
 * Key pairs that sign an account's webhooks. The private key is sealed. The latest key whose start time has passed signs.
 * A subscription of the kind `webhook` has a sealed secret, too.
 */
export const WEBHOOKS = `
create table webhook_keys (
  id           uuid primary key,
  account_id   integer not null references accounts,
  public_key   text not null,
  private_key  text not null,
  signs_time   timestamptz(3) not null
);
create index webhook_keys_account on webhook_keys (account_id, signs_time, id);`;
