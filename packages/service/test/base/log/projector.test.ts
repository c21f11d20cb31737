import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Connection, type Database, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { startProjector, type Projector } from "../../../src/base/log/projector.ts";
import { demoDatabase } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** Both are longer than the time limit of a reader, so that only the request of a reader makes the leader read the log in time. @units milliseconds */
const WAITS = { gatherMs: 120_000, pollMs: 120_000 };
const READER_TIMEOUT_MS = 20_000;
const EVENT = statement(
  "",
  `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
   select nextval('log_positions'), id, 1, 0, 'user_create', id, now(), 'system', id, 1
     from (select gen_random_uuid() as id) created`,
);

const POSITIONS = statement("", "select seq from outbox where seq > $1 and seq <= $2 order by seq");

let database: Database;
let pool: Pool;
let projectors: readonly Projector[];
beforeAll(async () => {
  database = await demoDatabase();
  pool = database.pool(SERVICE_SCHEMA);
  await pool.rows(statement("", "insert into projection_cursors (name, seq) values ('test', 0)"), []);
  projectors = [0, 1].map(() =>
    startProjector(
      { name: "test", project: () => Promise.resolve() },
      {
        connect: () => database.connect(SERVICE_SCHEMA),
        db: pool,
        log: (line) => expect(line).toBe(""),
        waits: WAITS,
      },
    ),
  );
});
afterAll(async () => {
  await Promise.all(projectors.map((each) => each.close()));
  await pool.end();
  await database.close();
});

test("readers of each process get the events that were committed before, whichever process projects them", async () => {
  const [one, other] = projectors as readonly [Projector, Projector];
  one.begin();
  await pool.rows(EVENT, []);
  expect(await one.caughtUp(READER_TIMEOUT_MS)).toBe(true);
  other.begin();
  for (const reader of [one, other, other, one, other]) {
    await pool.rows(EVENT, []);
    expect(await reader.caughtUp(READER_TIMEOUT_MS)).toBe(true);
  }
});

test("an event that is committed after an event with a higher position is projected before it", async () => {
  await pool.rows(statement("", "insert into projection_cursors (name, seq) values ('gaps', 0)"), []);
  const positions = async (from: number, to: number) =>
    (await pool.rows<{ seq: number }>(POSITIONS, [from, to])).map(({ seq }) => seq);
  const projected: number[] = [];
  /** Statements of the leader outside of its projection. */
  let reads = 0;
  const projector = startProjector(
    { name: "gaps", project: async (_, { from, to }) => void projected.push(...(await positions(from, to))) },
    {
      connect: async () =>
        new Proxy(await database.connect(SERVICE_SCHEMA), {
          get(target, name) {
            if (name === "one") reads++;
            return Reflect.get(target, name) as unknown;
          },
        }),
      db: pool,
      log: (line) => expect(line).toBe(""),
      waits: WAITS,
    },
  );
  let writer: Connection | undefined;
  try {
    projector.begin();
    expect(await projector.caughtUp(READER_TIMEOUT_MS)).toBe(true);
    const before = [...projected];
    writer = await database.connect(SERVICE_SCHEMA);
    await writer.rows(statement("", "begin"), []);
    await writer.rows(EVENT, []);
    await pool.rows(EVENT, []);
    const reader = projector.caughtUp(READER_TIMEOUT_MS);
    const readsBefore = reads;
    await waitUntil(() => reads > readsBefore + 3);
    expect(projected).toEqual(before);
    await writer.rows(statement("", "commit"), []);
    expect(await reader).toBe(true);
    expect(projected).toEqual(await positions(0, Number.MAX_SAFE_INTEGER));
  } finally {
    await writer?.close();
    await projector.close();
  }
});
