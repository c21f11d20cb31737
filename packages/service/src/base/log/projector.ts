import type { Connection, Db } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { runLoop } from "../concurrency/run-loop.ts";
import { createStopController, sleep } from "../concurrency/wake-signal.ts";
import { createLeader, type ProjectorWaits } from "./projection-leader.ts";
import type { Projection } from "./projection.ts";
import { projectorStore } from "./projector.sql.ts";

/** Usual waits of a projector. @assumed The numbers. */
const PROJECTOR_WAITS: ProjectorWaits = { gatherMs: 100, pollMs: 500 };

/** How long a shutdown waits for the batch under way. @assumed @units milliseconds */
const GRACE_MS = 2_000;

/** Keeps a projection up to date. One of the processes on a database, the leader, runs the projections. */
export interface Projector {
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

export interface ProjectorOptions {
  /** Opens the connection of the projector. */
  readonly connect: () => Promise<Connection>;
  readonly db: Db;
  readonly log: Log;
  /** `PROJECTOR_WAITS` when absent. */
  readonly waits?: ProjectorWaits | undefined;
}

/** @assumed How long a read waits for events that were committed just before it. @units milliseconds */
const DEFAULT_CATCH_UP_TIMEOUT_MS = 1_000;
/** First and longest time between two checks of the projector's position. @units milliseconds */
const POLL_MS_MIN = 5;
const POLL_MS_MAX = 50;

export const startProjector = (
  projection: Projection,
  { connect, db, log, waits = PROJECTOR_WAITS }: ProjectorOptions,
): Projector => {
  const { name, backlog } = projection;
  const stop = createStopController();
  const { signal } = stop;
  const store = projectorStore(db, name);
  const leader = createLeader({ projection, connect, waits, signal });
  let running: Promise<void> | undefined;

  /** Polls until a condition holds. -> false when the deadline passes before */
  const poll = async (deadline: number, isReached: () => Promise<boolean>): Promise<boolean> => {
    for (let wait = POLL_MS_MIN; !(await isReached()); wait = Math.min(wait * 2, POLL_MS_MAX)) {
      if (signal.aborted || performance.now() > deadline) return false;
      if (leader.isLeading()) leader.expedite();
      else await store.notifyLeader();
      await sleep(wait, signal);
    }
    return true;
  };

  const end = async (): Promise<void> => {
    stop.abort();
    leader.expedite();
    const grace = createStopController();
    await Promise.race([running, sleep(GRACE_MS, grace.signal)]);
    grace.abort();
    await leader.close();
  };

  let closed: Promise<void> | undefined;
  return {
    begin: () => {
      running ??= runLoop(`${name} projection`, () => leader.step(), { signal, log });
    },
    wake: () => leader.notify(),
    upTo: () => store.cursor(),
    async caughtUp(timeoutMs = DEFAULT_CATCH_UP_TIMEOUT_MS) {
      const deadline = performance.now() + timeoutMs;
      const [{ last, projected }, work] = await Promise.all([store.ends(), backlog?.last(db) ?? 0]);
      const hasReached = projected >= last || (await poll(deadline, async () => (await store.cursor()) >= last));
      return hasReached && (!backlog || (await poll(deadline, () => backlog.isDone(db, work))));
    },
    close: () => (closed ??= end()),
  };
};
