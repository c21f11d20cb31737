import type { Connection } from "@parley/database";
import { createLoopUtilization } from "../concurrency/loop-utilization.ts";
import { createWakeSignal, sleep } from "../concurrency/wake-signal.ts";
import { createLogFollower, type LogReadRules, type LogSpan } from "./follower.ts";
import type { Projection, ProjectionBacklog } from "./projection.ts";
import { openProjectorSession, projectorStore, type ProjectorSession } from "./projector.sql.ts";
import { logWriters } from "./store.ts";

/** Events that are projected in one transaction, at most, unless the projection says otherwise. @assumed */
const EVENTS_PER_SPAN = 1_000;

/** Bounds and other waits of a leader. @assumed The numbers. */
const LEADER_RULES = {
  /** Longest time between two checks of a gap that a running transaction may still fill. @units milliseconds */
  gapMs: 50,
  /** Pause between two full batches while the projection is behind: it leaves the database to requests. @units milliseconds */
  restMs: 5,
  /** Utilization of the event loop above which requests keep the process busy, and the time over which it is measured. @units 0 to 1 */
  busyUtilization: 0.5,
  /** @units milliseconds */
  measureMs: 100,
} as const;

/** Waits while no reader asks for the events. Other processes notify the leader for a waiting reader only. */
export type ProjectorWaits = Pick<LogReadRules, "gatherMs" | "pollMs">;

interface OpenedProjector {
  readonly connection: Connection;
  readonly session: ProjectorSession;
}

interface LeaderDeps {
  readonly projection: Projection;
  readonly connect: () => Promise<Connection>;
  readonly waits: ProjectorWaits;
  readonly signal: AbortSignal;
}

/**
 * Projects the log in batches. States: unconnected → candidate (another process leads) → leading (follows the log from the cursor) →
 * unconnected when the connection is lost, candidate when somebody else moved the cursor.
 */
export const createLeader = ({ projection, connect, waits, signal }: LeaderDeps) => {
  const { name, backlog, pauses, eventsPerSpan = EVENTS_PER_SPAN } = projection;
  const readerWaits = createWakeSignal();
  /** Started while this process is the leader. */
  const follower = createLogFollower<number>(
    { batch: eventsPerSpan, gapMs: LEADER_RULES.gapMs, ...waits },
    signal,
    (ms) => readerWaits.wait(ms),
  );
  let opened: OpenedProjector | undefined;
  /** Whether a reader has asked for the events since the last read of the log. */
  let isAwaited = false;

  const expedite = () => {
    isAwaited = true;
    follower.notify();
    readerWaits.notify();
  };

  const open = async () => {
    const connection = await connect();
    const session = openProjectorSession(connection, name);
    const current = { connection, session };
    opened = current;
    follower.stop();
    connection.onLost(() => {
      if (opened !== current) return;
      opened = undefined;
      follower.stop();
    });
    await session.prepare(expedite);
    return current;
  };

  /** Waits while requests keep the process busy and no reader waits, at most for this time. */
  const leaveToRequests = async (mostMs: number): Promise<void> => {
    const { busyUtilization, measureMs } = LEADER_RULES;
    const utilization = createLoopUtilization();
    const end = performance.now() + mostMs;
    for (let leftMs = mostMs; leftMs > 0 && !isAwaited && !signal.aborted; leftMs = end - performance.now()) {
      await readerWaits.wait(Math.min(measureMs, leftMs));
      if (utilization() < busyUtilization) return;
    }
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
    { connection, session }: OpenedProjector,
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
      const current = opened ?? (await open());
      const { connection, session } = current;
      const { positionsAfter, cursor } = projectorStore(connection, name);
      if (follower.highWatermark() === undefined) {
        if (!(await session.tryLead())) return follower.idle();
        follower.start(await cursor());
      }
      isAwaited = false;
      const found = await follower.read({
        readAfter: positionsAfter,
        positionOf: (position) => position,
        runningWriters: () => logWriters(connection),
      });
      const hasRows = found.rows.length > 0;
      const begunAt = performance.now();
      const isMoved = !hasRows || (await projectSpan(session, found)) !== undefined;
      const projectedAt = performance.now();
      const isBehind = isMoved && backlog ? await workOff(backlog, current, found.to) : false;
      if (!isMoved || isBehind === undefined) {
        follower.stop();
        return;
      }
      follower.pass(found);
      const [logMs, backlogMs] = [projectedAt - begunAt, performance.now() - projectedAt];
      if (found.isFull || isBehind) {
        const pauseMs = pauses ? logMs * pauses.log + backlogMs * pauses.backlog : 0;
        await sleep(Math.max(LEADER_RULES.restMs, pauseMs), signal);
      }
      if (pauses && (hasRows || isBehind)) await leaveToRequests((logMs + backlogMs) * pauses.busy);
      if (!isBehind) await follower.wait(found);
    },
    isLeading: () => follower.highWatermark() !== undefined,
    /** The log may have grown. */
    notify: () => follower.notify(),
    /** A reader waits for the events in the log. */
    expedite,
    close: async () => opened?.connection.close(),
  };
};
