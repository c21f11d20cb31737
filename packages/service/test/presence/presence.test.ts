import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { AgentRole, AgentScope, SignInResult } from "@parley/contract";
import { PRESENCE_RULES } from "../../src/presence/presence.ts";
import { STREAM_RULES } from "../../src/stream/stream-rules.ts";
import {
  cookieOf,
  PASSWORD,
  sessionHarness,
  type BrowserSession,
  type SessionHarness,
} from "../identity/session-harness.ts";
import { createSessionWorld, signedInAgent, type SessionWorld, type SignedInAgent } from "../matrix/session-world.ts";
import { waitUntil } from "../wait-until.ts";
import { consolePages } from "./console-stream.ts";

const RULES = {
  ...STREAM_RULES,
  perToken: 4,
  retryMs: 20,
  keepAliveMs: 200,
  checkMs: 50,
  presence: { ...PRESENCE_RULES, typingMs: 400, tabsPerStream: 4, answerMs: 300 },
};

let s: SessionHarness;
let world: SessionWorld;
beforeAll(async () => {
  s = await sessionHarness({ streamRules: RULES });
  world = await createSessionWorld(s);
}, 60_000);
afterAll(() => s.close());

const { open: openPage, closeAll } = consolePages();
afterEach(closeAll);
const agent = (role: AgentRole, scope?: AgentScope): SignedInAgent => signedInAgent(world, role, scope);
const open = ({ session }: { readonly session: BrowserSession }, options?: Parameters<typeof openPage>[2]) =>
  openPage(s.url, session, options);
/** Another session of an agent, on another device. */
const secondSession = async ({ email }: SignedInAgent): Promise<BrowserSession> => {
  const body = { account: "acme", email, password: PASSWORD };
  const reply = await s.page<SignInResult>("POST", "/identity/sign-in", { body });
  return { cookie: cookieOf(reply.headers) ?? "", token: reply.body.session_token ?? "" };
};
const say = (conversation_id: string, content = "Hello") =>
  s.client.messages.createMessage({
    params: { conversation_id },
    body: { actor_type: "bot", message_parts: [{ text: { content } }] },
  });

