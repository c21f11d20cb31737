import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { SeedDocument } from "@parley/contract";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { ROOT } from "../../../test/support/parley-process.ts";
import { localServiceHarness, type LocalServiceHarness } from "./local-service-harness.ts";

/** Data that a seed document creates, and documents that are rejected. */

let harness: LocalServiceHarness;
let example: SeedDocument;
beforeAll(async () => {
  harness = await localServiceHarness();
  example = JSON.parse(await readFile(join(ROOT, "docs/examples/seed.json"), "utf8")) as SeedDocument;
});
afterAll(() => harness.close());
beforeEach(() =>
  harness
    .requestSuccessfully("POST", "/snapshots/start/load")
    .catch(() => harness.requestSuccessfully("POST", "/reset")),
);

const seed = (document: unknown, query = "") => harness.request("POST", `/seed${query}`, document);
const userNamed = async (reference_id: string) =>
  (await harness.client.users.listUsers({ query: { reference_id } })).users[0];
const conversationOf = async (reference_id: string) => {
  const user = await userNamed(reference_id);
  const { conversations } = await harness.client.users.listUserConversations({ params: { user_id: user?.id ?? "" } });
  const params = { conversation_id: conversations[0]?.id ?? "" };
  const { messages } = await harness.client.messages.listMessages({ params, query: {} });
  return { ...(await harness.client.conversations.getConversation({ params })), messages };
};

test("POST /admin/world/seed answers 200 with the number of created records, each with its time", async () => {
  const { status, body } = await seed(example);
  expect(status).toBe(200);
  expect(body).toMatchObject({ accounts: 0, agents: 1, users: 2, conversations: 2, messages: 4 });
  const { agents } = await harness.client.agents.listAgents({ query: { items_per_page: 100 } });
  const iris = agents.find(({ email }) => email === "iris@acme.example");
  expect(await userNamed("ben")).toMatchObject({
    phone: "+12025550104",
    created_time: "2025-11-03T09:00:00.000Z",
    properties: [{ name: "plan", value: "trial" }],
  });
  const { messages, ...conversation } = await conversationOf("ada");
  expect(conversation).toMatchObject({ status: "resolved", properties: { priority: "Low" } });
  const times = messages.map(({ created_time, actor_type, actor_id }) => [created_time, actor_type, actor_id]);
  const ada = (await userNamed("ada"))?.id;
  expect(times.filter(([, type]) => type !== "system")).toEqual(
    [
      ["2025-11-03T10:00:00.000Z", "user", ada],
      ["2025-11-03T10:01:00.000Z", "agent", iris?.id],
      ["2025-11-03T10:30:00.000Z", "user", ada],
    ].reverse(),
  );
  expect((await harness.state()).clock.mode).toBe("real");
});

test("a reset restores the newest seed, and the initial seed is kept under the name start", async () => {
  await seed(example);
  await harness.client.users.updateUser({
    params: { user_id: (await userNamed("ada"))?.id ?? "" },
    body: { first_name: "Changed" },
  });
  await harness.requestSuccessfully("POST", "/reset");
  expect(await userNamed("ada")).toMatchObject({ first_name: "Ada" });
  expect((await harness.state()).snapshots.map(({ name }) => name)).toEqual(expect.arrayContaining(["seed", "start"]));
});

test("a document seeded twice creates its records once; with replacement, only they and the initial data exist", async () => {
  await seed({ users: [{ reference_id: "cleo", first_name: "Cleo" }] });
  await seed({ users: [{ reference_id: "cleo", first_name: "Cleopatra" }] }, "?keep_seed=true");
  const { users } = await harness.client.users.listUsers({ query: { reference_id: "cleo" } });
  expect(users.map(({ first_name }) => first_name)).toEqual(["Cleopatra"]);
  await harness.requestSuccessfully("POST", "/reset");
  expect(await userNamed("cleo")).toMatchObject({ first_name: "Cleo" });
  await seed({ users: [{ reference_id: "dan", first_name: "Dan" }] }, "?anew=true");
  expect([await userNamed("cleo"), (await userNamed("dan"))?.first_name]).toEqual([undefined, "Dan"]);
});

