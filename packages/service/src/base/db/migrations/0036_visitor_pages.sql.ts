/** The page and the language of the visitor of a conversation, if the account records them. */
export const VISITOR_PAGES = `
create table visitor_pages (
  conversation_id uuid primary key,
  account_id      integer not null references accounts,
  user_id         uuid not null,
  url             text,
  title           text,
  language        text,
  seen_time       timestamptz(3) not null
);
create index visitor_pages_user on visitor_pages (account_id, user_id);`;
