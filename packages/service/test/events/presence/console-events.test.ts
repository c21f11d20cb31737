import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { AgentRole, AgentScope } from "@parley/contract";
import { PRESENCE_RULES } from "../../../src/events/presence/presence.ts";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { sessionHarness, type BrowserSession } from "../../identity/authentication/session-harness.ts";
import {
  createSessionFixture,
  signedInAgent,
  type SessionFixture,
  type SignedInAgent,
} from "../../matrix/session-fixture.ts";
import { consolePages } from "./console-stream.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const RULES = {
  ...STREAM_RULES,
  perToken: 4,
  retryMs: 20,
  // That of the API's stream would come too late.
  keepAliveMs: 600_000,
  consoleKeepAliveMs: 200,
  checkMs: 50,
  presence: { ...PRESENCE_RULES, answerMs: 300 },
};

let fixture: SessionFixture;
const s = fileFixture(() => sessionHarness({ streamRules: RULES }));
beforeAll(async () => {
  fixture = await createSessionFixture(s);
});

const { open: openPage, closeAll } = consolePages();
afterEach(closeAll);
const agent = (role: AgentRole, scope?: AgentScope): SignedInAgent => signedInAgent(fixture, role, scope);
const open = ({ session }: { readonly session: BrowserSession }, options?: Parameters<typeof openPage>[2]) =>
  openPage(s.url, session, options);
const say = (conversation_id: string, content = "Hello") =>
  s.client.messages.createMessage({
    params: { conversation_id },
    body: { actor_type: "bot", message_parts: [{ text: { content } }] },
  });

describe("GET /console/api/stream", () => {
  test("GET /console/api/stream 200 begins with the id of the stream and the role and scope of its agent, then with a position", async () => {
    const { session } = agent("AGENT");
    const stop = new AbortController();
    const reply = await fetch(`${s.url}/console/api/stream`, {
      headers: { cookie: session.cookie, "X-Session-Token": session.token },
      signal: stop.signal,
    });
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    const text = (await reader?.read())?.value ?? "";
    expect(text).toMatch(
      /^retry: 20\nevent: stream_start\ndata: \{"stream_id":"[0-9a-f]{16}-[0-9a-f]{32}","role_id":"AGENT","scope":"\w+","keep_alive_ms":200\}\n\nid: [0-9a-z]+-[0-9a-f]{8}\n\n(?:: still here\n\n)*$/,
    );
    stop.abort();
  });

  test("sends a keep-alive as often as its start says", async () => {
    const { session } = agent("AGENT");
    const stop = new AbortController();
    const reply = await fetch(`${s.url}/console/api/stream`, {
      headers: { cookie: session.cookie, "X-Session-Token": session.token },
      signal: stop.signal,
    });
    let text = "";
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes(": still here\n")) break;
    }
    stop.abort();
    expect(text).toContain(": still here\n");
  });

  test("sends the events that the stream of the API sends to the session", async () => {
    const listener = agent("AGENT", "Group");
    const page = await open(listener);
    const stop = new AbortController();
    const events = page.client.stream.events({ signal: stop.signal, lastEventId: page.position ?? "" });
    const expected: unknown[] = [];
    const reading = (async () => {
      for await (const { id, data } of events) if (expected.push({ id, data }) === 2) break;
    })();
    await say(fixture.elsewhere.conversation_id);
    await say(fixture.inGroup.conversation_id);
    await say(listener.own.conversation_id);
    await reading;
    await page.until(() => page.items.filter(({ event }) => event === "message_create").length === 2);
    const received = page.items.flatMap(({ id, event, data }) => (event === "message_create" ? [{ id, data }] : []));
    expect(received).toEqual(expected);
  });

  test("continues after Last-Event-ID without a gap, and with the presence of now", async () => {
    const listener = agent("AGENT");
    const { conversation_id } = fixture.inGroup;
    const [page, other] = [await open(listener), await open(agent("ADMIN"))];
    await say(conversation_id, "first");
    await page.until(() => page.items.some(({ event }) => event === "message_create"));
    const lastEventId = page.position;
    await page.close();
    await say(conversation_id, "missed");
    await other.report(conversation_id, "viewing");
    const again = await open(listener, { lastEventId });
    await say(conversation_id, "later");
    await again.until(() => again.items.filter(({ event }) => event === "message_create").length === 2);
    const texts = again.items.flatMap((item) =>
      item.event === "message_create"
        ? (item.data.data.message?.messages ?? []).map(({ message_parts: [part] }) => part?.text?.content)
        : [],
    );
    expect(texts).toEqual(["missed", "later"]);
    expect(again.items[0]?.event).toBe("stream_start");
    await again.untilAgents(conversation_id, [`${agent("ADMIN").id} viewing`]);
  });

  test("GET /console/api/stream 429 TOO_MANY_STREAMS for a session with as many streams as it may have", async () => {
    const { session } = agent("SUPER_USER");
    for (let count = 0; count < RULES.perToken; count += 1) await openPage(s.url, session);
    const { code, body } = await s.page("GET", "/console/api/stream", { session });
    expect([code, body.status]).toEqual([429, "TOO_MANY_STREAMS"]);
  });

  test("GET /console/api/stream FORBIDDEN for an agent with the scope None, and 401 for an API token", async () => {
    const none = await s.page("GET", "/console/api/stream", { session: agent("AGENT", "None").session });
    expect([none.code, none.body.status]).toEqual([403, "FORBIDDEN"]);
    expect((await s.raw("GET", "/console/api/stream")).status).toBe(403);
    expect((await s.page("GET", "/console/api/stream")).code).toBe(401);
  });

  test("GET /console/api/stream INVALID_VALUE for a position that is none", async () => {
    const { session } = agent("AGENT");
    const headers = { "last-event-id": "nowhere" };
    const { code, body } = await s.page("GET", "/console/api/stream", { session, headers });
    expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
  });
});

