import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { advance, type Frontier } from "../../src/events/frontier.ts";

/** What can happen next to the database, or to the reader. Numbers choose among the transactions that run. */
type Step =
  | { readonly kind: "begin" }
  | { readonly kind: "look" }
  | { readonly kind: "draw" | "commit" | "abort"; readonly which: number };

interface Transaction {
  readonly id: bigint;
  readonly positions: number[];
}

/** PostgreSQL as far as a reader of the log can tell: ids by their first write, snapshots by the last id that ended. */
const model = () => {
  const running: Transaction[] = [];
  const visible: number[] = [];
  const committed: number[] = [];
  let nextId = 1n;
  let lastEnded = 0n;
  let nextPosition = 1;

  const end = (which: number): Transaction | undefined => {
    const [ended] = running.splice(which % Math.max(running.length, 1), 1);
    if (ended && ended.id > lastEnded) lastEnded = ended.id;
    return ended;
  };
  return {
    committed,
    running,
    begin: () => void running.push({ id: nextId++, positions: [] }),
    draw: (which: number) => running[which % Math.max(running.length, 1)]?.positions.push(nextPosition++),
    commit: (which: number) => {
      const ended = end(which);
      visible.push(...(ended?.positions ?? []));
      committed.push(...(ended?.positions ?? []));
    },
    abort: (which: number) => void end(which),
    look: (after: number, limit: number) => {
      const positions = visible.filter((each) => each > after).sort((a, b) => a - b);
      const ids = running.map(({ id }) => id).filter((id) => id <= lastEnded);
      const oldest = ids.reduce((least, id) => (id < least ? id : least), lastEnded + 1n);
      return { positions: positions.slice(0, limit), oldest: positions.length > 0 ? oldest : undefined };
    },
    /** The reader's own transaction takes an id and ends. */
    bound: () => {
      lastEnded = nextId;
      return nextId++;
    },
  };
};

/** The reader, as the feed drives it. */
const reader = (database: ReturnType<typeof model>, limit: number) => {
  const told: number[] = [];
  let frontier: Frontier = { horizon: 0 };
  const look = () => {
    const seen = database.look(frontier.horizon, limit);
    const { frontier: next, settled, unexplained } = advance(frontier, seen);
    told.push(...seen.positions.slice(0, settled));
    frontier = unexplained === undefined ? next : { ...next, doubt: { seen: unexplained, bound: database.bound() } };
  };
  return { told, look };
};

const which = fc.nat({ max: 5 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("begin" as const) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("draw" as const), which }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("commit" as const), which }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("abort" as const), which }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("look" as const) }) },
  ),
  { maxLength: 80, size: "max" },
);

describe("the reader of the log", () => {
  test("tells every committed position once and in order, however transactions overlap, end and fail", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 8 }), (all, limit) => {
        const database = model();
        const { told, look } = reader(database, limit);
        for (const step of all) {
          if (step.kind === "look") look();
          else if (step.kind === "begin") database.begin();
          else database[step.kind](step.which);
        }
        while (database.running.length > 0) database.commit(0);
        // A page, or a gap, is passed at least every second look.
        for (let looks = 0; looks < 2 * all.length + 2; looks += 1) look();
        expect(told).toEqual([...database.committed].sort((a, b) => a - b));
      }),
      { numRuns: 2_000 },
    );
  });

  test("holds a gap while a transaction that may fill it runs, be it younger than all that have ended", () => {
    const database = model();
    const { told, look } = reader(database, 10);
    database.begin();
    database.begin();
    database.draw(1);
    database.draw(0);
    database.commit(0);
    look();
    look();
    look();
    expect(told).toEqual([]);
    database.commit(0);
    look();
    expect(told).toEqual([1, 2]);
  });
});
