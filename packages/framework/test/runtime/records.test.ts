import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { migrate, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { createRecords, type Records } from "../../src/runtime/host-api/records.ts";
import { recordStore } from "../../src/state/records.sql.ts";

let database: Database;
let pool: Pool;
let records: Records;
let present = new Date("2030-01-01T00:00:00.000Z");
let turn = 0;

const of = (project: string, account: string) =>
  createRecords({ store: recordStore(pool), now: () => present }, { project, account });
const pass = (seconds: number) => (present = new Date(present.getTime() + seconds * 1000));

beforeAll(async () => {
  database = await testDatabase({ key: "framework", run: (fresh) => migrate(fresh, APP_SCHEMA, APP_MIGRATIONS) });
  pool = database.pool(APP_SCHEMA, { max: 8 });
});
beforeEach(() => {
  records = of("app", `account-${(turn += 1)}`);
});
afterAll(() => database.close());

describe("$db stores a record", () => {
  test("unchanged until it is deleted", async () => {
    const value = { b: 1, a: [true, null, "ü\u0000\\"], __proto_: {}, "": { deep: 1.5 } };
    expect(await records.set("k", value, undefined)).toEqual({ Created: true });
    expect(JSON.stringify(await records.get("k"))).toBe(JSON.stringify(value));
    expect(await records.delete("k")).toEqual({ Deleted: true });
    await expect(records.get("k")).rejects.toMatchObject({ status: 404, message: "Record not found" });
    await expect(records.delete("k")).rejects.toMatchObject({ status: 404 });
  });

  test("separately from those of other apps and accounts", async () => {
    await of("one", "acme").set("k", { of: 1 }, undefined);
    await of("two", "acme").set("k", { of: 2 }, undefined);
    expect(await of("one", "acme").get("k")).toEqual({ of: 1 });
    await expect(of("one", "solo").get("k")).rejects.toMatchObject({ status: 404 });
  });

  test("for its ttl, after which it doesn't exist", async () => {
    await records.set("k", { a: 1 }, { ttl: 60 });
    pass(59);
    expect(await records.get("k")).toEqual({ a: 1 });
    pass(1);
    await expect(records.get("k")).rejects.toMatchObject({ status: 404 });
    await expect(records.update("k", "remove", ["a"])).rejects.toMatchObject({ status: 404 });
    await expect(records.delete("k")).rejects.toMatchObject({ status: 404 });
    await expect(records.set("k", { a: 2 }, { setIf: "exist" })).rejects.toMatchObject({ status: 400 });
    await records.set("k", { a: 3 }, { setIf: "not_exist" });
    expect(await records.get("k")).toEqual({ a: 3 });
  });

  test.each([0, -5, undefined])("without expiry with the ttl %s", async (ttl) => {
    await records.set("k", { a: 1 }, { ttl });
    pass(86_400 * 3650);
    expect(await records.get("k")).toEqual({ a: 1 });
  });

  test("under the conditions of setIf", async () => {
    const refused = { status: 400, message: "The setIf conditional request failed" };
    await expect(records.set("k", { a: 1 }, { setIf: "exist" })).rejects.toMatchObject(refused);
    await records.set("k", { a: 1 }, { setIf: "not_exist" });
    await expect(records.set("k", { a: 2 }, { setIf: "not_exist" })).rejects.toMatchObject(refused);
    expect(await records.get("k")).toEqual({ a: 1 });
    await records.set("k", { a: 3 }, { setIf: "exist" });
    expect(await records.get("k")).toEqual({ a: 3 });
  });
});

describe("concurrently", () => {
  test("exactly one setIf not_exist succeeds, also over an expired record", async () => {
    for (const prepare of [async () => {}, () => records.set("k", {}, { ttl: 1 }).then(() => void pass(2))]) {
      await records.delete("k").catch(() => undefined);
      await prepare();
      const tries = Array.from({ length: 40 }, (_, by) =>
        records.set("k", { by }, { setIf: "not_exist" }).then(() => by),
      );
      const outcomes = await Promise.allSettled(tries);
      const won = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(won).toHaveLength(1);
      expect(await records.get("k")).toEqual({ by: won[0] });
    }
  });

  test("no increment of an initially absent key is lost", async () => {
    await Promise.all(Array.from({ length: 40 }, () => records.update("k", "increment", { n: 1 })));
    expect(await records.get("k")).toEqual({ n: 40 });
  });

  test("no increment and no append is lost", async () => {
    await records.set("k", { n: 5, list: [] }, undefined);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 ? records.update("k", "increment", { n: 1 }) : records.update("k", "append", { list: [index] }),
      ),
    );
    const { n, list } = (await records.get("k")) as { n: number; list: number[] };
    expect(n).toBe(25);
    expect(new Set(list).size).toBe(20);
  });
});

