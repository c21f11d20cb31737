import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { messengerApi, rowsOf, type Endpoint } from "@parley/contract";
import { plainImage } from "../messaging/uploads/image-builder.ts";
import { clientForm } from "../messaging/uploads/upload-form-builder.ts";
import { consolePages } from "../events/presence/console-stream.ts";
import { createCanaryFixture, LAST_TEXT, PUBLIC_NAME, PUBLIC_PICTURE, type CanaryFixture } from "./canary-fixture.ts";
import { conversationHarness, textMessage, type TestVisitor } from "./conversation-harness.ts";
import { visitorStreams } from "./live/live-fixture.ts";
import { newBrowserKey } from "./visitors/signed/signing-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

let fixture: CanaryFixture;
/** A picture, as a visitor uploads it. */
let picture: Buffer;
const s = fileFixture(conversationHarness);
beforeAll(async () => {
  fixture = await createCanaryFixture(s);
  picture = await plainImage("png");
});
const { open: openStream, closeAll: closeStreams } = visitorStreams();
const { open: openPage, closeAll: closePages } = consolePages();
afterEach(async () => {
  await closePages();
  await closeStreams();
});

interface CanaryRequest {
  readonly visitor?: TestVisitor;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The visitor's stream, which has a test of its own. */
  readonly isStream?: true;
}

const topic_id = (): string => s.channels[0]?.id ?? "";
/** A successful request to each endpoint. */
const REQUESTS: Readonly<Record<string, () => CanaryRequest | Promise<CanaryRequest>>> = {
  "GET /messenger/api/configuration": () => ({ query: { account: "acme" } }),
  "POST /messenger/api/sessions": () => ({ body: { account: "acme", external_id: fixture.visitor.externalId } }),
  "POST /messenger/api/sessions/restore": () => ({
    body: { account: "acme", external_id: fixture.visitor.externalId, restore_id: fixture.visitor.restoreId },
  }),
  "POST /messenger/api/browser-uuid": () => ({ body: { browser_key: newBrowserKey() } }),
  "POST /messenger/api/sessions/signed": () => ({
    body: { account: "acme", signed_token: fixture.signedToken(), browser_key: newBrowserKey() },
  }),
  "DELETE /messenger/api/session": async () => ({ visitor: await s.session(fixture.visitor) }),
  "GET /messenger/api/visitor": () => ({}),
  "PUT /messenger/api/visitor": () => ({ body: { properties: [{ name: "plan", value: "gold" }] } }),
  "POST /messenger/api/visitor/identity": async () => ({
    visitor: await s.visitor("Identified"),
    body: { external_id: fixture.visitor.externalId },
  }),
  "GET /messenger/api/conversations": () => ({}),
  "POST /messenger/api/conversations": async () => ({
    visitor: await s.visitor("New"),
    body: { topic_id: topic_id(), message: textMessage("Hello") },
  }),
  "GET /messenger/api/conversations/{conversation_id}/messages": () => ({}),
  "POST /messenger/api/conversations/{conversation_id}/messages": () => ({ body: textMessage("More") }),
  "POST /messenger/api/conversations/{conversation_id}/csat": () => ({ body: { issue_resolved: false } }),
  "PUT /messenger/api/conversations/{conversation_id}/activity": () => ({
    body: { is_typing: true, read_message_id: fixture.messageId },
  }),
  "POST /messenger/api/images": () => ({ body: clientForm("image", picture, "image/png", "a.png") }),
  "POST /messenger/api/files": () => ({ body: clientForm("file", "x", "text/plain", "a.txt") }),
  "GET /messenger/api/stream": () => ({ isStream: true }),
};
const ROWS: readonly (readonly [route: string, row: Endpoint])[] = rowsOf(messengerApi).map(({ row }) => [
  row.route,
  row,
]);

/** -> by endpoint: its code, and the secrets in its reply and headers */
const readAll = async (): Promise<Record<string, readonly [code: number, leaks: readonly string[]]>> => {
  const found: Record<string, readonly [number, readonly string[]]> = {};
  for (const [route, row] of ROWS) {
    const { visitor = fixture.visitor, isStream, ...request } = (await REQUESTS[route]?.()) ?? {};
    if (isStream) continue;
    const params = { conversation_id: fixture.conversationId };
    const { code, body, headers } = await s.ask(visitor, row, { params, ...request });
    found[route] = [code, fixture.leaksIn(JSON.stringify([body, [...headers]]))];
  }
  return found;
};

test("every endpoint of the messenger is read", () => {
  expect(Object.keys(REQUESTS).sort()).toEqual(ROWS.map(([route]) => route).sort());
});

