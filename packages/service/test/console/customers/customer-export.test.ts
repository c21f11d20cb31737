import { expect, test } from "@jest/globals";
import { SESSION_TOKEN } from "@parley/contract";
import { consoleHarness, outcome, UNKNOWN_ID } from "../console-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(consoleHarness);

interface Line {
  readonly kind: string;
  readonly data: Record<string, unknown>;
}

const open = (id: string) =>
  fetch(`${s.url}/console/api/customers/${id}/export`, {
    headers: { cookie: s.noah.session.cookie, [SESSION_TOKEN]: s.noah.session.token },
  });

test("GET /console/api/customers/{user_id}/export 200: the user, then each conversation with its messages and ratings", async () => {
  const first = await s.conversation("Ada", ["One", "Two"]);
  const { user_id } = first;
  const message = (content: string) => ({
    actor_type: "user" as const,
    actor_id: user_id,
    message_parts: [{ text: { content } }],
  });
  const second = await s.client.conversations.createConversation({
    body: { channel_id: s.channels[1]?.id ?? "", users: [{ id: user_id }], messages: [message("Three")] },
  });
  const params = { conversation_id: first.conversation_id };
  const rating = await s.client.csat.createCsat({ params, body: { issue_resolved: true, rating: 4 } });
  await s.conversation("Somebody else");

  const reply = await open(user_id);
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  const text = await reply.text();
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const { restore_id, ...user } = await s.client.users.getUser({ params: { user_id } });
  const { messages } = await s.client.messages.listMessages({ params });
  const conversation = await s.client.conversations.getConversation({ params });
  expect(lines.map(({ kind }) => kind)).toEqual([
    ...["user", "conversation", "message", "message", "rating"],
    ...["conversation", "message"],
  ]);
  expect(lines.slice(0, 5).map(({ data }) => data)).toEqual([user, conversation, ...messages.toReversed(), rating]);
  expect(lines[5]?.data["conversation_id"]).toBe(second.conversation_id);
  // It authenticates the user.
  expect(text).not.toContain(restore_id);
});

test("an export of 20,000 messages arrives in full and in order", async () => {
  const { conversation_id, user_id } = await s.conversation("Talkative");
  await s.sql(
    `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select gen_random_uuid(), $1, nextval('log_positions'), now(), '1-1', json_build_object('place', i)::text
       from generate_series(1, 20000) i`,
    [conversation_id],
  );
  const lines = (await (await open(user_id)).text()).trimEnd().split("\n");
  const places = lines.slice(3).map((line) => (JSON.parse(line) as Line).data["place"]);
  expect(places).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
});

test("an export is recorded in the audit log, without data of the customer", async () => {
  const { user_id } = await s.conversation("Grace");
  await (await open(user_id)).text();
  const entries = await s.sql<{ actor_id: string; details: string }>(
    "select actor_id, details from audit_log where action = 'customer.export' and subject = $1",
    [user_id],
  );
  expect(entries).toEqual([{ actor_id: s.noah.id, details: "{}" }]);
});

test("GET /console/api/customers/{user_id}/export 404 USER_NOT_FOUND for an unknown or deleted user", async () => {
  const { user_id } = await s.conversation("Gone");
  await s.client.users.deleteUser({ params: { user_id } });
  for (const id of [UNKNOWN_ID, "none", user_id])
    expect(outcome(await s.call(s.noah, "GET", `/customers/${id}/export`))).toBe("404 USER_NOT_FOUND");
  expect(await s.sql("select from audit_log where action = 'customer.export' and subject = $1", [user_id])).toEqual([]);
});
