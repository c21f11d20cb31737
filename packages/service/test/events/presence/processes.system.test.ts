import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { statement } from "@parley/database";
import { NOTIFY_CHANNELS } from "../../../src/base/log/notifications.sql.ts";
import { PRESENCE_RULES } from "../../../src/events/presence/presence.ts";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { isProblemError } from "@parley/client/session";
import { sessionHarness, type SessionHarness } from "../../identity/authentication/session-harness.ts";
import { createSessionFixture, signedInAgent, type SessionFixture } from "../../matrix/session-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { serviceProcess, type ServiceProcess } from "../../service-process.ts";
import { consolePages } from "./console-stream.ts";

const RULES = {
  ...STREAM_RULES,
  retryMs: 20,
  checkMs: 50,
  presence: { ...PRESENCE_RULES, announceMs: 300, deadMs: 1_500, answerMs: 2_000 },
};

let s: SessionHarness;
let other: ServiceHarness;
let fixture: SessionFixture;
beforeAll(async () => {
  s = await sessionHarness({ streamRules: RULES });
  fixture = await createSessionFixture(s);
  // Other processes never count as dead there.
  const streamRules = { ...RULES, presence: { ...RULES.presence, deadMs: 600_000 } };
  other = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder, streamRules });
});
afterAll(async () => {
  await other.close();
  await s.close();
});

/** Waits for a number of messages between processes. */
const messages = async (count: number): Promise<void> => {
  const connection = await s.database.connect(SERVICE_SCHEMA);
  let received = 0;
  await connection.listen(NOTIFY_CHANNELS.live, () => void received++);
  await waitUntil(() => received >= count);
  await connection.close();
};
const { open, closeAll } = consolePages();
afterEach(closeAll);
const ann = () => signedInAgent(fixture, "AGENT");
const bob = () => signedInAgent(fixture, "SUPER_USER");
const conversationId = () => fixture.unassigned.conversation_id;

describe("presence over two instances on one database", () => {
  test("is shown to streams of both, also to one that begins later, and ends with its stream", async () => {
    const [page, there] = [await open(s.url, ann().session), await open(other.url, bob().session)];
    await page.report(conversationId(), "typing");
    await there.untilAgents(conversationId(), [`${ann().id} typing`]);
    await there.report(conversationId(), "viewing");
    const both = [`${ann().id} typing`, `${bob().id} viewing`];
    for (const reader of [page, there, await open(other.url, ann().session)])
      await reader.untilAgents(conversationId(), both);
    await page.close();
    await there.untilAgents(conversationId(), [`${bob().id} viewing`]);
  });

  test("of an agent at both has the strongest state", async () => {
    const [here, there] = [await open(s.url, ann().session), await open(other.url, ann().session)];
    const reader = await open(s.url, bob().session);
    await here.report(conversationId(), "viewing");
    await there.report(conversationId(), "typing");
    await reader.untilAgents(conversationId(), [`${ann().id} typing`]);
    await there.close();
    await reader.untilAgents(conversationId(), [`${ann().id} viewing`]);
  });

  test("can be reported to the instance that does not have the stream, by its session only", async () => {
    const [page, reader] = [await open(s.url, ann().session), await open(other.url, bob().session)];
    const there = await open(other.url, ann().session);
    const report = (client: typeof there.client) =>
      client.live.reportPresence({
        params: { conversation_id: conversationId() },
        body: { stream_id: page.streamId, tab_id: "t", state: "viewing" },
      });
    expect((await report(there.client)).agents).toEqual([{ agent_id: ann().id, state: "viewing" }]);
    for (const each of [page, reader]) await each.untilAgents(conversationId(), [`${ann().id} viewing`]);
    const refused: unknown = await report(reader.client).catch((error: unknown) => error);
    expect(isProblemError(refused, "STREAM_NOT_FOUND")).toBe(true);
    await page.close();
    await reader.untilAgents(conversationId(), []);
  });

  test("is complete at an instance that starts later, and after connections were lost", async () => {
    const page = await open(s.url, ann().session);
    await page.report(conversationId(), "viewing");
    const late = await serviceHarness({
      database: s.database,
      objectsFolder: s.objectsFolder,
      streamRules: { ...RULES, presence: { ...RULES.presence, announceMs: 60_000, deadMs: 60_000 } },
    });
    try {
      const reader = await open(late.url, bob().session);
      await reader.untilAgents(conversationId(), [`${ann().id} viewing`]);
      const listeners = statement(
        "",
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like 'listen%'`,
      );
      const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
      expect((await pool.rows(listeners, [])).length).toBeGreaterThanOrEqual(3);
      await pool.end();
      await page.report(fixture.inGroup.conversation_id, "viewing");
      await reader.untilAgents(conversationId(), []);
      await reader.untilAgents(fixture.inGroup.conversation_id, [`${ann().id} viewing`]);
    } finally {
      await closeAll();
      await late.close();
    }
  });

  test("of an instance that stops is over at once", async () => {
    const stopped = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder, streamRules: RULES });
    const [page, reader] = [await open(stopped.url, ann().session), await open(other.url, bob().session)];
    await page.report(conversationId(), "viewing");
    await reader.untilAgents(conversationId(), [`${ann().id} viewing`]);
    await Promise.all([stopped.close(), reader.untilAgents(conversationId(), [])]);
    await page.close();
  });
});

describe("a process", () => {
  let child: ServiceProcess;
  beforeAll(async () => {
    child = await serviceProcess(s.database, s.objectsFolder, RULES);
  });
  afterAll(() => child.kill());

  test("that is suspended loses its presence, which returns with it", async () => {
    const [page, reader] = [await open(child.url, ann().session), await open(s.url, bob().session)];
    await page.report(conversationId(), "viewing");
    await reader.untilAgents(conversationId(), [`${ann().id} viewing`]);
    child.signal("SIGSTOP");
    await reader.untilAgents(conversationId(), []);
    child.signal("SIGCONT");
    await reader.untilAgents(conversationId(), [`${ann().id} viewing`]);
  });

  test("that dies loses its presence and its streams; while it lives, it loses nothing", async () => {
    const [page, reader] = [await open(child.url, ann().session), await open(s.url, bob().session)];
    await page.report(conversationId(), "viewing");
    await reader.untilAgents(conversationId(), [`${ann().id} viewing`]);
    const received = reader.items.length;
    // The announcements of this process and of the child, for longer than a process without announcements counts as alive.
    const { announceMs, deadMs } = RULES.presence;
    await messages(Math.ceil((2 * 1.5 * deadMs) / announceMs));
    expect(reader.items).toHaveLength(received);
    await child.kill();
    await reader.untilAgents(conversationId(), []);
    const refused: unknown = await reader.client.live
      .reportPresence({
        params: { conversation_id: conversationId() },
        body: { stream_id: page.streamId, tab_id: "t", state: "viewing" },
      })
      .catch((error: unknown) => error);
    expect(isProblemError(refused, "STREAM_NOT_FOUND")).toBe(true);
  });
});

test("with the rules of a running service, the presence of a process that died disappears within 30 s", () => {
  const { announceMs, deadMs } = PRESENCE_RULES;
  expect(deadMs + STREAM_RULES.checkMs).toBeLessThan(30_000);
  expect(deadMs / announceMs).toBeGreaterThan(3);
});
