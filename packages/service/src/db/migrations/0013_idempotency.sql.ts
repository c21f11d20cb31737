/**
 * Answers that are given again, written in the transaction of what they tell of. The answer to a message is the message's own text,
 * so that it is not kept twice. `about` is the user or the upload that an answer goes with; then its text and fingerprint are
 * blanked, and the row stays, so that nothing is done a second time.
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
