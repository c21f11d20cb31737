import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { AgentRole, AgentScope, SignInResult } from "@parley/contract";
import { PRESENCE_RULES } from "../../../src/events/presence/presence.ts";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import {
  cookieOf,
  PASSWORD,
  sessionHarness,
  type BrowserSession,
} from "../../identity/authentication/session-harness.ts";
import {
  createSessionFixture,
  signedInAgent,
  type SessionFixture,
  type SignedInAgent,
} from "../../matrix/session-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { consolePages } from "./console-stream.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const RULES = {
  ...STREAM_RULES,
  perToken: 4,
  retryMs: 20,
  consoleKeepAliveMs: 200,
  checkMs: 50,
  presence: { ...PRESENCE_RULES, typingMs: 400, tabsPerStream: 4, answerMs: 300 },
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
/** Another session of an agent, on another device. */
const secondSession = async ({ email }: SignedInAgent): Promise<BrowserSession> => {
  const body = { account: "acme", email, password: PASSWORD };
  const reply = await s.page<SignInResult>("POST", "/identity/sign-in", { body });
  return { cookie: cookieOf(reply.headers) ?? "", token: reply.body.session_token ?? "" };
};
describe("PUT /console/api/presence/{conversation_id}", () => {
  const ann = () => agent("AGENT");
  const bob = () => agent("SUPER_USER");

  test("PUT /console/api/presence/{conversation_id} 200 shows the agent to all who reach the conversation, until it leaves", async () => {
    const { conversation_id } = fixture.unassigned;
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
    const { conversation_id } = fixture.unassigned;
    const [page, other] = [await open(ann()), await open(bob())];
    await page.report(conversation_id, "typing");
    await other.report(conversation_id, "typing");
    await other.untilAgents(conversation_id, [`${ann().id} typing`, `${bob().id} typing`]);
    // Ann began to type first, and was reported last.
    await page.report(conversation_id, "typing");
    await other.untilAgents(conversation_id, [`${ann().id} viewing`, `${bob().id} viewing`]);
    expect(other.statesIn(conversation_id)).not.toContainEqual([`${ann().id} viewing`, `${bob().id} typing`].sort());
  });

  test("an agent appears once, with the strongest state of all tabs and sessions", async () => {
    const { conversation_id } = fixture.unassigned;
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

  test("a tab has one conversation open, and a late report that it left another conversation changes nothing", async () => {
    const [first, next] = [fixture.unassigned.conversation_id, fixture.inGroup.conversation_id];
    const [page, other] = [await open(ann()), await open(bob())];
    await page.report(first, "viewing");
    await other.untilAgents(first, [`${ann().id} viewing`]);
    await page.report(next, "typing");
    await other.untilAgents(first, []);
    await page.report(first, "left");
    await other.untilAgents(next, [`${ann().id} typing`]);
    expect(await other.report(next, "viewing")).toHaveLength(2);
  });

  test("a stream holds the presence of a limited number of tabs: the latest tabs", async () => {
    const places = [fixture.unassigned, fixture.inGroup, fixture.elsewhere, ann().own, bob().own].map(
      (each) => each.conversation_id,
    );
    const [page, other] = [await open(ann()), await open(bob())];
    for (const [index, id] of places.entries()) await page.report(id, "viewing", `tab ${index}`);
    await other.untilAgents(places[4] ?? "", [`${ann().id} viewing`]);
    await other.untilAgents(places[0] ?? "", []);
    expect(other.agentsIn(places[1] ?? "")).toHaveLength(1);
  });

  test("presence ends with the stream, and with the session", async () => {
    const { conversation_id } = fixture.unassigned;
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
    const { conversation_id } = fixture.unassigned;
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
    ["outside of the scope", "Me", () => fixture.inGroup.conversation_id],
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
    const path = `/console/api/presence/${fixture.unassigned.conversation_id}`;
    const page = await open({ session });
    const put = async (body: object) => (await s.page("PUT", path, { session, body })).code;
    expect(await put({ stream_id: page.streamId, tab_id: "t", state: "away" })).toBe(400);
    expect(await put({ tab_id: "t", state: "viewing" })).toBe(400);
  });
});
