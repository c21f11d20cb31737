import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { absentReplicaFixture } from "../../absent-replica-fixture.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** A service on the former primary of a cluster, which is cut off from its replicas and is not stopped yet. */
const replicated = fileFixture(absentReplicaFixture);
const w = fileFixture(() => serviceHarness({ database: replicated.database }));

const send = async (method: string, path: string, body?: object, key?: string) => {
  const response = await w.raw(method, path, {
    ...(body && { body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
  });
  const { id } = (await response.json()) as { id?: string };
  return { status: response.status, id, isReplay: response.headers.get("idempotency-replayed") === "true" };
};

test("a reply is not repeated while no replica has it, although it can be read", async () => {
  const user = await send("POST", "/v2/users", { first_name: "Ann" });
  const { channels } = await w.client.channels.listChannels({ query: {} });
  const { conversation_id } = await w.client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user.id ?? "" }],
      messages: [{ actor_type: "user", actor_id: user.id ?? "", message_parts: [{ text: { content: "Hi" } }] }],
    },
  });
  const writes = {
    user: () => send("POST", "/v2/users", { first_name: "Bob" }, "key-user"),
    message: () =>
      send(
        "POST",
        `/v2/conversations/${conversation_id}/messages`,
        { actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "Hello" } }] },
        "key-message",
      ),
  };
  await replicated.awaitReplica(true);
  // The server takes up its new setting in the background.
  while ((await send("POST", "/v2/users", { first_name: "Probe" })).status === 201) await setTimeout(20);
  for (const [name, write] of Object.entries(writes)) {
    const first = write();
    const isAnswered = first.then(() => true);
    while (!(await Promise.race([isAnswered, setTimeout(200, false)]))) await replicated.abandonWaits();
    expect([name, (await first).status]).toEqual([name, 503]);
  }
  // Both were done on this server.
  const found = await w.client.messages.listMessages({ params: { conversation_id }, query: {} });
  expect(found.messages).toHaveLength(2);
  for (const [name, write] of Object.entries(writes)) expect([name, (await write()).status]).toEqual([name, 503]);

  await replicated.awaitReplica(false);
  const again: Record<string, string | undefined> = {};
  for (const [name, write] of Object.entries(writes)) {
    let answer = await write();
    for (; answer.status > 201; answer = await write()) {
      expect([409, 503]).toContain(answer.status);
      await setTimeout(50);
    }
    expect([name, answer.isReplay]).toEqual([name, true]);
    again[name] = answer.id;
  }
  expect(again["message"]).toBe(found.messages.find(({ id }) => id === again["message"])?.id);
}, 90_000);
