import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ImportProgress } from "@parley/contract";
import { ADMIN_KEY } from "../../administration/endpoints/admin-harness.ts";
import { importHarness, linesOf, type ImportHarness } from "./import-harness.ts";

let d: ImportHarness;
beforeAll(async () => {
  d = await importHarness();
  await d.applyOrThrow({ name: "shop", channels: [{ name: "Inbox" }] });
});
afterAll(() => d.close());

const people = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: "user",
    id: `u-${from + index}`,
    created_time: new Date(Date.UTC(2024, 0, 1) + (from + index) * 60_000).toISOString(),
  }));

/** A request whose body and response both stay open. */
const opened = async (first: string): Promise<{ sent: ClientRequest; response: IncomingMessage }> => {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/x-ndjson" };
  const sent = request(`${d.url}/admin/import?account=shop`, { method: "POST", headers });
  sent.on("error", () => undefined);
  sent.write(first);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { sent, response };
};

test("POST /admin/import 200 reports each batch after its commit, while the body is still being sent", async () => {
  const { sent, response } = await opened(`${linesOf(people(0, 1_500))}\n`);
  const lines: ImportProgress[] = [];
  for await (const line of createInterface({ input: response })) {
    const progress = JSON.parse(line) as ImportProgress;
    lines.push(progress);
    if (lines.length > 1) continue;
    expect(progress).toMatchObject({ line: 1_000, done: false, created: 1_000 });
    expect(await d.countRows("users", "reference_id like 'u-%'")).toBe(1_000);
    sent.end(linesOf(people(1_500, 100)));
  }
  expect(lines.at(-1)).toMatchObject({ line: 1_600, done: true, created: 1_600, refused: 0 });
});

test("POST /admin/import 200 that ends before its body keeps the connection usable", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/x-ndjson" };
  const firstLineOf = async (body: string): Promise<ImportProgress | undefined> => {
    const sent = request(`${d.url}/admin/import?account=shop`, { method: "POST", headers, agent });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const [last] = (await text(response)).trim().split("\n").slice(-1);
    return last === undefined ? undefined : (JSON.parse(last) as ImportProgress);
  };
  const many = linesOf(people(30_000, 30_000));
  expect(await firstLineOf(`{}\n${many}`)).toMatchObject({ line: 0, done: false, refused: 1 });
  expect(await firstLineOf(linesOf(people(0, 1)))).toMatchObject({ line: 1, done: true });
  expect(Object.values(agent.sockets).concat(Object.values(agent.freeSockets)).flat()).toHaveLength(1);
  agent.destroy();
});

test("POST /admin/import 200 with the same file continues an interrupted import", async () => {
  const all = people(10_000, 9_000);
  const { sent, response } = await opened(`${linesOf(all.slice(0, 5_000))}\n`);
  response.on("error", () => undefined);
  await once(response, "data");
  sent.destroy();
  const { last } = await d.importRecords(all, "?account=shop");
  expect(last).toMatchObject({ line: 9_000, done: true, refused: 0 });
  expect(last.created + last.unchanged).toBe(9_000);
  expect(last.unchanged).toBeGreaterThanOrEqual(1_000);
  expect(await d.countRows("users", "reference_id like 'u-1____'")).toBe(9_000);
});

test("GET /admin/export 200 returns what was created or changed since a time", async () => {
  const { records } = await d.exportRecords("?account=shop&since=2024-01-02T00:00:00Z");
  const [first, ...rest] = records;
  expect(first).toMatchObject({ type: "account", name: "shop" });
  const times = rest.flatMap((record) => (record.type === "user" ? [record.created_time] : []));
  expect(times.length).toBe(160 + 9_000);
  expect(times.every((time) => time >= "2024-01-02T00:00:00.000Z")).toBe(true);
});
