import type { User } from "@parley/contract";
import type { Db } from "@parley/database";
import type { Jobs, Tasks } from "../jobs/index.ts";
import type { Ports } from "../ports.ts";
import type { Eraser } from "../users/db/removal.ts";
import { LIFE, once as openOnce, type Once } from "./once.ts";
import { blankAnswers, keptStore } from "./store.ts";

export interface IdempotencyDeps {
  readonly reads: Db;
  readonly pool: Db;
  readonly jobs: Pick<Jobs, "later">;
  readonly now: Ports["now"];
  /** @units milliseconds */
  readonly patienceMs?: number | undefined;
}

export interface IdempotencyPart {
  readonly once: Once;
  readonly tasks: Tasks;
  /** Removes the answers that tell of a deleted user. */
  readonly eraser: Eraser;
}

/** The name stands in the database: it keeps its meaning. */
const TASK = "forget-kept-answers";
/** Answers that are removed at a time. */
const BATCH = 1_000;
/** A process asks for a removal once in it, however many answers it keeps. @units milliseconds */
const SPAN = 3_600_000;

/** Requests that name themselves by a key. */
export const idempotencyPart = ({ reads, pool, jobs, now, patienceMs }: IdempotencyDeps): IdempotencyPart => {
  const store = keptStore({ reads, pool });
  let asked = -Infinity;

  /** Before anything is kept, so that nothing stays for want of it; a clock that was set back begins a span too. */
  const expire = (): Promise<void> | undefined => {
    const time = now().getTime();
    return time >= asked && time < asked + SPAN ? undefined : askedAt(time);
  };
  const askedAt = async (time: number): Promise<void> => {
    const before = asked;
    asked = time;
    try {
      await jobs.later(pool, { task: TASK, payload: null, due: new Date(time + SPAN + LIFE) });
    } catch (error) {
      asked = before;
      throw error;
    }
  };

  return {
    once: openOnce({ store, now, expire, patienceMs }),
    tasks: {
      [TASK]: async (_, { signal }) => {
        const until = new Date(now().getTime() - LIFE);
        while ((await store.sweep(until, BATCH)) === BATCH) signal.throwIfAborted();
      },
    },
    eraser: {
      user: async (tx, _, bodies) => {
        await blankAnswers(
          tx,
          bodies.slice(0, 1).map((body) => (JSON.parse(body) as User).id),
        );
      },
    },
  };
};
