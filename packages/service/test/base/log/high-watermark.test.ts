import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { advanceHighWatermark, type HighWatermark } from "../../../src/base/log/high-watermark.ts";

/** The next step of the database or of the reader. Numbers select among the running transactions. */
type Step =
  | { readonly kind: "begin" }
  | { readonly kind: "look" }
  | { readonly kind: "draw" | "commit" | "abort"; readonly which: number };

interface Transaction {
  readonly id: number;
  readonly positions: number[];
}

/** Model of PostgreSQL as far as a reader of the log observes it: running writers and committed rows. */
const model = () => {
  const running: Transaction[] = [];
  const visible: number[] = [];
  const committed: number[] = [];
  let nextId = 1;
  let nextPosition = 1;

  const end = (which: number): Transaction | undefined => running.splice(which % Math.max(running.length, 1), 1)[0];
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
    look: (after: number, limit: number) =>
      visible
        .filter((each) => each > after)
        .sort((a, b) => a - b)
        .slice(0, limit),
    writers: () => running.map(({ id }) => String(id)),
  };
};

/** The reader, as the feed drives it; `between` is called before each of its queries. */
const reader = (database: ReturnType<typeof model>, limit: number, between: () => void = () => undefined) => {
  const returned: number[] = [];
  let frontier: HighWatermark = { position: 0 };
  const readNext = async () => {
    let seen: number[] = [];
    const { highWatermark: next, settled } = await advanceHighWatermark(frontier, {
      positionsAfter: (after) => {
        between();
        seen = database.look(after, limit);
        return Promise.resolve(seen);
      },
      runningWriters: () => {
        between();
        return Promise.resolve(database.writers());
      },
    });
    returned.push(...seen.slice(0, settled));
    frontier = next;
  };
  return { returned, readNext };
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

describe("the reader of the event log", () => {
  test("returns every committed position exactly once and in order, however transactions overlap, end and fail", async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, fc.integer({ min: 1, max: 8 }), async (all, meanwhile, limit) => {
        const database = model();
        const happen = (step: Step | undefined) => {
          if (step?.kind === "begin") database.begin();
          else if (step && step.kind !== "look") database[step.kind](step.which);
        };
        const rest = meanwhile[Symbol.iterator]();
        const { returned, readNext } = reader(database, limit, () => happen(rest.next().value));
        for (const step of all) {
          if (step.kind === "look") await readNext();
          else happen(step);
        }
        for (const step of rest) happen(step);
        while (database.running.length > 0) database.commit(0);
        // A page or a gap is passed by at least every second read.
        for (let polls = 0; polls < 2 * (all.length + meanwhile.length) + 2; polls += 1) await readNext();
        expect(returned).toEqual([...database.committed].sort((a, b) => a - b));
      }),
      { numRuns: 2_000 },
    );
  });

  test("waits at a gap while a transaction that may fill it runs, however many others end", async () => {
    const database = model();
    const { returned, readNext } = reader(database, 10);
    database.begin();
    database.begin();
    database.draw(1);
    database.draw(0);
    database.commit(0);
    for (let polls = 0; polls < 3; polls += 1) {
      database.begin();
      await readNext();
      database.abort(1);
    }
    expect(returned).toEqual([]);
    database.commit(0);
    await readNext();
    expect(returned).toEqual([1, 2]);
  });
});
