import type { Connection, Db } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { createLoopUtilization } from "../concurrency/loop-utilization.ts";
import { runLoop } from "../concurrency/run-loop.ts";
import { createStopController, createWakeSignal, sleep } from "../concurrency/wake-signal.ts";
import { advanceHighWatermark, type HighWatermark } from "./high-watermark.ts";
import { openProjectorSession, projectorStore, type ProjectorSession } from "./projector.sql.ts";
import { logWriters } from "./store.ts";

/** Events that are projected in one transaction, at most, unless the projection says otherwise. @assumed */
const EVENTS_PER_SPAN = 1_000;

/** Bounds and other waits of a projector. @assumed The numbers. */
const PROJECTOR_RULES = {
  /** Shortest and longest time between two checks of a gap that a running transaction may still fill. @units milliseconds */
  gapMs: [2, 50],
  /** Pause between two full batches while the projector is behind: it leaves the database to requests. @units milliseconds */
  restMs: 5,
  /** Utilization of the event loop above which requests keep the process busy, and the time over which it is measured. @units 0 to 1 */
  busyUtilization: 0.5,
  /** @units milliseconds */
  measureMs: 100,
  /** How long a shutdown waits for the batch under way. @units milliseconds */
  graceMs: 2_000,
} as const;

/** Waits of a projector while no reader asks for the events. */
export interface ProjectorWaits {
  /** How long commits gather before the log is read for them. @units milliseconds */
  readonly gatherMs: number;
  /** Longest time between two reads of the log without a notification; other processes send one for a waiting reader only. @units milliseconds */
  readonly pollMs: number;
}

/** Usual waits of a projector. @assumed The numbers. */
const PROJECTOR_WAITS: ProjectorWaits = { gatherMs: 100, pollMs: 500 };

/** Events after the position `from`, up to and with `to`, at most as many as the projection takes at once. All of them are final. */
export interface LogSpan {
  readonly from: number;
  readonly to: number;
}

/** What a projection does besides reading the log, such as rows that are changed without an event. */
export interface ProjectionBacklog {
  /**
   * Works off one batch, in a transaction of the leader in which the cursor stays at `position`. -> whether anything was left to do
   */
  workOff(tx: Db, position: number): Promise<boolean>;
  /** Mark of the last committed work. */
  last(db: Db): Promise<number>;
  /** Whether all work up to a mark is done. It is asked after each read of the log. */
  isDone(db: Db, upTo: number): Promise<boolean>;
}

/** Pauses that leave the machine to requests, as multiples of the time that the work before them took. */
export interface ProjectionPauses {
  /** After events, and after other work, while the projection is behind. */
  readonly log: number;
  readonly backlog: number;
  /** After any work, at most, while requests keep the process busy: the projection falls behind for as long as they do. */
  readonly busy: number;
}

/** A projection of the log into tables that only its leader writes. Its row in `projection_cursors` is made by a migration. */
export interface Projection {
  /** Key of the cursor and of the leader lock. */
  readonly name: string;
  /** Projects a span, in the transaction that moves the cursor over it. An exception rolls back, and the span is projected again. */
  project(tx: Db, span: LogSpan): Promise<void>;
  readonly backlog?: ProjectionBacklog | undefined;
  /** Events that are projected in one transaction, at most. */
  readonly eventsPerSpan?: number | undefined;
  readonly pauses?: ProjectionPauses | undefined;
}

interface LeaderDeps {
  readonly projection: Projection;
  readonly connect: () => Promise<Connection>;
  readonly waits: ProjectorWaits;
  readonly signal: AbortSignal;
}

/**
 * Projects the log in batches. States: unconnected → candidate (another process leads) → leading (the high-watermark is known) →
 * unconnected when the connection is lost, candidate when somebody else moved the cursor.
 */
