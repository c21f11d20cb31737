import { logText, type Log } from "@parley/telemetry";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { OwnChange } from "@parley/contract";
import type { Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { realPorts } from "../../../src/base/environment/ports.ts";
import { createLogListener, type LogListener } from "../../../src/base/log/notifications.sql.ts";
import { createPresence, PRESENCE_RULES, type AgentPresence } from "../../../src/events/presence/presence.ts";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { sessionHarness, type SessionHarness } from "../../identity/authentication/session-harness.ts";
import { createSessionFixture, signedInAgent, type SessionFixture } from "../../matrix/session-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { consolePages, type ConsolePage } from "./console-stream.ts";

const ACME = 1001;
let s: SessionHarness;
let other: ServiceHarness;
let fixture: SessionFixture;
/** What a third process of the service has, without the rest of it. */
let third: AgentPresence;
let listener: LogListener;
let pool: Pool;
const logLines: string[] = [];
const stop = new AbortController();

beforeAll(async () => {
  const streamRules = { ...STREAM_RULES, retryMs: 20, checkMs: 50 };
  s = await sessionHarness({ streamRules });
  fixture = await createSessionFixture(s);
  other = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder, streamRules });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  listener = createLogListener(() => s.database.connect(SERVICE_SCHEMA), {
    log: () => undefined,
    live: (payload) => third.receive(payload),
    connected: () => third.connected(),
  });
  const log: Log = (...line) => void logLines.push(logText(...line));
  const { signal } = stop;
  third = createPresence({ db: pool, listener, ports: realPorts, rules: PRESENCE_RULES, signal, log });
  await listener.ensureConnected();
});
afterAll(async () => {
  await third.close();
  await listener.close();
  await pool.end();
  await other.close();
  await s.close();
  expect(logLines).toEqual([]);
});

const { open, closeAll } = consolePages();
afterEach(closeAll);
const ann = () => signedInAgent(fixture, "AGENT");
const bob = () => signedInAgent(fixture, "SUPER_USER");
const changesOf = (page: ConsolePage) => page.items.flatMap((item) => (item.event === "own_change" ? [item.data] : []));
/** A change after which all earlier changes have been received. */
const END: OwnChange = { kind: "views" };
const untilEnd = (page: ConsolePage) => page.until(() => changesOf(page).some(({ kind }) => kind === END.kind));

test("a change of an agent's own is sent to its streams in all processes, without a position, and to no other agent's", async () => {
  const pages = [await open(s.url, ann().session), await open(other.url, ann().session)];
  const colleague = await open(s.url, bob().session);
  const draft: OwnChange = { kind: "draft", conversation_id: ann().own.conversation_id };
  third.notifyOwnChange(ACME, ann().id, draft);
  third.notifyOwnChange(ACME, ann().id, { kind: "read", conversation_id: ann().own.conversation_id });
  for (const agent of [ann(), bob()]) third.notifyOwnChange(ACME, agent.id, END);
  for (const page of [...pages, colleague]) await untilEnd(page);
  for (const page of pages) {
    expect(changesOf(page)).toEqual([draft, { ...draft, kind: "read" }, END]);
    const positions = page.items.filter(({ event }) => event === "own_change").map(({ id }) => id);
    expect(new Set(positions).size).toBe(1);
  }
  expect(changesOf(colleague)).toEqual([END]);
});

test("a change that concerns all agents of an account is sent to the streams of this account only", async () => {
  const { agents } = await s.solo.agents.listAgents();
  const session = await s.signIn(agents[0]?.email ?? "", { account: "solo" });
  await s.adminRequest("PUT", `/admin/accounts/solo/agents/${agents[0]?.id}`, { scope: "Global" });
  const pages = [await open(s.url, ann().session), await open(other.url, bob().session)];
  const elsewhere = await open(s.url, session);
  const { account_id: solo } = await s.solo.accounts.getConfiguration();
  third.notifyOwnChange(ACME, undefined, { kind: "reply_templates" });
  third.notifyOwnChange(ACME, undefined, END);
  third.notifyOwnChange(solo, undefined, END);
  for (const page of [...pages, elsewhere]) await untilEnd(page);
  for (const page of pages) expect(changesOf(page)).toEqual([{ kind: "reply_templates" }, END]);
  expect(changesOf(elsewhere)).toEqual([END]);
});

test("DELETE /users/{user_id} 202 tells the streams of all agents of the account, in all processes, and a refused one nobody", async () => {
  const user = await s.client.users.createUser({ body: { first_name: "Short-lived" } });
  const elsewhere = await open(other.url, bob().session);
  const pages = [await open(s.url, ann().session), elsewhere];
  const params = { user_id: user.id.toUpperCase() };
  await s.client.users.deleteUser({ params });
  await expect(s.client.users.deleteUser({ params })).rejects.toThrow();
  await elsewhere.until(() => changesOf(elsewhere).length > 0);
  third.notifyOwnChange(ACME, undefined, END);
  for (const page of pages) {
    await untilEnd(page);
    expect(changesOf(page)).toEqual([{ kind: "deleted_user", user_id: user.id }, END]);
  }
});

test("many equal changes that wait for a stream are sent as few", async () => {
  const page = await open(s.url, ann().session);
  for (let count = 0; count < 500; count += 1) third.notifyOwnChange(ACME, ann().id, { kind: "reply_templates" });
  third.notifyOwnChange(ACME, ann().id, END);
  await untilEnd(page);
  expect(changesOf(page).length).toBeLessThan(400);
});

test("a process that starts receives all presence of the others, also if it takes several notifications", async () => {
  const owner = { accountId: ACME, agentId: bob().id, credentialId: realPorts.newId() };
  const streams = Array.from({ length: 5 }, () => third.openStream(owner));
  const conversations = Array.from({ length: 150 }, () => realPorts.newId());
  for (const [index, conversationId] of conversations.entries()) {
    const { id } = streams[index % streams.length] ?? { id: "" };
    const report = { tabId: `tab ${index}`, conversationId, state: "viewing" } as const;
    expect(await third.report(id, owner.credentialId, report)).toEqual([{ agent_id: bob().id, state: "viewing" }]);
  }
  const late = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder });
  try {
    const page = await open(late.url, ann().session);
    for (const id of conversations) await page.untilAgents(id, [`${bob().id} viewing`]);
    for (const each of streams) each.close();
    for (const id of conversations) await page.untilAgents(id, []);
  } finally {
    await closeAll();
    await late.close();
  }
});

test("a payload that is not a message changes nothing", () => {
  const process = "0".repeat(16);
  const malformed = ["", "{", "[]", "1", `{"from":1}`, `{"from":"${process}","number":1}`];
  const unknown = `{"from":"${process}","number":1,"message":{"kind":"other"}}`;
  for (const payload of [...malformed, unknown]) expect(() => third.receive(payload)).not.toThrow();
});
