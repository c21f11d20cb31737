import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { NO_METRICS, type Metrics } from "@parley/telemetry";
import { DISPATCH_RULES, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { ofKind, receiver, messageTextOf, type ReplyToEvent, type FakeSubscriber } from "./fake-subscriber.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { subscriptionsApplied } from "./subscriptions-applied.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";

const RULES = {
  ...DISPATCH_RULES,
  controlMs: 100,
  retryWaitsMs: [20, 60],
  hostWaitMs: [20, 100],
  backlog: 20,
  batch: 10,
  concurrency: 4,
} as const;

const DEAD_LETTERS = statement(
  "",
  `select deliveries.event_id, deliveries.tries, deliveries.reason
     from deliveries join subscriptions on subscriptions.id = deliveries.subscription_id
    where subscriptions.name = $1 and deliveries.state = 'dead'
    order by deliveries.seq`,
);
const REFUSE = `
  create sequence refused_deliveries;
  create function refuse_delivery() returns trigger language plpgsql as $$
    begin perform nextval('refused_deliveries'); raise exception 'no room'; end $$;
  create trigger refused before insert or update on deliveries for each row execute function refuse_delivery()`;
const ACCEPT_DELIVERIES = "drop function refuse_delivery() cascade; drop sequence refused_deliveries";
/** A sequence counts what was rolled back too. */
const REFUSED = statement("", "select last_value::integer as count from refused_deliveries");
const UNSUBSCRIBE = statement("", "delete from subscriptions");

/** Attempts that did not reach their host. */
let unreachable = 0;
const metrics: Metrics = {
  ...NO_METRICS,
  isOn: true,
  histogram: () => (labels: object) => {
    if ("outcome" in labels && labels.outcome === "unreachable") unreachable++;
  },
};

let w: ServiceHarness;
let channel: string;
const hosts: FakeSubscriber[] = [];
beforeAll(async () => {
  w = await serviceHarness({ dispatchRules: RULES, metrics });
  channel = await firstChannelId(w);
});
afterAll(() => w.close());
afterEach(async () => {
  await w.database.pool(SERVICE_SCHEMA, { max: 1 }).rows(UNSUBSCRIBE, []);
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

const subscriber = async (name: string, response?: ReplyToEvent): Promise<FakeSubscriber> => {
  const host = await receiver(response);
  hosts.push(host);
  await w.admin.subscribe({ account: "acme", name, kind: "app", url: host.url });
  return host;
};
const deadLetters = (name: string) =>
  w.database
    .pool(SERVICE_SCHEMA, { max: 1 })
    .rows<{ event_id: string; tries: number; reason: string }>(DEAD_LETTERS, [name]);
const texts = ({ accepted }: FakeSubscriber) => ofKind(accepted, "message_create").map(messageTextOf);

describe("an event that its subscriber refuses", () => {
  const refusing: [string, number | undefined, number, string][] = [
    ["500", 500, 3, "answered 500"],
    ["429", 429, 3, "answered 429"],
    ["302, which leads nowhere", 302, 3, "answered 302"],
    ["400", 400, 1, "answered 400"],
    ["401", 401, 1, "answered 401"],
    ["404", 404, 1, "answered 404"],
    ["410", 410, 1, "answered 410"],
    ["a broken connection", undefined, 3, "Error in establishing connection"],
  ];
  test.each(refusing)(
    "with %s becomes a dead letter, and delivery continues with the next one",
    async (name, status, tries, reason) => {
      const host = await subscriber(name, ({ event }) => (messageTextOf(event) === "bad" ? status : 200));
      const { sendMessage } = await conversationFixture(w, channel);
      await sendMessage("bad");
      await sendMessage("good");
      await host.until((each) => texts(each).includes("good"));
      const attempts = host.received.filter(({ event }) => messageTextOf(event) === "bad");
      expect(attempts).toHaveLength(tries);
      expect(new Set(attempts.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      expect(texts(host)).toEqual(["first", "good"]);
      expect(await deadLetters(name)).toEqual([{ event_id: attempts[0]?.event.id, tries, reason }]);
      expect(
        w.logLines.filter((line) => line.startsWith(`error: events: ${name}: event ${attempts[0]?.event.id}`)),
      ).toHaveLength(1);
    },
  );

  test("and that can't be recorded is held until it can be, which is logged once", async () => {
    const host = await subscriber("unnoted", ({ event }) => (messageTextOf(event) === "bad" ? 400 : 200));
    const clock = await w.database.connect(SERVICE_SCHEMA);
    await clock.script(REFUSE);
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("bad");
    await sendMessage("good");
    const failureLines = () => w.logLines.filter((line) => line.includes("cannot be saved"));
    const refused = async () => (await clock.one<{ count: number }>(REFUSED, []))?.count ?? 0;
    await waitUntil(async () => (await refused()) >= 3);
    expect(texts(host)).toEqual(["first"]);
    await clock.script(ACCEPT_DELIVERIES);
    await clock.close();
    await host.until((each) => texts(each).includes("good"));
    expect(failureLines()).toEqual([
      "error: events: the outcome of a delivery cannot be saved; trying again: no room (code P0001)",
    ]);
    expect(await deadLetters("unnoted")).toMatchObject([{ tries: 1, reason: "answered 400" }]);
  });

  test("at the first attempt and accepts at the second is delivered, and the events after it wait", async () => {
    let refusals = 0;
    const host = await subscriber("wavers", ({ event }) =>
      messageTextOf(event) === "bad" && refusals++ === 0 ? 503 : 200,
    );
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("bad");
    await sendMessage("good");
    await host.until((each) => texts(each).includes("good"));
    expect(texts(host)).toEqual(["first", "bad", "good"]);
    expect(await deadLetters("wavers")).toEqual([]);
  });
});

describe("an app host that is unreachable", () => {
  test("gets every event in order once it is reachable, even after more attempts than an event has", async () => {
    const host = await subscriber("restarts");
    const { sendMessage } = await conversationFixture(w, channel);
    await host.until((each) => texts(each).length === 1);
    await host.close();
    const spoken = Array.from({ length: 30 }, (_, index) => `while away ${index}`);
    for (const text of spoken) await sendMessage(text);
    await waitUntil(() => unreachable > RULES.retryWaitsMs.length + 1);
    const back = await receiver(undefined, host.port);
    hosts.push(back);
    await back.until((each) => texts(each).length >= spoken.length);
    expect(texts(back)).toEqual(spoken);
    expect(await deadLetters("restarts")).toEqual([]);
    expect(w.logLines.filter((line) => line.includes("events: restarts:"))).toEqual([
      "error: events: restarts: deliveries wait: the host can't be reached (ECONNREFUSED)",
      "events: restarts: deliveries continue",
    ]);
  });
});

describe("a subscription", () => {
  test("gets events of its own account only, from its creation on", async () => {
    const early = await conversationFixture(w, channel);
    await early.sendMessage("before");
    const host = await subscriber("late");
    await w.solo.users.createUser({ body: { first_name: "Elsewhere" } });
    for (const text of ["after", "last"]) await early.sendMessage(text);
    await host.until((each) => texts(each).includes("last"));
    expect(texts(host)).toEqual(["after", "last"]);
    expect(host.accepted).toHaveLength(2);
  });

  test("that is created again keeps its id and secret, and its events go to the new address", async () => {
    const host = await subscriber("moves");
    const { sendMessage } = await conversationFixture(w, channel);
    await host.until((each) => texts(each).length === 1);
    const next = await receiver();
    hosts.push(next);
    const wanted = { account: "acme", name: "moves", kind: "app" as const };
    const first = await w.admin.subscribe({ ...wanted, url: next.url });
    expect(await w.admin.subscribe({ ...wanted, url: next.url })).toEqual(first);
    await subscriptionsApplied(w);
    await sendMessage("to the new address");
    await next.until((each) => texts(each).length === 1);
    expect(texts(host)).toEqual(["first"]);
  });

  test("of a nonexistent account is refused", async () => {
    await expect(
      w.admin.subscribe({ account: "nobody", name: "x", kind: "app", url: "http://127.0.0.1:1/" }),
    ).rejects.toThrow('there is no account "nobody"');
  });
});
