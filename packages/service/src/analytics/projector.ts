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

interface TellerDeps {
  readonly connect: () => Promise<Connection>;
  readonly rules: ProjectorRules;
  readonly signal: AbortSignal;
}

/** Projects the log in batches. */
interface Teller {
  /** Reads the log once, projects what is final and waits for the next occasion. */
  step(): Promise<void>;
  /** The log may have grown. */
  ring(): void;
  /** A reader waits for the events in the log. */
  hurry(): void;
  close(): Promise<void>;
}

/** Shortest time between two checks of a gap. @units milliseconds */
const SHORTEST_LOOK = 2;

/** Projects one batch and moves the cursor in one transaction. -> false when the cursor was not at the expected position */
const tell = async (connection: Connection, session: ProjectorSession, from: number, to: number): Promise<boolean> => {
  const events = await spanStore(connection).read(from, to);
  const known = await analyticsStore(connection).interactions(events);
  const told = projectEvents(events, known);
  const telling = { ...told, hours: hourCells(told.measures), open: openChanges(known, told.interactions) };
  return session.transaction(async (tx) => {
    const store = analyticsStore(tx);
    if (!(await store.move(from, to))) return false;
    await store.add(telling);
    return true;
  });
};

export const createProjector = ({ connect, rules, signal }: TellerDeps): Teller => {
  const bells = { rung: createWakeSignal(), urgent: createWakeSignal() };
  let opened: { readonly connection: Connection; readonly session: ProjectorSession } | undefined;
  /** Present while this process is the projector. */
  let frontier: HighWatermark | undefined;
  let looks = 0;

  const open = async () => {
    const connection = await connect();
    const session = openProjectorSession(connection);
    const made = { connection, session };
    opened = made;
    frontier = undefined;
    connection.onLost(() => {
      if (opened === made) opened = undefined;
    });
    await session.prepare();
    return made;
  };

  const idle = async (): Promise<void> => {
    await bells.rung.wait(rules.pollMs);
    if (!signal.aborted) await bells.urgent.wait(rules.gatherMs);
  };

  const lookAgain = async (): Promise<void> => {
    await sleep(Math.min(SHORTEST_LOOK * 2 ** looks, rules.gapMs), signal);
    looks += 1;
  };

  return {
    async step() {
      const { connection, session } = opened ?? (await open());
      if (!frontier) {
        if (!(await session.lead())) return idle();
        frontier = { position: await analyticsStore(connection).cursor() };
      }
      const from = frontier.position;
      let seen = 0;
      const look = async (after: number) => {
        const positions = await spanStore(connection).look(after, rules.batch);
        seen = positions.length;
        return positions;
      };
      const { highWatermark: next, settled } = await advanceHighWatermark(frontier, {
        positionsAfter: look,
        runningWriters: () => logWriters(connection),
      });
      if (settled > 0 && !(await tell(connection, session, from, next.position))) {
        frontier = undefined;
        return;
      }
      frontier = next;
      if (settled > 0 || !frontier.gap) looks = 0;
      if (frontier.gap) return lookAgain();
      if (seen === rules.batch) return sleep(rules.restMs, signal);
      return idle();
    },
    ring: () => bells.rung.notify(),
    hurry: () => {
      bells.rung.notify();
      bells.urgent.notify();
    },
    close: async () => opened?.connection.close(),
  };
};
