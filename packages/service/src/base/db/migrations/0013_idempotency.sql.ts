/**
 * Replies that are repeated for a repeated request, written in the transaction of the change. The reply to a message is the message's own
 * text, which is not stored twice. `about` is the user or the upload that a reply concerns: when it is removed, the text and the fingerprint
 * are blanked, and the row remains, so that the change is not repeated.
 */
export const IDEMPOTENCY = `
create table idempotency_keys (
  token_id     uuid not null,
  key          text not null,
  fingerprint  bytea not null,
  code         smallint not null,
  body         text,
  message_id   uuid,
  about        uuid,
  created_time timestamptz(3) not null,
  primary key (token_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_time);
create index idempotency_keys_about on idempotency_keys (about) where about is not null;`;
