import type { Connection, Db } from "@parley/database";
import { sleep, createStopController } from "../concurrency/wake-signal.ts";
import { runLoop } from "../concurrency/run-loop.ts";
import { PROJECTOR_RULES, type ProjectorRules, createProjector } from "./projector.ts";
import { analyticsStore } from "./store.ts";

/** Analytics: projects the event log into the tables of reports and metrics, each event exactly once. */

export { PROJECTOR_RULES as FACT_RULES, type ProjectorRules as FactRules } from "./projector.ts";

/** Projects committed events into the tables that reports and metrics read. One of the processes on a database does it. */
export interface Analytics {
  /** Starts the projection; nothing is read or connected before. */
  begin(): void;
  /** Events were committed. */
  wake(): void;
  /** Position of the log up to which events are projected. */
  upTo(): Promise<number>;
  /**
   * Waits until everything that was committed before the call is projected.
   * -> false when the timeout is over before @units milliseconds
   */
  caughtUp(timeoutMs?: number): Promise<boolean>;
  /** Finishes the batch under way. May be called again. */
  close(): Promise<void>;
}

interface AnalyticsOptions {
  /** Opens the connection of the projector. */
  readonly connect: () => Promise<Connection>;
  readonly db: Db;
  readonly log: (line: string) => void;
  readonly rules?: ProjectorRules | undefined;
}

/** @assumed How long a read waits for events that were committed just before it. @units milliseconds */
const DEFAULT_CATCH_UP_TIMEOUT_MS = 1_000;
/** First and longest time between two checks of the projector's position. @units milliseconds */
const [MIN_POLL_MS, MAX_POLL_MS] = [5, 50];

export const startAnalytics = ({ connect, db, log, rules = PROJECTOR_RULES }: AnalyticsOptions): Analytics => {
  const stop = createStopController();
  const { signal } = stop;
  const store = analyticsStore(db);
  const projector = createProjector({ connect, rules, signal });
  let running: Promise<void> | undefined;

  const end = async (): Promise<void> => {
    stop.abort();
    projector.expedite();
    const grace = createStopController();
    await Promise.race([running, sleep(rules.graceMs, grace.signal)]);
    grace.abort();
    await projector.close();
  };

  let closed: Promise<void> | undefined;
  return {
    begin: () => {
      running ??= runLoop("analytics projection", () => projector.step(), { signal, log });
    },
    wake: () => projector.notify(),
    upTo: async () => (await store.ends()).projected,
    async caughtUp(timeoutMs = DEFAULT_CATCH_UP_TIMEOUT_MS) {
      const deadline = performance.now() + timeoutMs;
      const { last, projected } = await store.ends();
      let reached = projected;
      for (let wait = MIN_POLL_MS; reached < last; wait = Math.min(wait * 2, MAX_POLL_MS)) {
        if (signal.aborted || performance.now() > deadline) return false;
        projector.expedite();
        await sleep(wait, signal);
        reached = await store.cursor();
      }
      return true;
    },
    close: () => (closed ??= end()),
  };
};
