/** How the messenger of an account looks, and what it records about visitors: objects of the account document. */
export const MESSENGER_LOOK = `
alter table messenger_settings
  add column look    json not null default '{}',
  add column privacy json not null default '{}';`;
