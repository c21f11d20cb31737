import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

const ENTITIES = {
  orders: {
    fields: [
      { name: "name", label: "Name", type: "text", required: true, filterable: true },
      { name: "note", label: "Note", type: "paragraph" },
      { name: "count", label: "Count", type: "integer", filterable: true },
      { name: "price", label: "Price", type: "float" },
      { name: "due", label: "Due", type: "date", filterable: true },
      { name: "at", label: "At", type: "datetime", filterable: true },
      { name: "paid", label: "Paid", type: "boolean", filterable: true },
      {
        name: "state",
        label: "State",
        type: "enum",
        filterable: true,
        choices: [
          { id: 1, value: "Open" },
          { id: 2, value: "Sent" },
        ],
      },
      {
        name: "address",
        label: "Address",
        type: "section",
        fields: [{ name: "zip", label: "Zip", type: "text", filterable: true }],
      },
    ],
  },
  others: { fields: [{ name: "name", label: "Name", type: "text" }] },
  earlier: {
    fields: [
      { name: "name", label: "Name", type: "TEXT", filterable: true },
      { name: "note", label: "Note", type: "PARAGRAPH" },
      { name: "slot", label: "Slot", type: "NUMBER", filterable: true },
      { name: "at", label: "At", type: "DATE_TIME" },
    ],
  },
};
const SERVER = `exports = { use: async ({ entity = "orders", action, given = [], version = "v1" }) => {
  try {
    const reference = await $db.entity({ version }).get(entity);
    renderData(null, (await reference[action](...given)) ?? null);
  } catch (error) { renderData(null, { failure: { message: error.message, ...error } }); }
} };`;
const manifest = {
  "platform-version": "3.0",
  modules: { common: { functions: { use: {} } }, chat_conversation: {} },
};

let fixture: AppFixture;
beforeAll(async () => {
  fixture = await appFixture({ server: SERVER, manifest, files: { "config/entities.json": ENTITIES } });
});
afterAll(() => fixture.close());
beforeEach(() => fixture.install());
afterEach(() => fixture.host.uninstall());

type Data = Record<string, unknown>;
interface StoredEntity {
  readonly record: { readonly display_id: string; readonly data: Data };
}
const use = async (action: string, ...args: unknown[]): Promise<unknown> =>
  (await fixture.call("use", { action, given: args })).output;
const create = async (data: Data) => ((await use("create", data)) as StoredEntity).record.display_id;
const namesOf = async (query: object) =>
  ((await use("getAll", { query })) as { records: { data: Data }[] }).records.map(({ data }) => data["name"]);
const failure = async (action: string, ...args: unknown[]) =>
  ((await use(action, ...args)) as { failure: { status: number; message: string; errors?: unknown } }).failure;

describe("an entity's records are", () => {
  test("created, read, updated and deleted, each under its own display_id that is never reused", async () => {
    const data = {
      name: "A",
      count: 3,
      price: 1.5,
      due: "2026-01-31",
      paid: false,
      state: "Open",
      zip: "8001",
      note: null,
    };
    const created = (await use("create", data)) as StoredEntity;
    expect(created).toEqual({
      record: {
        display_id: expect.stringMatching(/^[a-z]{5}-1$/),
        created_time: expect.any(String),
        updated_time: expect.any(String),
        data,
      },
    });
    const id = created.record.display_id;
    expect(await use("get", id)).toEqual(created);
    expect(await use("update", id, { count: 4 })).toMatchObject({
      record: { display_id: id, data: { ...data, count: 4 } },
    });
    expect(await use("delete", id)).toEqual({});
    expect(await failure("get", id)).toEqual({ status: 404, message: "Record not found", errorSource: "APP" });
    expect(await failure("delete", id)).toMatchObject({ status: 404 });
    expect(await create({ name: "B" })).toMatch(/-2$/);
  });

  test("found by filterable fields, alone, together, by $or and by $and; a choice by its text or its id", async () => {
    await create({ name: "A", count: 1, state: "Open", zip: "1", paid: true });
    await create({ name: "B", count: 2, state: "1", zip: "1", at: "2026-01-31T08:00:00.000Z" });
    await create({ name: "C", count: 2, state: 2, due: "2026-01-31" });
    expect(await namesOf({})).toEqual(["A", "B", "C"]);
    expect(await namesOf({ count: 2 })).toEqual(["B", "C"]);
    expect(await namesOf({ count: 2, zip: "1" })).toEqual(["B"]);
    expect(await namesOf({ $or: [{ name: "A" }, { name: "C" }] })).toEqual(["A", "C"]);
    expect(await namesOf({ $and: [{ count: 2 }, { zip: "1" }] })).toEqual(["B"]);
    expect(await namesOf({ count: 2, $or: [{ name: "A" }, { name: "C" }] })).toEqual(["C"]);
    expect(await namesOf({ $and: [{ count: 1 }, { count: 2 }] })).toEqual([]);
    expect(await namesOf({ $and: [{ state: 1 }, { state: "Open" }] })).toEqual(["A", "B"]);
    expect(await namesOf({ state: "Open" })).toEqual(["A", "B"]);
    expect(await namesOf({ state: 2 })).toEqual(["C"]);
    expect(await namesOf({ paid: true })).toEqual(["A"]);
    expect(await namesOf({ at: "2026-01-31T08:00:00.000Z" })).toEqual(["B"]);
    expect(await namesOf({ name: "%" })).toEqual([]);
  });

  test("supported with the type names of earlier apps", async () => {
    const data = { name: "A", note: "b", slot: 1.5, at: "2026-01-31T08:00" };
    const earlier = async (action: string, given: unknown) =>
      (await fixture.call("use", { entity: "earlier", action, given: [given] })).output;
    expect(await earlier("create", data)).toMatchObject({ record: { data } });
    expect(await earlier("getAll", { query: { slot: 1.5 } })).toMatchObject({ records: [{ data }] });
    expect(await earlier("create", { slot: "1" })).toMatchObject({ failure: { status: 400 } });
  });

  test("listed in pages of 100 with a marker for the next page", async () => {
    for (let made = 0; made < 203; made += 29)
      await Promise.all(Array.from({ length: 29 }, () => create({ name: "N", count: made })));
    interface Page {
      readonly records: { display_id: string }[];
      readonly links: { next?: { marker: string } };
    }
    const seen: string[] = [];
    let next: { marker: string } | undefined;
    const sizes: number[] = [];
    do {
      const page = (await use("getAll", { query: { name: "N" }, ...(next && { next }) })) as Page;
      sizes.push(page.records.length);
      seen.push(...page.records.map(({ display_id }) => display_id));
      next = page.links.next;
    } while (next);
    expect(sizes).toEqual([100, 100, 3]);
    expect(new Set(seen).size).toBe(203);
  });

  test("deleted by an uninstallation, including their numbering", async () => {
    await create({ name: "A" });
    await fixture.host.uninstall();
    const rows = await fixture.database
      .pool(APP_SCHEMA)
      .rows(statement("", "select entity from entity_records union select entity from entity_counters"), []);
    expect(rows).toEqual([]);
    await fixture.install();
    expect(await create({ name: "A" })).toMatch(/-1$/);
  });
});

