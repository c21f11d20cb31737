import type { Connection, Db } from "@parley/database";
import { pause, stopper } from "../events/bell.ts";
import { loop } from "../events/loop.ts";
import { FACT_RULES, type FactRules } from "./rules.ts";
import { factStore } from "./store.ts";
import { teller } from "./teller.ts";

/** Tells what is committed into the tables that reports and metrics read. Of the processes on one database one tells. */
export interface Facts {
  /** Begins to tell; before that nothing is read or connected. */
  begin(): void;
  /** Something was committed. */
  wake(): void;
  /** Up to which position of the log facts are told. */
  upTo(): Promise<number>;
  /**
   * Waits until everything is told that was committed before the call.
   * -> false: it is not yet, and the patience is over. @units milliseconds
   */
  caughtUp(patienceMs?: number): Promise<boolean>;
  /** Lets the stretch under way end. May be called again. */
  close(): Promise<void>;
}

export interface FactOptions {
  /** Opens the connection that facts are told on. */
  readonly connect: () => Promise<Connection>;
  readonly db: Db;
  readonly log: (line: string) => void;
  readonly rules?: FactRules | undefined;
}

/** @assumed How long a reader waits for what was committed just before. @units milliseconds */
const PATIENCE = 1_000;
/** Between two looks at how far the telling is, at first and at most. @units milliseconds */
const [SHORTEST, LONGEST] = [5, 50];

export const facts = ({ connect, db, log, rules = FACT_RULES }: FactOptions): Facts => {
  const stop = stopper();
  const { signal } = stop;
  const store = factStore(db);
  const telling = teller({ connect, rules, signal });
  let running: Promise<void> | undefined;

  const end = async (): Promise<void> => {
    stop.abort();
    telling.hurry();
    const grace = stopper();
    await Promise.race([running, pause(rules.graceMs, grace.signal)]);
    grace.abort();
    await telling.close();
  };

  let closed: Promise<void> | undefined;
  return {
    begin: () => {
      running ??= loop("telling facts", () => telling.step(), { signal, log });
    },
    wake: () => telling.ring(),
    upTo: async () => (await store.ends()).told,
    async caughtUp(patienceMs = PATIENCE) {
      const deadline = performance.now() + patienceMs;
      const { last, told } = await store.ends();
      let reached = told;
      for (let wait = SHORTEST; reached < last; wait = Math.min(wait * 2, LONGEST)) {
        if (signal.aborted || performance.now() > deadline) return false;
        telling.hurry();
        await pause(wait, signal);
        reached = await store.cursor();
      }
      return true;
    },
    close: () => (closed ??= end()),
  };
};