describe("the presence that an agent receives", () => {
  const PLACES = ["own", "inGroup", "elsewhere", "unassigned"] as const;
  const conversationAt = (listener: SignedInAgent, place: (typeof PLACES)[number]) =>
    (place === "own" ? listener.own : fixture[place]).conversation_id;
  const present = () => agent("ACCOUNT_ADMIN");

  test.each([
    ["Me", ["own"]],
    ["Group", ["own", "inGroup"]],
    ["Global", PLACES],
  ] as const)("with the scope %s is that in %s, from before its stream and after", async (scope, expected) => {
    const listener = agent("AGENT", scope);
    const [page, before] = [await open(present()), await open(listener)];
    const readers = [before];
    for (const state of ["viewing", "left"] as const) {
      for (const place of PLACES) await page.report(conversationAt(listener, place), state, place);
      if (state === "viewing") readers.push(await open(listener));
      const agents = state === "left" ? [] : [`${present().id} viewing`];
      for (const reader of readers)
        for (const place of expected) await reader.untilAgents(conversationAt(listener, place), agents);
    }
    for (const reader of readers) {
      const seen = PLACES.filter((place) => reader.agentsIn(conversationAt(listener, place)) !== undefined);
      expect(seen).toEqual(expected);
    }
  });

  test.each([
    ["Me", ["own"]],
    ["Group", ["own", "inGroup"]],
    ["Global", PLACES],
  ] as const)("with the scope %s is joined by changes of properties in %s", async (scope, expected) => {
    const listener = agent("AGENT", scope);
    const reader = await open(listener);
    const changed = () =>
      reader.items.flatMap((item) => (item.event === "property_change" ? [item.data.conversation_id] : []));
    // The one that every scope contains comes last: its arrival shows that the others would have arrived.
    for (const place of PLACES.toReversed()) {
      const { properties } = await s.client.conversations.getConversation({
        params: { conversation_id: conversationAt(listener, place) },
      });
      const priority = properties?.["priority"] === "High" ? "Low" : "High";
      await s.client.conversations.updateConversation({
        params: { conversation_id: conversationAt(listener, place) },
        body: { properties: { priority } },
      });
    }
    await reader.until(() => changed().includes(conversationAt(listener, "own")));
    expect(changed()).toEqual(expected.map((place) => conversationAt(listener, place)).toReversed());
  });

  test("follows the assignment of a conversation into the scope and out of it", async () => {
    const listener = agent("AGENT", "Me");
    const { conversation_id } = agent("ADMIN", "Me").own;
    const assign = (assigned_agent_id: string) =>
      s.client.conversations.updateConversation({
        params: { conversation_id },
        body: { status: "assigned", assigned_agent_id },
      });
    const [page, reader] = [await open(present()), await open(listener)];
    await page.report(conversation_id, "viewing");
    await page.report(listener.own.conversation_id, "viewing", "other");
    await reader.untilAgents(listener.own.conversation_id, [`${present().id} viewing`]);
    expect(reader.agentsIn(conversation_id)).toBeUndefined();
    await assign(listener.id);
    await reader.untilAgents(conversation_id, [`${present().id} viewing`]);
    await assign(agent("ADMIN", "Me").id);
    await reader.untilAgents(conversation_id, []);
    const received = reader.items.length;
    await page.report(conversation_id, "typing");
    await page.report(listener.own.conversation_id, "typing", "other");
    await reader.untilAgents(listener.own.conversation_id, [`${present().id} typing`]);
    const later = reader.items.slice(received).filter(({ event }) => event === "presence");
    expect(later.filter((item) => JSON.stringify(item).includes(conversation_id))).toEqual([]);
  });

  test("is that of its own account", async () => {
    const elsewhere = await s.adminRequest("POST", "/admin/accounts/solo/sign-in-links", {
      email: "none@solo.example",
    });
    expect(elsewhere.code).toBe(404);
    const { agents } = await s.solo.agents.listAgents();
    const session = await s.signIn(agents[0]?.email ?? "", { account: "solo" });
    await s.adminRequest("PUT", `/admin/accounts/solo/agents/${agents[0]?.id}`, { scope: "Global" });
    const [page, reader] = [await open(present()), await open({ session })];
    await page.report(fixture.unassigned.conversation_id, "viewing");
    const other = await open(agent("AGENT"));
    await other.untilAgents(fixture.unassigned.conversation_id, [`${present().id} viewing`]);
    expect(reader.items.filter(({ event }) => event === "presence")).toEqual([]);
  });
});
