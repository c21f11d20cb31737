import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Database, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { startProjector, type Projector } from "../../../src/base/log/projector.ts";
import { demoDatabase } from "../../service-harness.ts";

/** Both are longer than the time limit of a reader, so that only the request of a reader makes the leader read the log in time. @units milliseconds */
const WAITS = { gatherMs: 120_000, pollMs: 120_000 };
const READER_TIMEOUT_MS = 20_000;
const EVENT = statement(
  "",
  `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
   select nextval('log_positions'), id, 1, 0, 'user_create', id, now(), 'system', id, 1
     from (select gen_random_uuid() as id) created`,
);

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