test("a seed document with an account creates it, and its conversations use it by name", async () => {
  const { status } = await seed({
    accounts: [{ name: "fresh", channels: [{ name: "Shop" }] }],
    account: "fresh",
    users: [{ reference_id: "eve", first_name: "Eve" }],
    conversations: [{ user: "eve", channel: "Shop", messages: [{ text: "Hello" }] }],
  });
  expect(status).toBe(200);
  expect(await userNamed("eve")).toBeUndefined();
});

test("seeding sends no events to apps", async () => {
  const received: string[] = [];
  const eventServer = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => received.push(chunk.toString())).on("end", () => response.end());
  });
  await new Promise<void>((resolve) => eventServer.listen(0, "127.0.0.1", resolve));
  const { port } = eventServer.address() as AddressInfo;
  await harness.local.admin.subscribe({ account: "acme", name: "ears", kind: "app", url: `http://127.0.0.1:${port}/` });
  await seed(example);
  await harness.createConversation("real");
  await waitUntil(() => received.join("").includes("message_create"));
  expect(received.join("")).not.toContain("ada@customer.example");
  eventServer.closeAllConnections();
  eventServer.close();
});

const ADA = { reference_id: "ada", first_name: "Ada" };
const says = (...messages: object[]) => ({
  users: [ADA],
  conversations: [{ user: "ada", channel: "Inbox", messages }],
});

describe("POST /admin/world/seed answers 400 INVALID_VALUE with the location for", () => {
  test.each<[string, unknown, string]>([
    ["an empty document", {}, "accounts, agents, users or conversations"],
    ["a member of the wrong type", { users: [{ first_name: 7 }] }, "first_name"],
    ["a duplicate user", { users: [ADA, ADA] }, "users[1].reference_id"],
    ["a future time", { users: [{ ...ADA, created_time: "2199-01-01T00:00:00Z" }] }, "users[0].created_time"],
    ["a message without text", says({}), "conversations[0].messages[0]"],
    ["an agent's message without a name", says({ actor_type: "agent", text: "Hi" }), "messages[0].agent"],
    [
      "descending times",
      says(
        { text: "a", created_time: "2025-01-02T00:00:00.000Z" },
        { text: "b", created_time: "2025-01-01T00:00:00.000Z" },
      ),
      "messages[1].created_time",
    ],
    [
      "a time after a message without a time",
      says({ text: "a" }, { text: "b", created_time: "2025-01-01T00:00:00.000Z" }),
      "messages[1].created_time",
    ],
  ])("%s", async (_, document, place) => {
    const { status, body } = await seed(document);
    expect([status, body["status"]]).toEqual([400, "INVALID_VALUE"]);
    expect(body["message"]).toContain(place);
  });
});

describe("POST /admin/world/seed answers 409 SEED_REFUSED with the location and keeps nothing for", () => {
  test.each<[string, object, string]>([
    ["an unknown topic", { channel: "Nowhere" }, "conversations[0].channel: there is no channel 'Nowhere'"],
    ["an unknown user", { user: "nobody" }, "conversations[0].user: there is no user 'nobody'"],
    ["an unknown group", { assigned_group: "None" }, "conversations[0].assigned_group"],
    ["a value that the service rejects", { status: "assigned" }, "conversations[0]: "],
  ])("%s", async (_, change, place) => {
    const conversation = { user: "ada", channel: "Inbox", messages: [{ text: "Hello" }], ...change };
    const { status, body } = await seed({ users: [ADA], conversations: [conversation] });
    expect([status, body["status"]]).toEqual([409, "SEED_REFUSED"]);
    expect(body["message"]).toContain(place);
    expect(await userNamed("ada")).toBeUndefined();
  });
});
