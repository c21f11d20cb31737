import { createServer, type Server } from "node:http";
import { readdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { campaignTest } from "../../../test/support/campaign.ts";
import { parleyClient } from "@parley/client";
import { localServiceHarness } from "./local-service-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** State that a reset restores, and state that it keeps. */

const harness = fileFixture(localServiceHarness);

const reset = () => harness.requestSuccessfully<{ milliseconds: number }>("POST", "/reset");
const people = async () =>
  (await harness.client.users.listUsers({ query: { first_name: "Sam", items_per_page: 100 } })).users;

test("a reset removes everything created or changed since the seed, repeatedly", async () => {
  const { agents } = await harness.client.agents.listAgents({ query: { items_per_page: 1 } });
  const [agent] = agents;
  for (let round = 0; round < 3; round++) {
    await harness.createConversation("Hello");
    await harness.client.agents.updateAgent({ params: { agent_id: agent?.id ?? "" }, body: { biography: `${round}` } });
    await reset();
    expect(await people()).toEqual([]);
    expect(await harness.client.agents.getAgent({ params: { agent_id: agent?.id ?? "" } })).toEqual(agent);
  }
});

test("after a reset, conversation numbers continue from the seed", async () => {
  const numbers: number[] = [];
  for (let round = 0; round < 2; round++) {
    const id = await harness.createConversation("Hello");
    const { conversation_internal_id } = await harness.client.conversations.getConversation({
      params: { conversation_id: id },
    });
    numbers.push(conversation_internal_id);
    await reset();
  }
  expect(numbers[1]).toBe(numbers[0]);
});

campaignTest("requests during a reset wait and are answered; no request is rejected", async () => {
  let over = false;
  const statusCodes: number[] = [];
  const ask = async () => {
    while (!over) {
      const reply = await fetch(`${harness.origin}/v2/channels`, {
        headers: { authorization: `Bearer ${harness.token}` },
      });
      statusCodes.push(reply.status);
      await reply.arrayBuffer();
    }
  };
  const requests = Array.from({ length: 8 }, ask);
  for (let round = 0; round < 3; round++) await reset();
  over = true;
  await Promise.all(requests);
  expect(statusCodes.length).toBeGreaterThan(8);
  expect(new Set(statusCodes)).toEqual(new Set([200]));
});

campaignTest(
  "a reset waits for pending requests: messages acknowledged before it are gone, later messages are kept",
  async () => {
    /** Names of users in the order of the responses. */
    const created: string[] = [];
    let isOver = false;
    const createUsers = async (_: unknown, worker: number) => {
      for (let index = 0; !isOver; index += 1) {
        const last_name = `${worker}-${index}`;
        await harness.client.users.createUser({ body: { first_name: "Sam", last_name } });
        created.push(last_name);
      }
    };
    const workers = Array.from({ length: 4 }, createUsers);
    await waitUntil(() => created.length >= 8);
    const before = [...created];
    await reset();
    const [duringFrom, duringTo] = [before.length, created.length];
    await waitUntil(() => created.length >= duringTo + 8);
    isOver = true;
    await Promise.all(workers);
    const kept = new Set((await people()).map(({ last_name }) => last_name));
    expect(created.slice(0, duringFrom).filter((name) => kept.has(name))).toEqual([]);
    expect(created.slice(duringTo).filter((name) => !kept.has(name))).toEqual([]);
    await reset();
  },
);

campaignTest(
  "the instance's own token survives a reset even if the seed doesn't contain it; other tokens are part of the data",
  async () => {
    const first = await localServiceHarness({ keep: true });
    await first.close();
    const second = await localServiceHarness({ previous: first });
    const { token: other } = await second.local.admin.issueToken({ account: "acme", name: "other" });
    const statusOf = async (token: string) =>
      (await fetch(`${second.origin}/v2/channels`, { headers: { authorization: `Bearer ${token}` } })).status;
    try {
      expect([await statusOf(first.token), await statusOf(second.token), await statusOf(other)]).toEqual([
        200, 200, 200,
      ]);
      await second.requestSuccessfully("POST", "/reset");
      expect([await statusOf(first.token), await statusOf(second.token), await statusOf(other)]).toEqual([
        200, 200, 401,
      ]);
    } finally {
      await second.close();
    }
  },
);

test("a reset restores clock and faults", async () => {
  await harness.clock({ action: "freeze", time: "2030-01-01T00:00:00.000Z" });
  await harness.fault({ kind: "latency", milliseconds: 1 });
  await reset();
  const { clock, faults } = await harness.state();
  expect({ mode: clock.mode, faults }).toEqual({ mode: "real", faults: [] });
});

test("concurrent resets run one after the other", async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => harness.request("POST", "/reset")));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(harness.lines).toEqual([]);
});