describe("$db.update", () => {
  test.each([
    ["increment", { n: 2, fresh: 1 }, { n: 3, s: "x", list: [1], fresh: 1 }],
    ["increment", { n: -0.5 }, { n: 0.5, s: "x", list: [1] }],
    ["append", { list: [2, 3], fresh: ["a"] }, { n: 1, s: "x", list: [1, 2, 3], fresh: ["a"] }],
    ["set", { s: { a: 1 }, fresh: null }, { n: 1, s: { a: 1 }, list: [1], fresh: null }],
    ["remove", ["n", "gone"], { s: "x", list: [1] }],
  ])("%s with %j succeeds", async (action, attributes, after) => {
    await records.set("k", { n: 1, s: "x", list: [1] }, undefined);
    expect(await records.update("k", action, attributes)).toEqual({ Updated: true });
    expect(await records.get("k")).toEqual(after);
  });

  test.each([
    ["increment", { n: 2 }, { n: 2 }],
    ["append", { list: ["a"] }, { list: ["a"] }],
    ["set", { a: 1, "b.c": 2 }, { a: 1, b: { c: 2 } }],
  ])("%s of an absent or expired key stores it without expiry: %j", async (action, attributes, after) => {
    for (const prepare of [async () => {}, () => records.set("k", { n: 9 }, { ttl: 1 }).then(() => void pass(2))]) {
      await records.delete("k").catch(() => undefined);
      await prepare();
      expect(await records.update("k", action, attributes)).toEqual({ Updated: true });
      pass(86_400 * 365);
      expect(await records.get("k")).toEqual(after);
    }
  });

  test("remove of an absent key answers 404 and stores nothing", async () => {
    await expect(records.update("k", "remove", ["a"])).rejects.toMatchObject({
      status: 404,
      message: "Record not found",
    });
    await expect(records.get("k")).rejects.toMatchObject({ status: 404 });
  });

  test("rejected for an absent key stores nothing", async () => {
    await expect(records.update("k", "increment", { n: "1" })).rejects.toMatchObject({ status: 400 });
    await expect(records.get("k")).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    [{ "a.b": 2 }, { a: { b: 2, c: 1 }, "x.y": 0, list: [1] }],
    [{ "a.d.e": 2 }, { a: { b: 1, c: 1, d: { e: 2 } }, "x.y": 0, list: [1] }],
    [
      { "logs.ticket_id:7.Spent": 5 },
      { a: { b: 1, c: 1 }, "x.y": 0, list: [1], logs: { "ticket_id:7": { Spent: 5 } } },
    ],
    [{ "x.y": 1 }, { a: { b: 1, c: 1 }, "x.y": 1, list: [1] }],
    [{ "a..b": 1 }, { a: { b: 1, c: 1 }, "x.y": 0, list: [1], "a..b": 1 }],
  ])("set follows a dotted path unless an attribute has that name: %j", async (attributes, after) => {
    await records.set("k", { a: { b: 1, c: 1 }, "x.y": 0, list: [1] }, undefined);
    await records.update("k", "set", attributes);
    expect(await records.get("k")).toEqual(after);
  });

  test.each([
    [{ "list.0": 1 }, "set: 'list' holds no attributes, so that 'list.0' can't be set in it"],
    [{ "n.a.b": 1 }, "set: 'n' holds no attributes, so that 'n.a.b' can't be set in it"],
  ])("set rejects a path through a value that is not an object: %j", async (attributes, message) => {
    await records.set("k", { n: 1, list: [1] }, undefined);
    await expect(records.update("k", "set", attributes)).rejects.toMatchObject({ status: 400, message });
  });

  test.each(['{"__proto__":{"polluted":1}}', '{"__proto__.polluted":1}'])(
    "rejects an attribute called __proto__ and changes no prototype: %s",
    async (text) => {
      await records.set("k", { n: 1 }, undefined);
      await expect(records.update("k", "set", JSON.parse(text))).rejects.toMatchObject({
        status: 400,
        message: "The name __proto__ is reserved: choose another name.",
      });
      expect(await records.get("k")).toEqual({ n: 1 });
      expect(Reflect.get({}, "polluted")).toBeUndefined();
    },
  );

  test.each([
    ["increment", { s: 1 }, "increment takes numbers: 's' is not a number"],
    ["increment", { n: "1" }, "increment takes numbers: 'n' is not a number"],
    ["append", { list: 1 }, "append takes lists: 'list' is not a list"],
    ["append", { n: [1] }, "append takes lists: 'n' is not a list"],
    ["remove", { n: 1 }, "remove takes a list of attributes"],
    ["set", [1], "set takes an object of attributes"],
    ["constructor", {}, "The action must be one of increment, append, set, remove"],
    [undefined, {}, "The action must be one of increment, append, set, remove"],
  ])("rejects %s with %j and changes nothing", async (action, attributes, message) => {
    await records.set("k", { n: 1, s: "x", list: [1] }, undefined);
    await expect(records.update("k", action, attributes)).rejects.toMatchObject({ status: 400, message });
    expect(await records.get("k")).toEqual({ n: 1, s: "x", list: [1] });
  });

  test("rejects an update that exceeds the size limit of a record", async () => {
    await records.set("k", { s: "x".repeat(40_000) }, undefined);
    await expect(records.update("k", "set", { t: "x".repeat(2_000) })).rejects.toMatchObject({ status: 400 });
  });
});

describe("$db rejects", () => {
  test.each([
    ["an empty key", "", {}],
    ["a long key", "k".repeat(61), {}],
    ["a key that is not a text", 7, {}],
    ["a value that is not an object", "k", "text"],
    ["a list", "k", [1]],
    ["a large value", "k", { s: "x".repeat(41_000) }],
  ])("%s", async (_title, key, value) => {
    await expect(records.set(key, value, undefined)).rejects.toMatchObject({ name: "AppRefused", status: 400 });
  });

  test.each([{ setIf: "maybe" }, { ttl: "1" }, { ttl: Infinity }, { ttl: 1e12 }])("the options %j", async (options) => {
    await expect(records.set("k", {}, options)).rejects.toMatchObject({ status: 400 });
  });

  test("$db accepts a key of 60 characters and a record of 40 KB", async () => {
    const key = "ü".repeat(60);
    const room = 40 * 1024 - Buffer.byteLength(key) - '{"s":""}'.length;
    await expect(records.set(key, { s: "x".repeat(room) }, undefined)).resolves.toEqual({ Created: true });
    await expect(records.set(key, { s: "x".repeat(room + 1) }, undefined)).rejects.toMatchObject({ status: 400 });
  });
});
