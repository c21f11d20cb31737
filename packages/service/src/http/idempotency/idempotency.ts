import {
  IDEMPOTENCY_RETENTION_HOURS,
  IDEMPOTENCY_KEY_IN_USE,
  IDEMPOTENCY_KEY_REUSED,
  KEPT_ANSWER_REMOVED,
  refuse,
} from "@parley/contract";
import { gather } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import { ReplyAlreadyRecorded, isReplyRecorded, type IdempotencyRecord } from "./idempotency-record.ts";
import type { RequestFingerprint } from "./request-fingerprint.ts";
import { recordReply, type IdempotencyRow, type IdempotencyStore, type IdempotencyRecordKey } from "./store.ts";
import { createKeyedMutex } from "../../base/concurrency/keyed-mutex.ts";

/** A request with an idempotency key. */
interface KeyedRequest extends IdempotencyRecordKey {
  readonly requestFingerprint: RequestFingerprint;
  /** Status code of its reply. */
  readonly code: number;
  /** The work detects a recorded reply itself, so no lookup is needed beforehand. */
  readonly checksStoredReply: boolean;
  /** Serializes the handler's reply. */
  readonly serializeReply: (answer: unknown) => string;
  /** Reply to a message that is stored as this JSON text; absent: the text itself. */
  readonly replyOfMessage?: ((stored: string) => string) | undefined;
}

export interface IdempotentReply {
  readonly text: string;
  /** The text is the reply of an earlier request. */
  readonly isReplay: boolean;
}

/** Executes requests with an idempotency key at most once. */
export interface RunIdempotently {
  /**
   * @shape work: makes the change, records its reply in the same transaction and returns the reply's text
   * @errors IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, KEPT_ANSWER_REMOVED, and those of `work`
   */
  answer(request: KeyedRequest, work: (claim: IdempotencyRecord) => Promise<string>): Promise<IdempotentReply>;
}

interface RunIdempotentlyDeps {
  readonly store: Pick<IdempotencyStore, "find" | "findConfirmed" | "message" | "forget">;
  readonly now: Ports["now"];
  /** Schedules the removal of expired records. */
  readonly expire: () => Promise<void> | undefined;
  /** How long a request waits for another request with the same key. Default: 7,500. @units milliseconds */
  readonly waitMs?: number | undefined;
}

/**
 * How long a request waits for another request with the same key: longer than any write waits for its reply (edge/answer-deadline.ts), so that copies of
 * a write that the database does not confirm get 503 as the write itself does. @units milliseconds @assumed
 */
const KEY_WAIT_MS = 7_500;
/** Value of Retry-After when the key is in use. @units seconds */
const RETRY_AFTER_SECONDS = 1;
/** Maximum keys per lookup statement. */
const LOOKUP_BATCH_MAX = 64;
/** Retention of a record. @units milliseconds */
export const RECORD_LIFETIME_MS = IDEMPOTENCY_RETENTION_HOURS * 3_600_000;

/** Outcome for a key. `by` is the request of this process that produced the reply. */
interface KeyOutcome {
  readonly recorded: IdempotencyRow;
  readonly by?: KeyedRequest;
}

/**
 * Serializes requests with the same key within a process. Between processes the unique key of the table decides, and the
 * loser replays the winner's reply.
 * @assumed Only 2xx replies are recorded: a refused request changed nothing and may be repeated with the same key.
 * Authentication and permissions are checked before a replay, and every attempt counts against the rate limit.
 */
export const createRunIdempotently = ({
  store,
  now,
  expire,
  waitMs = KEY_WAIT_MS,
}: RunIdempotentlyDeps): RunIdempotently => {
  const find = gather({ name: "idempotency keys", maxBatch: LOOKUP_BATCH_MAX, run: store.find });
  const findConfirmed = gather({
    name: "confirmed idempotency keys",
    maxBatch: LOOKUP_BATCH_MAX,
    maxInFlight: 1,
    run: store.findConfirmed,
  });
  const running = createKeyedMutex<KeyOutcome>(waitMs);

  const lookUp = async ({
    tokenId,
    key,
    replyOfMessage = (stored) => stored,
  }: IdempotencyRecordKey & Pick<KeyedRequest, "replyOfMessage">): Promise<IdempotencyRow | undefined> => {
    const seen = await find({ tokenId, key });
    if (seen.code === null) return undefined;
    const found = seen.has_replicas ? await findConfirmed({ tokenId, key }) : seen;
    if (found.code === null) return undefined;
    const until = new Date(now().getTime() - RECORD_LIFETIME_MS);
    if (found.created_time > until) {
      if (found.message_id === null) return found;
      const stored = await store.message(found.message_id);
      return { ...found, body: stored && replyOfMessage(stored) };
    }
    await store.forget({ tokenId, key }, until);
    return undefined;
  };

  const claimOf = ({ tokenId, key, code, requestFingerprint, serializeReply }: KeyedRequest): IdempotencyRecord => {
    const [time, fingerprint] = [now(), requestFingerprint.now];
    const recordInTransaction: IdempotencyRecord["recordReply"] = async (tx, answer, about) => {
      const body = serializeReply(answer);
      await recordReply(tx, { tokenId, key, fingerprint: fingerprint(), code, body, about, created_time: time });
    };
    const assertNotRecorded = async () => {
      if (await lookUp({ tokenId, key })) throw new ReplyAlreadyRecorded();
    };
    return { tokenId, key, code, time, fingerprint, recordReply: recordInTransaction, assertNotRecorded };
  };

  const begin = async (
    request: KeyedRequest,
    work: (claim: IdempotencyRecord) => Promise<string>,
    isAgain = false,
  ): Promise<KeyOutcome> => {
    const claim = claimOf(request);
    try {
      const body = await work(claim);
      return {
        by: request,
        recorded: { fingerprint: claim.fingerprint(), code: claim.code, body, created_time: claim.time },
      };
    } catch (error) {
      // Another process may have completed the request meanwhile. Its reply takes precedence over this process's error,
      // such as a taken address.
      const recorded = await lookUp(request).catch(() => undefined);
      if (recorded) return { recorded };
      // The conflicting record had expired and has been removed.
      if (isReplyRecorded(error) && !isAgain) return begin(request, work, true);
      throw error;
    }
  };

  return {
    async answer(request, work) {
      const outcome = await running.run(`${request.tokenId} ${request.key}`, async (before) => {
        if (before) return before;
        const recorded = request.checksStoredReply ? undefined : await lookUp(request);
        if (recorded) return { recorded };
        await expire();
        return begin(request, work);
      });
      if (outcome === "busy") return refuse(IDEMPOTENCY_KEY_IN_USE, undefined, RETRY_AFTER_SECONDS);
      const { fingerprint, body } = outcome.recorded;
      if (body === null) return refuse(KEPT_ANSWER_REMOVED);
      if (outcome.by === request) return { text: body, isReplay: false };
      return (await request.requestFingerprint.whole()) === fingerprint
        ? { text: body, isReplay: true }
        : refuse(IDEMPOTENCY_KEY_REUSED);
    },
  };
};
