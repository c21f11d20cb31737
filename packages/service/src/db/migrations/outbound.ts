/** Templates that an account may send, and what was sent with them. */
export const OUTBOUND = `
create table templates (
  account_id integer not null references accounts,
  namespace  text not null,
  name       text not null,
  language   text not null,
  body       text not null,
  primary key (account_id, namespace, name, language)
);`;
