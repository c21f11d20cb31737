import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { setTimeout } from "node:timers/promises";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";
import { completeDocument, COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";

let w: AdminHarness;
let pool: Pool;
beforeAll(async () => {
  w = await adminHarness();
  pool = w.database.pool(SERVICE_SCHEMA, { max: 3 });
});
afterAll(async () => {
  await pool.end();
  await w.close();
});

/** Others may read the table, none may write to it. */
const LOCK_HOURS = statement("", "lock table business_hours in exclusive mode");
/** Sessions that wait for a lock inside a transaction that has written. */
const WAITING = statement(
  "",
  `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and backend_xid is not null`,
);
const END = statement("", "select pg_terminate_backend($1)");

test("two concurrent runs of one document create one account, and the second one has nothing to change", async () => {
  const other = await adminHarness({ database: w.database });
  const runs = await Promise.all(
    Array.from({ length: 6 }, (_, index) => (index % 2 ? w : other).applyOrThrow(COMPLETE_DOCUMENT)),
  );
  expect(runs.filter(({ created }) => created)).toHaveLength(1);
  expect(runs.filter(({ changes }) => changes.length > 0)).toHaveLength(1);
  const { channels, groups } = await w.exportDocument("lamps");
  expect([channels?.length, groups?.length]).toEqual([2, 2]);
  await other.close();
});

test("two concurrent runs of different documents for one account keep the changes of both", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `Team ${index}`);
  await Promise.all(names.map((name) => w.applyOrThrow({ name: "lamps", groups: [{ name }] })));
  const found = (await w.exportDocument("lamps")).groups?.map(({ name }) => name);
  expect(found).toEqual(expect.arrayContaining(names));
});

test("an export never contains a part of a run", async () => {
  await w.applyOrThrow({ name: "twin", groups: [{ name: "A", description: "0" }], templates: [] });
  const run = (count: number) => {
    const template = { namespace: "n", name: "t", language: "en", status: "approved", body: { text: String(count) } };
    return w.applyOrThrow({ name: "twin", groups: [{ name: "A", description: String(count) }], templates: [template] });
  };
  await run(0);
  let over = false;
  const writing = (async () => {
    for (let count = 1; count <= 25; count++) await run(count);
    over = true;
  })();
  while (!over) {
    const { groups, templates } = await w.exportDocument("twin");
    expect(templates?.[0]?.body.text).toBe(groups?.[0]?.description);
  }
  await writing;
});

describe("an interrupted request has no effect", () => {
  /** Runs the request while the last table to be written is locked; `during` is called when the request has written all the others. */
  const held = async (during: (pid: number) => Promise<void>) => {
    let release = () => {};
    const free = new Promise<void>((resolve) => (release = resolve));
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const holder = pool.transaction(async (tx) => {
      await tx.rows(LOCK_HOURS, []);
      locked();
      await free;
    });
    await isLocked;
    return {
      async meet() {
        for (;;) {
          const found = await pool.one<{ pid: number }>(WAITING, []);
          if (found) return during(found.pid);
          await setTimeout(10);
        }
      },
      async end() {
        release();
        await holder;
      },
    };
  };

  test.each([
    ["a change", "lamps", 200],
    ["a new account", "half", 404],
  ])("%s: its connection is cut", async (_, name, code) => {
    // Read by another transaction than the terminated one: uncommitted changes are invisible.
    const before = (await w.adminRequest("GET", `/admin/accounts/${name}`)).body;
    const lock = await held(async (pid) => {
      await pool.rows(END, [pid]);
    });
    // The only new object is in the locked table, which is written last.
    const document = completeDocument({
      name,
      plan_type: "Free",
      groups: [{ name: "Sales" }, { name: "Night" }],
      business_hours: [{ timezone: "Asia/Tokyo", week: {} }],
    });
    const run = w.applyDocument(document);
    await lock.meet();
    await lock.end();
    const response = await run;
    expect([response.code, response.body.status]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    const after = await w.adminRequest("GET", `/admin/accounts/${name}`);
    expect(after.code).toBe(code);
    expect(after.body).toEqual(before);
    expect((await w.applyOrThrow(document)).changes).toContainEqual(
      expect.objectContaining({ section: "groups", name: "Night", change: "create" }),
    );
  });
});
