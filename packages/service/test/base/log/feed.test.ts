import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { statement, type Connection } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { createStopController } from "../../../src/base/concurrency/wake-signal.ts";
import { logStore } from "../../../src/base/log/store.ts";
import { createLogFeed, type LogFeed } from "../../../src/base/log/feed.ts";
import { runLoop } from "../../../src/base/concurrency/run-loop.ts";
import { DISPATCH_RULES } from "../../../src/events/dispatch/dispatch-rules.ts";
import { realPorts, SERVICE_SCHEMA } from "../../../src/index.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { KEYED_PLANS } from "../../../src/base/db/pools.ts";
import { demoDatabase } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");
/** A write that draws no position from the sequence. */
const WRITE = statement(
  "",
  "insert into conversation_revisions values (gen_random_uuid(), 1, 'new', null, null, '', '')",
);
const LOG = statement(
  "",
  `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
   select nextval('log_positions'), $1, 1, 0, 'user_create', $1, now(), 'system', $1, 1
   returning seq`,
);

let readPositions: number[];
/** Statements of the reader. */
let reads = 0;
let stop: AbortController;
let reading: Promise<void>;
let writers: Connection[];

const database = fileFixture(demoDatabase);

const begin = () => {
  const { signal } = stop;
  const pool = database.pool(SERVICE_SCHEMA, { max: 1, settings: KEYED_PLANS });
  const store = logStore({ keyed: pool, other: pool });
  const reader = createLogFeed({
    log: new Proxy(store, {
      get(target, name) {
        reads++;
        return Reflect.get(target, name) as unknown;
      },
    }),
    rules: { ...DISPATCH_RULES, pollMs: 5, batch: 7 },
    signal,
    isIdle: () => false,
  });
  reading = runLoop("test", () => reader.step((rows) => void readPositions.push(...rows.map(({ seq }) => seq))), {
    signal,
    log: (line) => expect(line).toBe(""),
  });
  return reader;
};
const started = (reader: LogFeed): Promise<unknown> => waitUntil(() => reader.highWatermark() !== undefined);

beforeEach(async () => {
  readPositions = [];
  writers = await Promise.all([1, 2, 3].map(() => database.connect(SERVICE_SCHEMA)));
  stop = createStopController();
  await started(begin());
});
afterEach(async () => {
  stop.abort();
  await reading;
  await Promise.all(writers.map((each) => each.close()));
});

const write = async (writer: Connection): Promise<number> => {
  const row = await writer.one<{ seq: number }>(LOG, [realPorts.newId()]);
  return row?.seq ?? 0;
};

const until = async (expected: readonly number[]): Promise<void> => {
  await waitUntil(() => readPositions.length >= expected.length);
  expect(readPositions).toEqual(expected);
};

/** Resolves after further statements of the reader. */
const settle = async () => {
  const before = reads;
  await waitUntil(() => reads > before + 10);
};

describe("the reader of the event log returns an event", () => {
  test("only after the events with lower positions that are committed later", async () => {
    const [a, b] = writers as [Connection, Connection];
    await a.rows(BEGIN, []);
    const first = await write(a);
    const second = await write(b);
    await settle();
    expect(readPositions).toEqual([]);
    await a.rows(COMMIT, []);
    await until([first, second]);
  });

  test("also if an earlier transaction is newer than every completed one", async () => {
    const [a, b] = writers as [Connection, Connection];
    await b.rows(BEGIN, []);
    await b.rows(WRITE, []);
    await a.rows(BEGIN, []);
    const first = await write(a);
    const second = await write(b);
    await b.rows(COMMIT, []);
    await settle();
    expect(readPositions).toEqual([]);
    await a.rows(COMMIT, []);
    await until([first, second]);
  });

  test("as soon as the transaction of a missing position is rolled back", async () => {
    const [a, b] = writers as [Connection, Connection];
    await a.rows(BEGIN, []);
    await write(a);
    const second = await write(b);
    await settle();
    expect(readPositions).toEqual([]);
    await a.rows(ROLLBACK, []);
    await until([second]);
  });

  test("without waiting for a transaction that only reads", async () => {
    const [a, b, c] = writers as [Connection, Connection, Connection];
    await c.rows(statement("", "begin isolation level repeatable read"), []);
    await c.rows(statement("", "select count(*) from outbox"), []);
    await a.rows(BEGIN, []);
    await write(a);
    await a.rows(ROLLBACK, []);
    await until([await write(b)]);
    await c.rows(COMMIT, []);
  });

  test("without waiting for a transaction that writes to other tables, in this database or another database", async () => {
    const [a, b, c] = writers as [Connection, Connection, Connection];
    await c.rows(BEGIN, []);
    await c.rows(WRITE, []);
    const elsewhere = await testDatabase();
    const far = await elsewhere.connect("public");
    await far.script("create table things (id int); begin; insert into things values (1)");
    await a.rows(BEGIN, []);
    await write(a);
    await a.rows(ROLLBACK, []);
    await until([await write(b)]);
    await c.rows(COMMIT, []);
    await far.close();
    await elsewhere.close();
  });

  test("exactly once and in order while writers overlap, wait and fail at random", async () => {
    const committed: number[] = [];
    await Promise.all(
      writers.map(async (writer, index) => {
        for (let round = 0; round < 40; round += 1) {
          const chance = (round * 7 + index * 13) % 10;
          await writer.rows(BEGIN, []);
          const drawn = [await write(writer), await write(writer)];
          await setTimeout(chance % 4);
          if (chance < 3) await writer.rows(ROLLBACK, []);
          else {
            await writer.rows(COMMIT, []);
            committed.push(...drawn);
          }
        }
      }),
    );
    await until(committed.sort((a, b) => a - b));
  });
});

describe("a reader that starts with the log waits", () => {
  const restart = async () => {
    stop.abort();
    await reading;
    stop = createStopController();
    return begin();
  };

  test("for transactions that write to it", async () => {
    const [a] = writers as [Connection];
    await a.rows(BEGIN, []);
    const first = await write(a);
    const reader = await restart();
    await settle();
    expect(reader.highWatermark()).toBeUndefined();
    await a.rows(COMMIT, []);
    await started(reader);
    expect(reader.highWatermark()).toBe(first);
    expect(readPositions).toEqual([]);
  });

  test("for no transaction that writes to other tables, in this database or another database", async () => {
    const [, , c] = writers as [Connection, Connection, Connection];
    await c.rows(BEGIN, []);
    await c.rows(WRITE, []);
    const elsewhere = await testDatabase();
    const far = await elsewhere.connect("public");
    await far.script("create table things (id int); begin; insert into things values (1)");
    await started(await restart());
    await c.rows(COMMIT, []);
    await far.close();
    await elsewhere.close();
  });
});
