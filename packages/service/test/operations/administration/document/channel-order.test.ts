import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";
import { COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";

/** `GET /channels` lists channels in the order of the account document that was applied last. */

let w: AdminHarness;
let client: ParleyClient;
beforeAll(async () => {
  w = await adminHarness();
  await w.applyOrThrow({ ...COMPLETE_DOCUMENT, channels: [] });
  const { token } = await w.admin.issueToken({ account: "lamps", name: "test" });
  client = parleyClient({ url: w.url, token });
});
afterAll(() => w.close());

const NAMES = ["A", "B", "C", "D"];
const named = (names: readonly string[]) => names.map((name) => ({ name }));
beforeEach(async () => {
  await w.applyOrThrow({ name: "lamps", channels: [], prune: ["channels"] });
  await w.applyOrThrow({ name: "lamps", channels: named(NAMES) });
});

const listed = async () => (await client.channels.listChannels()).channels.map(({ name }) => name);

test.each([
  ["the first moves to the end", ["B", "C", "D", "A"], ["A"]],
  ["the last moves to the beginning", ["D", "A", "B", "C"], ["A", "B", "C"]],
  ["two neighbours change places", ["A", "C", "B", "D"], ["B"]],
  ["all are reversed", ["D", "C", "B", "A"], ["C", "B", "A"]],
  ["nothing changes", NAMES, []],
])("PUT /admin/accounts/{account} 200 orders channels: %s", async (_title, order, reported) => {
  const document = { name: "lamps", channels: named(order) };
  const { changes } = await w.applyOrThrow(document);
  expect(changes).toEqual(
    reported.map((name) => ({ change: "update", section: "channels", name, members: ["order"] })),
  );
  expect(await listed()).toEqual(order);
  expect((await w.applyOrThrow(document)).changes).toEqual([]);
});

test("PUT /admin/accounts/{account} 200 keeps the order of a list in which one channel changes", async () => {
  const document = { name: "lamps", channels: NAMES.map((name) => ({ name, ...(name === "B" && { tags: ["new"] }) })) };
  const { changes } = await w.applyOrThrow(document);
  expect(changes).toEqual([{ change: "update", section: "channels", name: "B", members: ["tags"] }]);
  expect(await listed()).toEqual(NAMES);
});

test("PUT /admin/accounts/{account} 200 does not write channels that precede the changed ones", async () => {
  const timesOf = async () =>
    Object.fromEntries(
      (await client.channels.listChannels()).channels.map(({ name, updated_time }) => [name, updated_time]),
    );
  const before = await timesOf();
  await w.applyOrThrow({ name: "lamps", channels: named(["A", "C", "B"]) });
  const after = await timesOf();
  expect([after["A"], after["C"], after["D"]]).toEqual([before["A"], before["C"], before["D"]]);
  expect(Date.parse(after["B"] ?? "")).toBeGreaterThan(Date.parse(before["B"] ?? ""));
});