describe("GET /console/api/stream", () => {
  test("GET /console/api/stream 200 begins with the id of the stream, then with a position", async () => {
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
      /^retry: 20\nevent: stream_start\ndata: \{"stream_id":"[0-9a-f]{16}-[0-9a-f]{32}"\}\n\nid: [0-9a-z]+-[0-9a-f]{8}\n\n$/,
    );
    stop.abort();
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
    await say(world.elsewhere.conversation_id);
    await say(world.inGroup.conversation_id);
    await say(listener.own.conversation_id);
    await reading;
    await page.until(() => page.items.filter(({ event }) => event === "message_create").length === 2);
    const received = page.items.flatMap(({ id, event, data }) => (event === "message_create" ? [{ id, data }] : []));
    expect(received).toEqual(expected);
  });

  test("continues after Last-Event-ID without a gap, and with the presence of now", async () => {
    const listener = agent("AGENT");
    const { conversation_id } = world.inGroup;
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

describe("PUT /console/api/presence/{conversation_id}", () => {
  const ann = () => agent("AGENT");
  const bob = () => agent("SUPER_USER");

  test("PUT /console/api/presence/{conversation_id} 200 shows the agent to all who reach the conversation, until it leaves", async () => {
    const { conversation_id } = world.unassigned;
    const [page, other] = [await open(ann()), await open(bob())];
    expect(await page.report(conversation_id, "viewing")).toEqual([{ agent_id: ann().id, state: "viewing" }]);
    await other.untilAgents(conversation_id, [`${ann().id} viewing`]);
    await other.report(conversation_id, "viewing");
    const both = [`${ann().id} viewing`, `${bob().id} viewing`];
    for (const each of [page, other]) await each.untilAgents(conversation_id, both);
    expect(await page.report(conversation_id, "left")).toEqual([{ agent_id: bob().id, state: "viewing" }]);
    for (const each of [page, other]) await each.untilAgents(conversation_id, [`${bob().id} viewing`]);
  });

  test("typing ends by itself, and lasts while it is reported", async () => {
    const { conversation_id } = world.unassigned;
    const [page, other] = [await open(ann()), await open(bob())];
    const begun = performance.now();
    await page.report(conversation_id, "typing");
    await other.untilAgents(conversation_id, [`${ann().id} typing`]);
    await new Promise((resolve) => setTimeout(resolve, RULES.presence.typingMs / 2));
    await page.report(conversation_id, "typing");
    await other.untilAgents(conversation_id, [`${ann().id} viewing`]);
    expect(performance.now() - begun).toBeGreaterThan(RULES.presence.typingMs * 1.4);
  });

  test("an agent appears once, with the strongest state of all tabs and sessions", async () => {
    const { conversation_id } = world.unassigned;
    const second = { session: await secondSession(ann()) };
    const [page, elsewhere, other] = [await open(ann()), await open(second), await open(bob())];
    await page.report(conversation_id, "viewing", "one");
    await page.report(conversation_id, "typing", "two");
    await elsewhere.report(conversation_id, "viewing");
    await other.untilAgents(conversation_id, [`${ann().id} typing`]);
    await page.report(conversation_id, "left", "two");
    await other.untilAgents(conversation_id, [`${ann().id} viewing`]);
    await page.report(conversation_id, "left", "one");
    expect(await elsewhere.report(conversation_id, "viewing")).toEqual([{ agent_id: ann().id, state: "viewing" }]);
    await elsewhere.close();
    await other.untilAgents(conversation_id, []);
  });

  test("a tab has one conversation open, and a late report that it left another one changes nothing", async () => {
    const [first, next] = [world.unassigned.conversation_id, world.inGroup.conversation_id];
    const [page, other] = [await open(ann()), await open(bob())];
    await page.report(first, "viewing");
    await other.untilAgents(first, [`${ann().id} viewing`]);
    await page.report(next, "typing");
    await other.untilAgents(first, []);
    await page.report(first, "left");
    await other.untilAgents(next, [`${ann().id} typing`]);
    expect(await other.report(next, "viewing")).toHaveLength(2);
  });

  test("a stream holds the presence of a limited number of tabs: the latest ones", async () => {
    const places = [world.unassigned, world.inGroup, world.elsewhere, ann().own, bob().own].map(
      (each) => each.conversation_id,
    );
    const [page, other] = [await open(ann()), await open(bob())];
    for (const [index, id] of places.entries()) await page.report(id, "viewing", `tab ${index}`);
    await other.untilAgents(places[4] ?? "", [`${ann().id} viewing`]);
    await other.untilAgents(places[0] ?? "", []);
    expect(other.agentsIn(places[1] ?? "")).toHaveLength(1);
  });

  test("presence ends with the stream, and with the session", async () => {
    const { conversation_id } = world.unassigned;
    const [page, other] = [await open(ann()), await open(bob())];
    await page.report(conversation_id, "viewing");
    await other.untilAgents(conversation_id, [`${ann().id} viewing`]);
    await page.close();
    await other.untilAgents(conversation_id, []);
    const session = await secondSession(ann());
    const short = await open({ session });
    await short.report(conversation_id, "viewing");
    await other.untilAgents(conversation_id, [`${ann().id} viewing`]);
    expect((await s.page("DELETE", "/identity/session", { session })).code).toBe(200);
    await other.untilAgents(conversation_id, []);
  });

  test("PUT /console/api/presence/{conversation_id} 404 STREAM_NOT_FOUND for streams that are not the session's", async () => {
    const { conversation_id } = world.unassigned;
    const put = async (stream_id: string, session: BrowserSession): Promise<unknown[]> => {
      const body = { stream_id, tab_id: "t", state: "viewing" };
      const reply = await s.page("PUT", `/console/api/presence/${conversation_id}`, { session, body });
      return [reply.code, reply.body.status];
    };
    const page = await open(ann());
    const streamId: string = page.streamId;
    const missing = [404, "STREAM_NOT_FOUND"];
    expect(await put(streamId, bob().session)).toEqual(missing);
    expect(await put(streamId, await secondSession(ann()))).toEqual(missing);
    const malformed = ["", "x", streamId.replace(/.$/, "g")];
    for (const unknown of [...malformed, `${streamId.slice(0, 17)}${"0".repeat(32)}`])
      expect(await put(unknown, ann().session)).toEqual(missing);
    // A process that has ended.
    expect(await put(`${"0".repeat(16)}-${"0".repeat(32)}`, ann().session)).toEqual(missing);
    expect((await put(streamId, ann().session))[0]).toBe(200);
    await page.close();
    await waitUntil(async () => {
      const [, status] = await put(streamId, ann().session);
      return status === "STREAM_NOT_FOUND";
    });
  });

  test.each<[string, AgentScope, () => string]>([
    ["outside of the scope", "Me", () => world.inGroup.conversation_id],
    ["unknown", "Global", () => "3d6f3f7e-0000-4000-8000-000000000000"],
    ["malformed", "Global", () => "none"],
  ])(
    "PUT /console/api/presence/{conversation_id} 404 CONVERSATION_NOT_FOUND for one that is %s",
    async (_, scope, idOf) => {
      const { session } = agent("AGENT", scope);
      const page = await open({ session });
      const body = { stream_id: page.streamId, tab_id: "t", state: "viewing" };
      const reply = await s.page("PUT", `/console/api/presence/${idOf()}`, { session, body });
      expect([reply.code, reply.body.status]).toEqual([404, "CONVERSATION_NOT_FOUND"]);
    },
  );

  test("PUT /console/api/presence/{conversation_id} INVALID_VALUE for an unknown state, and without the id of a stream", async () => {
    const { session } = ann();
    const path = `/console/api/presence/${world.unassigned.conversation_id}`;
    const page = await open({ session });
    const put = async (body: object) => (await s.page("PUT", path, { session, body })).code;
    expect(await put({ stream_id: page.streamId, tab_id: "t", state: "away" })).toBe(400);
    expect(await put({ tab_id: "t", state: "viewing" })).toBe(400);
  });
});

describe("the presence that an agent receives", () => {
  const PLACES = ["own", "inGroup", "elsewhere", "unassigned"] as const;
  const conversationAt = (listener: SignedInAgent, place: (typeof PLACES)[number]) =>
    (place === "own" ? listener.own : world[place]).conversation_id;
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
    await page.report(world.unassigned.conversation_id, "viewing");
    const other = await open(agent("AGENT"));
    await other.untilAgents(world.unassigned.conversation_id, [`${present().id} viewing`]);
    expect(reader.items.filter(({ event }) => event === "presence")).toEqual([]);
  });
});
