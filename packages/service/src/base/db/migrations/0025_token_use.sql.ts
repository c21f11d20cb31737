/** When a token was last used, to the minute; null: never since it is recorded. */
export const TOKEN_USE = `alter table tokens add column last_used_time timestamptz(3);`;
