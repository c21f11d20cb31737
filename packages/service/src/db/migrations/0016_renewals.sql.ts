/**
 * Secrets of a webhook that were renewed, sealed as the present one is: each signs beside it until the time in the same place of the other
 * list.
 */
export const RENEWALS = `
alter table subscriptions
  add column old_secrets       text[] not null default '{}',
  add column old_secrets_until timestamptz(3)[] not null default '{}';`;
