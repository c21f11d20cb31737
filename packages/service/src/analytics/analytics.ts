import type { Connection, Db } from "@parley/database";
import { runLoop } from "../concurrency/run-loop.ts";
import { createStopController, createWakeSignal, sleep } from "../concurrency/wake-signal.ts";
import { advanceHighWatermark, type HighWatermark } from "../log/high-watermark.ts";
import { logWriters } from "../log/store.ts";
import { hourCells } from "./measures.ts";
import { projectEvents, openChanges } from "./projection.ts";
import { openProjectorSession, type ProjectorSession, spanStore } from "./span.sql.ts";
import { analyticsStore } from "./store.ts";

/** Bounds and waits of the projector. @assumed The numbers. */
const PROJECTOR_RULES = {
  /** Events that are projected in one transaction. */
  batch: 1_000,
  /** How long commits gather before the log is read for them. @units milliseconds */
  gatherMs: 100,
  /** Longest time between two reads of the log without a notification; other processes send none to the projector. @units milliseconds */
  pollMs: 500,
  /** Shortest and longest time between two checks of a gap that a running transaction may still fill. @units milliseconds */
  gapMs: [2, 50],
  /** Pause between two full batches while the projector is behind: it leaves the database to requests. @units milliseconds */
  restMs: 5,
  /** How long a shutdown waits for the batch under way. @units milliseconds */
  graceMs: 2_000,
} as const;

interface ProjectorDeps {
  readonly connect: () => Promise<Connection>;
  readonly signal: AbortSignal;
}

/** Projects the log in batches. */
interface Projector {
  /** Reads the log once, projects the final events and waits for the next occasion. */
  step(): Promise<void>;
  /** The log may have grown. */
  notify(): void;
  /** A reader waits for the events in the log. */
  expedite(): void;
  close(): Promise<void>;
}

/** Projects one batch and moves the cursor in one transaction. -> false when the cursor was not at the expected position */
const projectBatch = async (
  connection: Connection,
  session: ProjectorSession,
  from: number,
  to: number,
): Promise<boolean> => {
  const events = await spanStore(connection).read(from, to);
  const interactionsBefore = await analyticsStore(connection).interactions(events);
  const projected = projectEvents(events, interactionsBefore);
  const projection = {
    ...projected,
    hours: hourCells(projected.measures),
    open: openChanges(interactionsBefore, projected.interactions),
  };
  return session.transaction(async (tx) => {
    const store = analyticsStore(tx);
    if (!(await store.move(from, to))) return false;
    await store.add(projection);
    return true;
  });
};

const createProjector = ({ connect, signal }: ProjectorDeps): Projector => {
  const signals = { logGrown: createWakeSignal(), readerWaits: createWakeSignal() };
  let opened: { readonly connection: Connection; readonly session: ProjectorSession } | undefined;
  /** Present while this process is the projector. */
  let highWatermark: HighWatermark | undefined;
  let gapChecks = 0;

  const open = async () => {
    const connection = await connect();
    const session = openProjectorSession(connection);
    const current = { connection, session };
    opened = current;
    highWatermark = undefined;
    connection.onLost(() => {
      if (opened === current) opened = undefined;
    });
    await session.prepare();
    return current;
  };

  const idle = async (): Promise<void> => {
    await signals.logGrown.wait(PROJECTOR_RULES.pollMs);
    if (!signal.aborted) await signals.readerWaits.wait(PROJECTOR_RULES.gatherMs);
  };

  const waitForGap = async (): Promise<void> => {
    const [minMs, maxMs] = PROJECTOR_RULES.gapMs;
    await sleep(Math.min(minMs * 2 ** gapChecks, maxMs), signal);
    gapChecks += 1;
  };

  return {
    async step() {
      const { connection, session } = opened ?? (await open());
      if (!highWatermark) {
        if (!(await session.tryLead())) return idle();
        highWatermark = { position: await analyticsStore(connection).cursor() };
      }
      const from = highWatermark.position;
      let readCount = 0;
      const positionsAfter = async (after: number) => {
        const positions = await spanStore(connection).positionsAfter(after, PROJECTOR_RULES.batch);
        readCount = positions.length;
        return positions;
      };
      const { highWatermark: next, settled } = await advanceHighWatermark(highWatermark, {
        positionsAfter,
        runningWriters: () => logWriters(connection),
      });
      if (settled > 0 && !(await projectBatch(connection, session, from, next.position))) {
        highWatermark = undefined;
        return;
      }
      highWatermark = next;
      if (settled > 0 || !highWatermark.gap) gapChecks = 0;
      if (highWatermark.gap) return waitForGap();
      if (readCount === PROJECTOR_RULES.batch) return sleep(PROJECTOR_RULES.restMs, signal);
      return idle();
    },
    notify: () => signals.logGrown.notify(),
    expedite: () => {
      signals.logGrown.notify();
      signals.readerWaits.notify();
    },
    close: async () => opened?.connection.close(),
  };
};

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
}

/** @assumed How long a read waits for events that were committed just before it. @units milliseconds */
const DEFAULT_CATCH_UP_TIMEOUT_MS = 1_000;
/** First and longest time between two checks of the projector's position. @units milliseconds */
const [MIN_POLL_MS, MAX_POLL_MS] = [5, 50];

export const startAnalytics = ({ connect, db, log }: AnalyticsOptions): Analytics => {
  const stop = createStopController();
  const { signal } = stop;
  const store = analyticsStore(db);
  const projector = createProjector({ connect, signal });
  let running: Promise<void> | undefined;

  const end = async (): Promise<void> => {
    stop.abort();
    projector.expedite();
    const grace = createStopController();
    await Promise.race([running, sleep(PROJECTOR_RULES.graceMs, grace.signal)]);
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
