import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { parleyClient } from "@parley/client";
import type { AdminDelivery, AdminSubscription } from "@parley/contract";
import { commandHarness, type CommandHarness } from "./command-harness.ts";

/** `parley deliveries` against a running instance with an endpoint that rejects events. */

let harness: CommandHarness;
let server: Server;
let status = 404;
let requestCount = 0;
let name: string;
beforeAll(async () => {
  harness = await commandHarness();
  server = createServer((request, response) => {
    requestCount += 1;
    request.resume().on("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await harness.callSuccessfully(["webhook", "add", url, "-a", "message_create", "--json"]);
  const listed = JSON.parse(await harness.callSuccessfully(["deliveries", "list", "--json"])) as AdminSubscription[];
  name = listed.find((each) => each.url === url)?.name ?? "";
});
afterAll(async () => {
  await harness.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const deliveryList = async (...args: string[]) =>
  JSON.parse(await harness.callSuccessfully(["deliveries", "show", name, "--json", ...args])) as AdminDelivery[];
/** Polls until a delivery has this state. */
const first = (state: string): Promise<AdminDelivery> =>
  waitUntil(async () => (await deliveryList("--state", state))[0], {
    details: () => `no delivery is ${state} after ${requestCount} requests`,
  });

/** Writes a message of a user to the account acme. */
const write = async (): Promise<void> => {
  const { token } = JSON.parse(await harness.callSuccessfully(["token", "create", "--json"])) as { token: string };
  const client = parleyClient({ url: harness.origin, token });
  const { channels } = await client.channels.listChannels({ query: {} });
  const user = await client.users.createUser({ body: { first_name: "Ana" } });
  await client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "hello" } }] }],
    },
  });
};

describe("parley deliveries", () => {
  test("lists a failing event, its dead letter, its replay and its successful delivery", async () => {
    await write();
    const { event_id } = await first("waiting");
    expect(await harness.callSuccessfully(["deliveries", "show", name])).toMatch(
      new RegExp(`${event_id}  message_create  waiting  . tr(y|ies); answered 404; next 20`),
    );
    await harness.callSuccessfully(["clock", "advance", "6m"]);
    await first("aside");
    // Counts are exact only after the subscription's position has been saved.
    const row = new RegExp(`${name} +webhook +on +0 +0 +1 +0 +http`);
    await waitUntil(async () => row.test(await harness.callSuccessfully(["deliveries", "list"])));
    status = 200;
    expect(JSON.parse(await harness.callSuccessfully(["deliveries", "replay", name, "--failed", "--json"]))).toEqual({
      replayed: 1,
    });
    expect(await first("delivered")).toMatchObject({ event_id, replay: true, status: 200 });
    const before = requestCount;
    expect(await harness.callSuccessfully(["deliveries", "replay", name, "--event", event_id])).toContain(
      "1 event is being sent to",
    );
    await waitUntil(() => requestCount > before);
    expect(await harness.callSuccessfully(["deliveries", "show", name, "--state", "dead"])).toBe(
      "There are no such events.\n",
    );
  });

  test.each([
    ["an unknown subscription", ["show", "none"], "Choose from: "],
    ["an unknown account", ["list", "--account", "nobody"], "'npx parley account list' shows"],
    ["a replay without an id", ["replay", "none"], "--failed"],
    ["a replay of two ids", ["replay", "none", "--failed", "--event", "x"], "--failed"],
    ["an invalid time", ["replay", "none", "--from", "yesterday"], "2026-01-31"],
    ["an invalid count", ["show", "none", "--limit", "all"], "at least 1, not"],
  ])("rejects %s in one line", async (_, args, words) => {
    expect(await harness.callFailing(["deliveries", ...args])).toContain(words);
  });
  test("rejects an unknown event id", async () => {
    const args = ["deliveries", "replay", name, "--event", "01890000-0000-7000-8000-000000000001"];
    expect(await harness.callFailing(args)).toContain("lists events with their ids");
  });
});