test("no reply to a visitor contains a secret of the account", async () => {
  const expected = ROWS.filter(([route]) => route !== "GET /messenger/api/stream").map(([route, row]) => [
    route,
    [row.reply.code, []],
  ]);
  expect(await readAll()).toEqual(Object.fromEntries(expected));
});

test("a page of messages shows the agent's first name and picture, so that the search for secrets has something to find", async () => {
  const { body } = await s.request("GET", `/conversations/${fixture.conversationId}/messages`, fixture.visitor);
  expect(JSON.stringify(body)).toContain(
    JSON.stringify({ first_name: PUBLIC_NAME, avatar_url: PUBLIC_PICTURE }).slice(1),
  );
});

test("no refusal to a visitor contains a secret of the account", async () => {
  const leaks: unknown[] = [];
  for (const [route, row] of ROWS.filter(([, { access }]) => access.visitor === "conversation")) {
    const { body } = { body: undefined, ...(await REQUESTS[route]?.()) };
    for (const conversation_id of ["x", fixture.noteId]) {
      const { code, body: refusal } = await s.ask(fixture.visitor, row, { params: { conversation_id }, body });
      if (code !== 404 || fixture.leaksIn(JSON.stringify(refusal)).length > 0) leaks.push([route, code, refusal]);
    }
  }
  expect(leaks).toEqual([]);
});

/** Everything that happens in and beside the visitor's conversation. -> the received text */
const streamed = async (): Promise<string> => {
  const stream = await openStream(s.url, fixture.visitor.token);
  const page = await openPage(s.url, fixture.agent.session);
  const params = { conversation_id: fixture.conversationId };
  await page.report(fixture.conversationId, "typing");
  await stream.until(() => stream.items.some(({ event }) => event === "typing"));
  await stream.until(() => stream.items.some(({ event }) => event === "read"));
  for (const status of ["resolved", "reopened"] as const)
    await s.client.conversations.updateConversation({ params, body: { status } });
  const { userId: id } = await s.visitor("Stranger");
  await s.client.conversations.createConversation({
    body: {
      channel_id: topic_id(),
      users: [{ id }],
      messages: [{ actor_type: "user", actor_id: id, ...textMessage("canary-text-of-another-visitor") }],
    },
  });
  await fixture.writeAsAgents();
  await stream.until(() => stream.texts.at(-1) === LAST_TEXT);
  expect(new Set(stream.items.map(({ event }) => event))).toEqual(
    new Set(["stream_start", "typing", "read", "conversation", "message"]),
  );
  return stream.text();
};

test("no event of a visitor's stream contains a secret of the account", async () => {
  expect(fixture.leaksIn(await streamed())).toEqual([]);
});

describe("the search finds what is let through:", () => {
  const LISTS = [
    "GET /messenger/api/conversations",
    "GET /messenger/api/conversations/{conversation_id}/messages",
    "POST /messenger/api/conversations/{conversation_id}/csat",
  ] as const;
  const leaksAt = async (route: string): Promise<readonly string[]> => (await readAll())[route]?.[1] ?? [];

  test("a private note that is stored as a message for the visitor", async () => {
    const change = (type: string) =>
      s.sql(
        "update messages set body = jsonb_set(body::jsonb, '{message_type}', to_jsonb($2::text))::text where id = $1",
        [fixture.noteId, type],
      );
    await change("normal");
    const found = await leaksAt(LISTS[1]);
    await change("private");
    expect(found).toEqual(["private note"]);
  });

  test.each(LISTS)("an agent whose first name is its address: %s", async (route) => {
    const rename = async (first_name: string) => {
      await s.client.agents.updateAgent({ params: { agent_id: fixture.agent.id }, body: { first_name } });
      s.expireCaches();
    };
    await rename("vera@acme.example");
    await s.client.conversations.updateConversation({
      params: { conversation_id: fixture.conversationId },
      body: { status: "assigned", assigned_agent_id: fixture.agent.id },
    });
    const found = await leaksAt(route);
    await rename(PUBLIC_NAME);
    expect(found).toEqual(["address of the agent"]);
  });

  test("a message to the visitor in the stream", async () => {
    const stream = await openStream(s.url, fixture.visitor.token);
    await s.client.messages.createMessage({
      params: { conversation_id: fixture.conversationId },
      body: { actor_type: "bot", ...textMessage("canary-private-note") },
    });
    await stream.until(() => stream.texts.length > 0);
    expect(fixture.leaksIn(stream.text())).toEqual(["private note"]);
  });
});
