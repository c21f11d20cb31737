import type { Connection } from "@parley/database";
import { createWakeSignal, sleep } from "../concurrency/wake-signal.ts";
import { logWriters } from "../log/store.ts";
import { advanceHighWatermark, type HighWatermark } from "../log/high-watermark.ts";
import { openProjectorSession, type ProjectorSession, spanStore } from "./span.sql.ts";
import { projectEvents, openChanges } from "./projection.ts";
import { hourCells } from "./measures.ts";
import { analyticsStore } from "./store.ts";

/** Bounds and waits of the projector. */
export interface ProjectorRules {
  /** Events that are projected in one transaction. */
  readonly batch: number;
  /** How long commits gather before the log is read for them. @units milliseconds */
  readonly gatherMs: number;
  /** Longest time between two reads of the log without a notification; other processes send none to the projector. @units milliseconds */
  readonly pollMs: number;
  /** Longest time between two checks of a gap that a running transaction may still fill. @units milliseconds */
  readonly gapMs: number;
  /** Pause between two full batches while the projector is behind: it leaves the database to requests. @units milliseconds */
  readonly restMs: number;
  /** How long a shutdown waits for the batch under way. @units milliseconds */
  readonly graceMs: number;
}

/** @assumed The numbers. */
export const PROJECTOR_RULES: ProjectorRules = {
  batch: 1_000,
  gatherMs: 100,
  pollMs: 500,
  gapMs: 50,
  restMs: 5,
  graceMs: 2_000,
};

interface ProjectorDeps {
  readonly connect: () => Promise<Connection>;
  readonly rules: ProjectorRules;
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

/** Shortest time between two checks of a gap. @units milliseconds */
const MIN_GAP_CHECK_MS = 2;

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

export const createProjector = ({ connect, rules, signal }: ProjectorDeps): Projector => {
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
    await signals.logGrown.wait(rules.pollMs);
    if (!signal.aborted) await signals.readerWaits.wait(rules.gatherMs);
  };

  const waitForGap = async (): Promise<void> => {
    await sleep(Math.min(MIN_GAP_CHECK_MS * 2 ** gapChecks, rules.gapMs), signal);
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
        const positions = await spanStore(connection).positionsAfter(after, rules.batch);
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
      if (readCount === rules.batch) return sleep(rules.restMs, signal);
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
