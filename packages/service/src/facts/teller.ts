import type { Connection } from "@parley/database";
import { bell, pause } from "../events/bell.ts";
import { logWriters } from "../events/db/log.ts";
import { advance, type Frontier } from "../events/frontier.ts";
import { sessionOn, type FactSession } from "./db/session.ts";
import { spanStore } from "./db/span.ts";
import { fold, openChanges } from "./fold.ts";
import type { FactRules } from "./rules.ts";
import { hourCells } from "./measure.ts";
import { factStore } from "./store.ts";

export interface TellerDeps {
  readonly connect: () => Promise<Connection>;
  readonly rules: FactRules;
  readonly signal: AbortSignal;
}

/** Tells facts from the log, a stretch at a time. */
export interface Teller {
  /** One look at the log, what is to be told of it, and the wait after it. */
  step(): Promise<void>;
  /** The log may have grown. */
  ring(): void;
  /** Somebody waits for what is in the log. */
  hurry(): void;
  close(): Promise<void>;
}

/** Between two looks while the end of a transaction is awaited, at first. @units milliseconds */
const SHORTEST_LOOK = 2;

/** One stretch of the log in one transaction with the cursor: both or neither. -> false: the cursor stood elsewhere */
const tell = async (connection: Connection, session: FactSession, from: number, to: number): Promise<boolean> => {
  const events = await spanStore(connection).read(from, to);
  const known = await factStore(connection).interactions(events);
  const told = fold(events, known);
  const telling = { ...told, hours: hourCells(told.measures), open: openChanges(known, told.interactions) };
  return session.transaction(async (tx) => {
    const store = factStore(tx);
    if (!(await store.move(from, to))) return false;
    await store.add(telling);
    return true;
  });
};

export const teller = ({ connect, rules, signal }: TellerDeps): Teller => {
  const bells = { rung: bell(), urgent: bell() };
  let opened: { readonly connection: Connection; readonly session: FactSession } | undefined;
  /** Set while this process is the one that tells. */
  let frontier: Frontier | undefined;
  let looks = 0;

  const open = async () => {
    const connection = await connect();
    const session = sessionOn(connection);
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
    await pause(Math.min(SHORTEST_LOOK * 2 ** looks, rules.gapMs), signal);
    looks += 1;
  };

  return {
    async step() {
      const { connection, session } = opened ?? (await open());
      if (!frontier) {
        if (!(await session.lead())) return idle();
        frontier = { horizon: await factStore(connection).cursor() };
      }
      const from = frontier.horizon;
      let seen = 0;
      const look = async (after: number) => {
        const positions = await spanStore(connection).look(after, rules.batch);
        seen = positions.length;
        return positions;
      };
      const { frontier: next, settled } = await advance(frontier, { look, writers: () => logWriters(connection) });
      if (settled > 0 && !(await tell(connection, session, from, next.horizon))) {
        frontier = undefined;
        return;
      }
      frontier = next;
      if (settled > 0 || !frontier.doubt) looks = 0;
      if (frontier.doubt) return lookAgain();
      if (seen === rules.batch) return pause(rules.restMs, signal);
      return idle();
    },
    ring: () => bells.rung.ring(),
    hurry: () => {
      bells.rung.ring();
      bells.urgent.ring();
    },
    close: async () => opened?.connection.close(),
  };
};
