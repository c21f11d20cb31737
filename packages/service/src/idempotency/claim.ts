import type { Db } from "@parley/database";

/** A request with a key, as the way of its change sees it: its answer is kept in the transaction of the change. */
export interface Claim {
  readonly tokenId: string;
  readonly key: string;
  /** Of all that is asked; known when the whole body was read. @shape SHA-256 in hex */
  readonly fingerprint: () => string;
  /** Status code of the answer. */
  readonly code: number;
  readonly time: Date;
  /**
   * Keeps the answer, in the transaction of what it tells of.
   * @shape answer: what the handler answers; about: id of the user or upload with which it goes
   * @errors what `isKept` knows, where another process kept one first
   */
  readonly keep: (tx: Db, answer: unknown, about?: string) => Promise<void>;
  /** For a change that does not look for a kept answer by itself, where nobody did before. @errors AnswerKept */
  readonly look: () => Promise<void>;
}

/** A claim of a batch, with the id of what is made. */
export interface Claimed {
  readonly id: string;
  readonly claim?: Claim | undefined;
}

const UNIQUE_VIOLATION = "23505";
const ANSWER_KEPT = "ANSWER_KEPT";

/** An answer is kept under this key: nothing was done. */
export class AnswerKept extends Error {
  override readonly name = "AnswerKept";
  readonly code = ANSWER_KEPT;
}

/** An answer was kept under this key before, be it a moment ago by another process: nothing was done here. By the code: `instanceof` fails between realms. */
export const isKept = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  (error.code === ANSWER_KEPT ||
    (error.code === UNIQUE_VIOLATION && "table" in error && error.table === "idempotency_keys"));