const createLeader = ({ projection, connect, waits, signal }: LeaderDeps) => {
  const { name, backlog, pauses, eventsPerSpan = EVENTS_PER_SPAN } = projection;
  const signals = { logGrown: createWakeSignal(), readerWaits: createWakeSignal() };
  let opened: { readonly connection: Connection; readonly session: ProjectorSession } | undefined;
  /** Present while this process is the leader. */
  let highWatermark: HighWatermark | undefined;
  let gapChecks = 0;

  /** Whether a reader has asked for the events since the last read of the log. */
  let isAwaited = false;

  const expedite = () => {
    isAwaited = true;
    signals.logGrown.notify();
    signals.readerWaits.notify();
  };

  const open = async () => {
    const connection = await connect();
    const session = openProjectorSession(connection, name);
    const current = { connection, session };
    opened = current;
    highWatermark = undefined;
    connection.onLost(() => {
      if (opened !== current) return;
      opened = undefined;
      highWatermark = undefined;
    });
    await session.prepare(expedite);
    return current;
  };

  const idle = async (): Promise<void> => {
    await signals.logGrown.wait(waits.pollMs);
    if (!signal.aborted) await signals.readerWaits.wait(waits.gatherMs);
  };

  /** Waits while requests keep the process busy and no reader waits, at most for this time. */
  const leaveToRequests = async (mostMs: number): Promise<void> => {
    const { busyUtilization, measureMs } = PROJECTOR_RULES;
    const utilization = createLoopUtilization();
    const end = performance.now() + mostMs;
    for (let leftMs = mostMs; leftMs > 0 && !isAwaited && !signal.aborted; leftMs = end - performance.now()) {
      await signals.readerWaits.wait(Math.min(measureMs, leftMs));
      if (utilization() < busyUtilization) return;
    }
  };

  const waitForGap = async (): Promise<void> => {
    const [minMs, maxMs] = PROJECTOR_RULES.gapMs;
    await sleep(Math.min(minMs * 2 ** gapChecks, maxMs), signal);
    gapChecks += 1;
  };

  /** Moves the cursor over the span and projects it. -> undefined when the cursor was not at the expected position */
  const projectSpan = (session: ProjectorSession, span: LogSpan) =>
    session.transaction(async (tx) => {
      if (!(await projectorStore(tx, name).move(span.from, span.to))) return undefined;
      await projection.project(tx, span);
      return true;
    });

  /** -> whether anything was left to do; undefined when the cursor was not at the expected position */
  const workOff = async (
    work: ProjectionBacklog,
    { connection, session }: { readonly connection: Connection; readonly session: ProjectorSession },
    position: number,
  ): Promise<boolean | undefined> => {
    if (await work.isDone(connection, Number.MAX_SAFE_INTEGER)) return false;
    return session.transaction(async (tx) =>
      (await projectorStore(tx, name).hold(position)) ? work.workOff(tx, position) : undefined,
    );
  };

  return {
    /** Reads the log once, projects the final events and waits for the next occasion. */
    async step(): Promise<void> {
      const { connection, session } = opened ?? (await open());
      const store = projectorStore(connection, name);
      if (!highWatermark) {
        if (!(await session.tryLead())) return idle();
        highWatermark = { position: await store.cursor() };
      }
      isAwaited = false;
      const from = highWatermark.position;
      let readCount = 0;
      const positionsAfter = async (after: number) => {
        const positions = await store.positionsAfter(after, eventsPerSpan);
        readCount = positions.length;
        return positions;
      };
      const { highWatermark: next, settled } = await advanceHighWatermark(highWatermark, {
        positionsAfter,
        runningWriters: () => logWriters(connection),
      });
      const begunAt = performance.now();
      const isMoved = settled === 0 || (await projectSpan(session, { from, to: next.position })) !== undefined;
      const projectedAt = performance.now();
      const isBehind = isMoved && backlog ? await workOff(backlog, { connection, session }, next.position) : false;
      if (!isMoved || isBehind === undefined) {
        highWatermark = undefined;
        return;
      }
      highWatermark = next;
      if (settled > 0 || !next.gap) gapChecks = 0;
      const [logMs, backlogMs] = [projectedAt - begunAt, performance.now() - projectedAt];
      if (readCount === eventsPerSpan || isBehind) {
        const pauseMs = pauses ? logMs * pauses.log + backlogMs * pauses.backlog : 0;
        await sleep(Math.max(PROJECTOR_RULES.restMs, pauseMs), signal);
      }
      if (pauses && (settled > 0 || isBehind)) await leaveToRequests((logMs + backlogMs) * pauses.busy);
      if (readCount === eventsPerSpan || isBehind) return;
      return next.gap ? waitForGap() : idle();
    },
    isLeading: () => highWatermark !== undefined,
    /** The log may have grown. */
    notify: () => signals.logGrown.notify(),
    /** A reader waits for the events in the log. */
    expedite,
    close: async () => opened?.connection.close(),
  };
};

/** Keeps a projection up to date. One of the processes on a database, the leader, does it. */
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
const [MIN_POLL_MS, MAX_POLL_MS] = [5, 50];

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
    for (let wait = MIN_POLL_MS; !(await isReached()); wait = Math.min(wait * 2, MAX_POLL_MS)) {
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
    await Promise.race([running, sleep(PROJECTOR_RULES.graceMs, grace.signal)]);
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