describe("a subscriber", () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  campaignTest("receives events after a reset once, and no events from before", async () => {
    const received: string[] = [];
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        const { conversation, message } = (JSON.parse(text) as { data: Record<string, { conversation_id?: string }> })
          .data;
        received.push((conversation ?? message)?.conversation_id ?? "");
        response.end();
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await harness.local.admin.subscribe({
      account: "acme",
      name: "ears",
      kind: "app",
      url: `http://127.0.0.1:${port}/`,
    });
    const countOf = (id: string) => received.filter((each) => each === id).length;
    const counts: (readonly [id: string, count: number])[] = [];
    for (let round = 0; round < 3; round++) {
      const before = await harness.createConversation("before");
      await waitUntil(() => received.includes(before));
      const undelivered = await harness.createConversation("before, and perhaps undelivered");
      await reset();
      counts.push([undelivered, countOf(undelivered)]);
      const after = await harness.createConversation("after");
      await waitUntil(() => received.includes(after));
    }
    expect(counts.map(([id]) => [id, countOf(id)])).toEqual(counts);
    expect(harness.lines).toEqual([]);
  });

  test("is paused before the data is exchanged and resumed when the service answers again", async () => {
    const happened: string[] = [];
    const recordCall = async (word: string) => {
      const { users } = await harness.client.users.listUsers({ query: { first_name: "Sam" } });
      happened.push(`${word} with ${users.length}`);
    };
    harness.local.follow({ pause: () => recordCall("paused"), resume: () => recordCall("resumed") });
    await reset();
    await harness.createConversation("Hello");
    happened.length = 0;
    await reset();
    expect(happened).toEqual(["paused with 1", "resumed with 0"]);
  });
});

campaignTest("a snapshot includes its uploads, and a reset deletes later uploads", async () => {
  const upload = (text: string) =>
    harness.client.files.uploadFile({
      upload: { name: "a.txt", content_type: "text/plain", content: new TextEncoder().encode(text) },
    });
  const keptUpload = await upload("kept");
  await harness.requestSuccessfully("PUT", "/snapshots/with-a-file");
  const files = async () =>
    (await readdir(harness.objectsFolder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      .length;
  await upload("later");
  expect(await files()).toBe(2);
  await reset();
  expect(await files()).toBe(0);
  await harness.requestSuccessfully("POST", "/snapshots/with-a-file/load");
  expect(await files()).toBe(1);
  const { snapshots } = await harness.state();
  expect(snapshots.find(({ name }) => name === "with-a-file")?.files).toBe(1);
  // The text is part of a message: both its row and its content exist.
  const user = await harness.client.users.createUser({ body: { first_name: "Sam" } });
  const { channels } = await harness.client.channels.listChannels({ query: {} });
  const conversation = await harness.client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user.id }],
      messages: [
        { actor_type: "user", actor_id: user.id, message_parts: [{ file: { file_hash: keptUpload.file_hash } }] },
      ],
    },
  });
  const [part] = conversation.messages[0]?.message_parts ?? [];
  const url = (part as { file?: { url?: string } }).file?.url ?? "";
  expect(await (await fetch(url)).text()).toBe("kept");
  await reset();
});

campaignTest("a client keeps working over a reset on the same connection", async () => {
  const client = parleyClient({ url: harness.origin, token: harness.token, retries: { maxRetries: 0 } });
  for (let round = 0; round < 3; round++) {
    await client.channels.listChannels({ query: {} });
    await reset();
  }
});
