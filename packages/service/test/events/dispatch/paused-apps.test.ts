import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { statement } from "@parley/database";
import { DISPATCH_RULES, SERVICE_SCHEMA } from "../../../src/index.ts";
import { adminHarness, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import { conversationFixture, firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { installedApp, type InstalledApp } from "./app-subscription-fixture.ts";
import { conversationsOfOnePartition } from "./partition-fixture.ts";
import { jumpingClock, SHORT_DELAYS } from "./dispatch-harness.ts";
import { subscriptionsApplied } from "./subscriptions-applied.ts";
import {
  entityOf,
  messageTextOf,
  ofKind,
  receiver,
  type FakeSubscriber,
  type ReplyToEvent,
} from "./fake-subscriber.ts";

const hosts: FakeSubscriber[] = [];
const closeHosts = () => Promise.all(hosts.splice(0).map((host) => host.close()));
const host = async (reply?: ReplyToEvent): Promise<FakeSubscriber> => {
  const made = await receiver(reply);
  hosts.push(made);
  return made;
};
const textsOf = ({ accepted }: FakeSubscriber) => ofKind(accepted, "message_create").map(messageTextOf);
/** The texts of one conversation, in the order in which they were accepted. */
const textsIn = (platform: FakeSubscriber, conversationId: string) =>
  ofKind(platform.accepted, "message_create")
    .filter((event) => entityOf(event) === conversationId)
    .map(messageTextOf);

describe("a paused app", () => {
  let w: AdminHarness;
  let channel: string;
  beforeAll(async () => {
    w = await adminHarness({ dispatchRules: { ...SHORT_DELAYS, hostWaitMs: [20, 100], retryWaitsMs: [20, 5_000] } });
    channel = await firstChannelId(w);
  });
  afterAll(() => w.close());
  afterEach(async () => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    await pool.rows(statement("", "delete from subscriptions"), []);
    await pool.end();
    await closeHosts();
  });

  test("receives nothing; its events wait in order and arrive after it is resumed, each once", async () => {
    const platform = await host();
    const app = installedApp(w, { url: platform.url });
    const { id } = await app.state();
    const { sendMessage, conversationId } = await conversationFixture(w, channel);
    await platform.until(({ accepted }) => accepted.length === 3);
    const paused = (await app.put({ paused: true })).body;
    expect(paused).toMatchObject({ id, state: "paused", paused_time: expect.stringMatching(/Z$/), missed: 0 });
    await subscriptionsApplied(w);
    for (const text of ["1", "2", "3", "4"]) await sendMessage(text);
    const late = await conversationFixture(w, channel, "late");
    await subscriptionsApplied(w);
    expect(platform.received).toHaveLength(3);
    // A second request keeps the time of the pause.
    expect(await app.state()).toMatchObject({ id, state: "paused", paused_time: paused.paused_time, to_come: 7 });
    expect((await app.put({ paused: false })).body).toMatchObject({ id, state: "on", missed: 0 });
    await sendMessage("5");
    await platform.until(({ accepted }) => accepted.length === 11);
    expect(textsIn(platform, conversationId)).toEqual(["first", "1", "2", "3", "4", "5"]);
    expect(textsIn(platform, late.conversationId)).toEqual(["late"]);
    await waitUntil(async () => (await app.state()).to_come === 0);
    expect(new Set(platform.received.map(({ event }) => event.id)).size).toBe(platform.received.length);
  });

  test.each([503, 400])(
    "whose attempt is in progress, and is answered %d, gets no further attempt; the event and later events of the conversation follow after the resume",
    async (status) => {
      let release: (status: number) => void = () => undefined;
      const platform = await host(({ event }, count) =>
        messageTextOf(event) === "1" && count <= 4 ? new Promise((resolve) => (release = resolve)) : 200,
      );
      const app = installedApp(w, { url: platform.url });
      await app.put();
      const { sendMessage, conversationId } = await conversationFixture(w, channel);
      await platform.until(({ accepted }) => accepted.length === 3);
      await sendMessage("1");
      await sendMessage("2");
      await platform.until(({ received }) => received.length === 4);
      await app.put({ paused: true });
      await subscriptionsApplied(w);
      // Resumed while the attempt of before the pause is still in progress.
      await app.put({ paused: false });
      await subscriptionsApplied(w);
      expect(platform.received).toHaveLength(4);
      await app.put({ paused: true });
      await subscriptionsApplied(w);
      release(status);
      await subscriptionsApplied(w);
      expect(platform.received).toHaveLength(4);
      await app.put({ paused: false });
      await platform.until((each) => textsOf(each).includes("2"));
      expect(textsIn(platform, conversationId)).toEqual(["first", "1", "2"]);
      expect(platform.received).toHaveLength(6);
      expect(platform.received.every(({ inProgressOfEntity }) => inProgressOfEntity === 1)).toBe(true);
    },
  );

  test("whose host is unreachable attempts nothing until it is resumed", async () => {
    const platform = await host();
    await platform.close();
    const app = installedApp(w, { url: platform.url });
    await app.put();
    const { conversationId } = await conversationFixture(w, channel);
    await waitUntil(() => w.logLines.some((line) => line.includes("app concierge: deliveries wait")));
    await app.put({ paused: true });
    await subscriptionsApplied(w);
    const back = await receiver(() => 200, platform.port);
    hosts.push(back);
    // Each takes longer than the wait for a host.
    await subscriptionsApplied(w);
    await subscriptionsApplied(w);
    expect(back.received).toEqual([]);
    await app.put({ paused: false });
    await back.until(({ accepted }) => accepted.length === 3);
    expect(textsIn(back, conversationId)).toEqual(["first"]);
  });

  test("gets nothing again that it has accepted, though an earlier event of another conversation was still waiting", async () => {
    let isFailing = true;
    const platform = await host(({ event }) => (isFailing && messageTextOf(event) === "refused" ? 500 : 200));
    const app = installedApp(w, { url: platform.url });
    await app.put();
    const [failing, other] = await conversationsOfOnePartition(w, channel);
    await waitUntil(async () => (await app.state()).to_come === 0);
    await failing.sendMessage("refused");
    for (const text of ["1", "2"]) await other.sendMessage(text);
    await platform.until((each) => textsOf(each).includes("2"));
    await app.put({ paused: true });
    // The refused event alone is still to come, also for who asks another process.
    await waitUntil(async () => (await app.state()).to_come === 1);
    isFailing = false;
    await app.put({ paused: false });
    await other.sendMessage("3");
    await platform.until((each) => textsOf(each).includes("3") && textsOf(each).includes("refused"));
    expect(textsIn(platform, other.conversationId)).toEqual(["first", "1", "2", "3"]);
    expect(textsIn(platform, failing.conversationId)).toEqual(["first", "refused"]);
  });

  test("keeps every conversation's order through many pauses, with two processes that deliver", async () => {
    const second = await serviceHarness({
      database: w.database,
      objectsFolder: w.objectsFolder,
      dispatchRules: SHORT_DELAYS,
    });
    try {
      const platform = await host(async ({ body }) => {
        await setTimeout(body.length % 20);
        return 200;
      });
      const app = installedApp(w, { url: platform.url });
      await app.put();
      const conversations = await Promise.all(Array.from({ length: 12 }, () => conversationFixture(w, channel)));
      const texts = Array.from({ length: 12 }, (_, index) => `message ${index}`);
      for (const [turn, text] of texts.entries()) {
        const write = Promise.all(conversations.map(({ sendMessage }) => sendMessage(text)));
        await app.put({ paused: turn % 2 === 0 });
        // Some pauses end before each process has applied them.
        if (turn % 3 !== 0) await subscriptionsApplied(w);
        await write;
      }
      await waitUntil(() => textsOf(platform).filter((text) => text === "message 11").length >= 12);
      for (const { conversationId } of conversations)
        expect(textsIn(platform, conversationId)).toEqual(["first", ...texts]);
      expect(platform.received.every(({ inProgressOfEntity }) => inProgressOfEntity === 1)).toBe(true);
    } finally {
      await second.close();
    }
  });
});

describe("the events of a paused app", () => {
  const DAY_MS = 86_400_000;
  const COUNT = statement(
    "",
    `select count(*)::integer as events from outbox join accounts on accounts.id = account_id where accounts.name = $1`,
  );

  /** An old event that nobody needs. */
  const ADD_EXPIRED = statement(
    "",
    `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
     select nextval('log_positions'), gen_random_uuid(), (select id from accounts where name = 'solo'), 0, 'user_create', id,
            now() - interval '1 year', 'system', id, 1
       from (select gen_random_uuid() as id)`,
  );

  /** An app that is paused for some days, in which events of its account and another account happen. */
  const pauseFor = async (
    days: number,
    rules: { readonly pausedEventsDays: number },
    check: (found: {
      readonly w: AdminHarness;
      readonly app: InstalledApp;
      readonly platform: FakeSubscriber;
      readonly conversationId: string;
      readonly eventsOf: (account: "acme" | "solo") => Promise<number>;
    }) => Promise<void>,
  ) => {
    const clock = jumpingClock();
    const w = await adminHarness({
      ports: clock.ports,
      dispatchRules: { ...SHORT_DELAYS, retentionDays: 30, ...rules },
    });
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const eventsOf = async (account: "acme" | "solo") =>
      (await pool.one<{ events: number }>(COUNT, [account]))?.events ?? 0;
    try {
      const [platform, others] = [await host(), await host()];
      const app = installedApp(w, { url: platform.url });
      // Neither an app that runs, nor one that wants other events holds up anything.
      const running = installedApp(w, { url: others.url, app: "running" });
      const unconcerned = installedApp(w, { url: others.url, app: "unconcerned" });
      await running.put();
      await unconcerned.put({ events: ["user_update"], paused: true });
      await app.put({ paused: true, events: ["message_create"] });
      const { sendMessage, conversationId } = await conversationFixture(w, await firstChannelId(w));
      for (const text of ["1", "2", "3"]) await sendMessage(text);
      await w.solo.users.createUser({ body: { first_name: "Sol" } });
      await others.until(({ accepted }) => accepted.length === 6);
      await waitUntil(async () => (await running.state()).to_come === 0);
      expect([await eventsOf("acme"), await eventsOf("solo")]).toEqual([6, 1]);
      clock.advance(days * DAY_MS);
      // The user's, the conversation's and the other account's events expire: nobody needs them.
      await waitUntil(async () => {
        clock.advance(DISPATCH_RULES.retentionIntervalMs);
        return (await eventsOf("acme")) <= 4 && (await eventsOf("solo")) === 0;
      });
      // Two further removals, in case that more is removed than should be.
      for (let turn = 0; turn < 2; turn++) {
        await pool.rows(ADD_EXPIRED, []);
        await waitUntil(async () => {
          clock.advance(DISPATCH_RULES.retentionIntervalMs);
          return (await eventsOf("solo")) === 0;
        });
      }
      expect(await unconcerned.state()).toMatchObject({ missed: 0, to_come: 0 });
      expect(await running.state()).toMatchObject({ missed: 0, to_come: 0 });
      await check({ w, app, platform, conversationId, eventsOf });
    } finally {
      await pool.end();
      await w.close();
      await closeHosts();
    }
  };

  test("are kept for 40 days: after the resume all arrive in order, and other events expire after 30", async () => {
    await pauseFor(40, { pausedEventsDays: 90 }, async ({ app, platform, conversationId, eventsOf }) => {
      expect(await app.state()).toMatchObject({ state: "paused", missed: 0, to_come: 4 });
      expect(await eventsOf("acme")).toBe(4);
      await app.put({ paused: false });
      await platform.until(({ accepted }) => accepted.length === 4);
      expect(textsIn(platform, conversationId)).toEqual(["first", "1", "2", "3"]);
      expect(await app.state()).toMatchObject({ state: "on", missed: 0 });
    });
  });

  test("would be lost after 40 days if they expired like others, and are then counted as missed", async () => {
    await pauseFor(40, { pausedEventsDays: 1 }, async ({ app, eventsOf }) => {
      await waitUntil(async () => (await eventsOf("acme")) === 0);
      expect(await app.state()).toMatchObject({ state: "paused", missed: 4, to_come: 0 });
    });
  });

  test("expire 90 days after the pause, and are counted as missed", async () => {
    await pauseFor(91, { pausedEventsDays: 90 }, async ({ w, app, platform, eventsOf }) => {
      await waitUntil(async () => (await eventsOf("acme")) === 0);
      expect(await app.state()).toMatchObject({ state: "paused", missed: 4, to_come: 0 });
      await app.put({ paused: false });
      await subscriptionsApplied(w);
      expect(platform.received).toEqual([]);
      expect(await app.state()).toMatchObject({ state: "on", missed: 4 });
    });
  });
});
