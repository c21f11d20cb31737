import { hasSqlState, SQLSTATE, type Db } from "@parley/database";

/**
 * Idempotency key of a request, passed to the code that makes the change. The reply is recorded in the transaction of
 * the change.
 */
export interface IdempotencyRecord {
  readonly tokenId: string;
  readonly key: string;
  /** Fingerprint of the whole request; available once the body has been read completely. @shape SHA-256 in hex */
  readonly fingerprint: () => string;
  /** Status code of the reply. */
  readonly code: number;
  readonly time: Date;
  /**
   * Records the reply in the transaction of the change.
   * @shape answer: the handler's reply; about: id of the user or upload with which the record is erased
   * @errors those recognized by `isReplyRecorded`, when another process recorded a reply first
   */
  readonly recordReply: (tx: Db, answer: unknown, about?: string) => Promise<void>;
  /** Checks for a recorded reply. For changes that do not detect one themselves. @errors ReplyAlreadyRecorded */
  readonly assertNotRecorded: () => Promise<void>;
}

/** Entry of a batch, with its idempotency record if the request had a key. */
export interface RecordedReply {
  readonly id: string;
  readonly claim?: IdempotencyRecord | undefined;
}

const REPLY_RECORDED = "ANSWER_KEPT";

/** A reply is already recorded under this key. The change was not made. */
export class ReplyAlreadyRecorded extends Error {
  override readonly name = "ReplyAlreadyRecorded";
  readonly code = REPLY_RECORDED;
}

/**
 * Whether the change was skipped because a reply is already recorded, possibly by another process. Compares codes
 * because `instanceof` fails between realms.
 */
export const isReplyRecorded = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  (error.code === REPLY_RECORDED ||
    (hasSqlState(error, SQLSTATE.UNIQUE_VIOLATION) && "table" in error && error.table === "idempotency_keys"));
