import {
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_KEY_IN_USE,
  IDEMPOTENCY_KEY_REUSED,
  KEPT_ANSWER_REMOVED,
  refuse,
} from "@parley/contract";
import { gather } from "@parley/database";
import type { Ports } from "../ports.ts";
import { AnswerKept, isKept, type Claim } from "./claim.ts";
import type { Seal } from "./seal.ts";
import { keepAnswer, type FoundRow, type KeptRow, type KeptStore, type KeyOf } from "./store.ts";
import { turns } from "./turns.ts";

/** A request with a key. */
export interface Keyed extends KeyOf {
  readonly seal: Seal;
  /** Status code of its answer. */
  readonly code: number;
  /** The work itself sees whether an answer is kept: that spares a look before it. */
  readonly seesKept: boolean;
  /** What the handler answers, as text. */
  readonly print: (answer: unknown) => string;
}

export interface Answered {
  readonly text: string;
  /** It is the answer of an earlier request. */
  readonly isReplay: boolean;
}

/** Does what requests with a key ask for once, however often they are sent. */
export interface Once {
  /**
   * @shape work: does what is asked, keeps the answer with it, and gives the text
   * @errors IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, KEPT_ANSWER_REMOVED, and what the work throws
   */
  answer(keyed: Keyed, work: (claim: Claim) => Promise<string>): Promise<Answered>;
}

export interface OnceDeps {
  readonly store: Pick<KeptStore, "find" | "message" | "forget">;
  readonly now: Ports["now"];
  /** Sees to it that what is kept goes when its time is over. */
  readonly expire: () => Promise<void> | undefined;
  /** How long a request waits for another one with its key; five seconds when absent. @units milliseconds */
  readonly patienceMs?: number | undefined;
}

/** @assumed A request waits five seconds for another one with its key. @units milliseconds */
const PATIENCE = 5_000;
/** After which another try makes sense. @units seconds */
const RETRY = 1;
/** Keys that are looked up at a time: rows by their keys, and nearly always none. */
const LOOKED_UP = 64;
/** How long an answer is kept. @units milliseconds */
export const LIFE = IDEMPOTENCY_HOURS * 3_600_000;

/** What is known of a key; `by` is the request of this process whose answer it is. */
interface Known {
  readonly kept: KeptRow;
  readonly by?: Keyed;
}

/**
 * Requests of one key take turns in a process; between processes the table's key decides, and who lost reads what the other kept.
 * @assumed Only answers in 2xx are kept: a refusal changed nothing, and may be asked for again with the same key. Who may not ask is
 * refused before, also where an answer is kept, and each try counts as a call.
 */
export const once = ({ store, now, expire, patienceMs = PATIENCE }: OnceDeps): Once => {
  const find = gather<KeyOf, FoundRow | { readonly code: null }>({ maxBatch: LOOKED_UP, run: store.find });
  const running = turns<Known>(patienceMs);

  const lookUp = async ({ tokenId, key }: KeyOf): Promise<KeptRow | undefined> => {
    const found = await find({ tokenId, key });
    if (found.code === null) return undefined;
    const until = new Date(now().getTime() - LIFE);
    if (found.created_time > until)
      return found.message_id === null ? found : { ...found, body: await store.message(found.message_id) };
    await store.forget({ tokenId, key }, until);
    return undefined;
  };

  const claimOf = ({ tokenId, key, code, seal, print }: Keyed): Claim => {
    const [time, fingerprint] = [now(), seal.now];
    const keep: Claim["keep"] = async (tx, answer, about) => {
      const body = print(answer);
      await keepAnswer(tx, { tokenId, key, fingerprint: fingerprint(), code, body, about, created_time: time });
    };
    const look = async () => {
      if (await lookUp({ tokenId, key })) throw new AnswerKept();
    };
    return { tokenId, key, code, time, fingerprint, keep, look };
  };

  const begin = async (keyed: Keyed, work: (claim: Claim) => Promise<string>, isAgain = false): Promise<Known> => {
    const claim = claimOf(keyed);
    try {
      const body = await work(claim);
      return {
        by: keyed,
        kept: { fingerprint: claim.fingerprint(), code: claim.code, body, created_time: claim.time },
      };
    } catch (error) {
      // Another process may have done it meanwhile: what this one says then is of no account, such as that the address is taken.
      const kept = await lookUp(keyed).catch(() => undefined);
      if (kept) return { kept };
      // What stood in the way was too old, and is gone now.
      if (isKept(error) && !isAgain) return begin(keyed, work, true);
      throw error;
    }
  };

  return {
    async answer(keyed, work) {
      const known = await running.take(`${keyed.tokenId} ${keyed.key}`, async (before) => {
        if (before) return before;
        const kept = keyed.seesKept ? undefined : await lookUp(keyed);
        if (kept) return { kept };
        await expire();
        return begin(keyed, work);
      });
      if (known === "busy") return refuse(IDEMPOTENCY_KEY_IN_USE, undefined, RETRY);
      const { fingerprint, body } = known.kept;
      if (body === null) return refuse(KEPT_ANSWER_REMOVED);
      if (known.by === keyed) return { text: body, isReplay: false };
      return (await keyed.seal.whole()) === fingerprint
        ? { text: body, isReplay: true }
        : refuse(IDEMPOTENCY_KEY_REUSED);
    },
  };
};