test("an entity returns its schema", async () => {
  expect(await use("schema")).toEqual({
    id: 1,
    name: "orders",
    prefix: expect.stringMatching(/^[a-z]{5}$/),
    fields: ENTITIES.orders.fields,
  });
});

describe("an invalid request to an entity is rejected by field:", () => {
  test.each<[string, unknown[], string, string]>([
    ["create", [{}], "name", "name is required"],
    ["create", [{ name: null }], "name", "name is required"],
    ["create", [{ name: "x".repeat(65) }], "name", "name should be a text of at most 64 characters"],
    ["create", [{ name: "a\0b" }], "name", "name should be a text of at most 64 characters"],
    ["create", [{ name: "A", count: 1.5 }], "count", "count should be a whole number of at most 15 digits"],
    ["create", [{ name: "A", count: 1e15 }], "count", "count should be a whole number of at most 15 digits"],
    ["create", [{ name: "A", price: "1" }], "price", "price should be a number"],
    ["create", [{ name: "A", paid: 1 }], "paid", "paid should be true or false"],
    ["create", [{ name: "A", due: "31.1.2026" }], "due", "due should be a date such as 2026-01-31"],
    ["create", [{ name: "A", at: "now" }], "at", "at should be a time in ISO 8601, such as 2026-01-31T08:00:00.000Z"],
    ["create", [{ name: "A", state: "Lost" }], "state", "state should be one of its choices"],
    ["create", [{ name: "A", address: {} }], "address", "address is not a field of this entity"],
    ["create", ["text"], "record", "A record is an object of its fields"],
    ["update", ["abcde-1", { name: null }], "name", "name is required"],
  ])("%s %j", async (action, given, name, message) => {
    expect(await failure(action, ...given)).toEqual({
      status: 400,
      message: "Invalid input field",
      errors: [{ name, message }],
      errorSource: "APP",
    });
  });

  test.each<[object, string]>([
    [
      { query: { note: "x" } },
      `note can't be filtered by: its field has no "filterable": true in config/entities.json`,
    ],
    [{ query: { gone: 1 } }, "gone is neither a field of this entity nor an operator: the operators are $or and $and"],
    [{ query: { $gt: 1 } }, "$gt is neither a field of this entity nor an operator: the operators are $or and $and"],
    [{ query: { $or: [] } }, "$or takes a list of conditions"],
    [{ query: { count: { $gt: 1 } } }, "count should be a whole number of at most 15 digits"],
    [{ query: "x" }, "A query is an object of fields and their values"],
    [{ query: { $or: Array(101).fill({ name: "A" }) } }, "A query may come to 100 conditions"],
    [{ next: { marker: "x" } }, "next.marker is the one of links.next of an earlier answer"],
  ])("getAll %j", async (options, message) => {
    expect(await failure("getAll", options)).toEqual({ status: 400, message, errorSource: "APP" });
  });

  test("an undeclared entity, an id of another entity, another version", async () => {
    const by = async (args: object) => ((await fixture.call("use", args)).output as { failure: object }).failure;
    expect(await by({ entity: "gone", action: "getAll" })).toMatchObject({
      status: 404,
      message: "The entity 'gone' is not declared in config/entities.json; declared are orders, others, earlier",
    });
    const id = await create({ name: "A" });
    expect(await by({ entity: "others", action: "get", given: [id] })).toMatchObject({ status: 404 });
    expect(await by({ version: "v2", action: "getAll" })).toMatchObject({
      message: `Entity storage has the version v1 only: call entity({ version: "v1" })`,
    });
  });
});
