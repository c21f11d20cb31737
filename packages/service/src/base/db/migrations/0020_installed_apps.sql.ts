/**
 * The index finds the events of one account: those that wait for a paused app lie far back in the log.
 * Tickets for pages of apps, which have host names of their own: each is a hash of a random secret, valid once and for a few seconds, for
 * one session and one origin. They end with their session.
 */
export const INSTALLED_APPS = `
create index outbox_account on outbox (account_id, seq);
create table page_tickets (
  hash         bytea primary key,
  account_id   integer not null references accounts,
  session_id   uuid not null references agent_sessions on delete cascade,
  origin       text not null,
  expires_time timestamptz(3) not null
);
create index page_tickets_session on page_tickets (session_id, expires_time);
create index page_tickets_expiry on page_tickets (expires_time);`;
