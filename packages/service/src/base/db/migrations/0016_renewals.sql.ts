/**
 * Previous secrets of a webhook, sealed as the current secret. Each signs in addition to it until the time at the same index of the other
 * list.
 */
export const RENEWALS = `
alter table subscriptions
  add column old_secrets       text[] not null default '{}',
  add column old_secrets_until timestamptz(3)[] not null default '{}';`;
