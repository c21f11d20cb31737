import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import { parleyClient } from "@parley/client";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "@parley/service";
import { WELCOME_MESSAGE } from "../../../test/support/outbound-message-fixture.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { ADMIN_KEY, localServiceHarness, type LocalServiceHarness } from "./local-service-harness.ts";

/** Features that follow the settable clock: lifetimes, business hours, retries, timestamps of new records. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
/** Requests that the provider received. It answers with the entries of `statuses`, then accepts. */
const attemptTimes: string[] = [];
const statuses: number[] = [];
const provider = createServer((request, response) => {
  request.resume().on("end", () => {
    attemptTimes.push(String(request.headers["idempotency-key"]));
    response.writeHead(statuses.shift() ?? 202, { "content-type": "application/json" });
    response.end(JSON.stringify({ provider_message_id: `p-${attemptTimes.length}` }));
  });
});

let harness: LocalServiceHarness;
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const { port } = provider.address() as AddressInfo;
  harness = await localServiceHarness({
    env: {
      PARLEY_OUTBOUND_URL: `http://127.0.0.1:${port}/send`,
      PARLEY_OUTBOUND_SECRET: SECRET,
      PARLEY_CALLS_PER_HOUR: "200",
    },
  });
});
afterAll(async () => {
  await harness.close();
  provider.closeAllConnections();
  provider.close();
});
beforeEach(() => harness.requestSuccessfully("POST", "/reset"));

const NOON = "2027-03-02T12:00:00.000Z";
test("a token expires when the clock passes its end, and is valid again when the clock is set back", async () => {
  await harness.clock({ action: "freeze", time: NOON });
  const response = await fetch(`${harness.origin}/admin/accounts/acme/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "a day's", expires_in_seconds: 86_400 }),
  });
  const { token } = (await response.json()) as { token: string };
  const statusNow = async () =>
    (await fetch(`${harness.origin}/v2/channels`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await statusNow()).toBe(200);
  await harness.clock({ action: "advance", by: "23h59m" });
  expect(await statusNow()).toBe(200);
  await harness.clock({ action: "advance", by: "1m" });
  expect(await statusNow()).toBe(401);
  await harness.clock({ action: "set", time: NOON });
  expect(await statusNow()).toBe(200);
});

campaignTest("a used-up hourly rate limit is restored in the next hour", async () => {
  await harness.clock({ action: "freeze", time: NOON });
  const ask = () => fetch(`${harness.origin}/v2/channels`, { headers: { authorization: `Bearer ${harness.token}` } });
  let refused: Response | undefined;
  for (let calls = 0; calls <= 200 && !refused; calls++) {
    const reply = await ask();
    await reply.arrayBuffer();
    if (reply.status === 429) refused = reply;
  }
  expect(refused?.headers.get("retry-after")).toBe("3600");
  await harness.clock({ action: "advance", by: "59m" });
  const late = await ask();
  expect([late.status, late.headers.get("retry-after")]).toEqual([429, "60"]);
  await harness.clock({ action: "advance", by: "1m" });
  const next = await ask();
  expect([next.status, next.headers.get("x-ratelimit-remaining")]).toEqual([200, "199"]);
});

test("business hours follow the clock", async () => {
  const isOpen = async (time: string) => {
    await harness.clock({ action: "freeze", time });
    const reply = await fetch(`${harness.origin}/v2/business-hours/within-bh`, {
      headers: { authorization: `Bearer ${harness.token}` },
    });
    return ((await reply.json()) as { within_business_hours: boolean }).within_business_hours;
  };
  // A Tuesday in New York.
  expect(await isOpen("2027-03-02T13:59:00.000Z")).toBe(false);
  expect(await isOpen("2027-03-02T14:01:00.000Z")).toBe(true);
  expect(await isOpen("2027-03-02T22:31:00.000Z")).toBe(false);
});

test("new records have the clock's time, and ids ascend while the clock is frozen", async () => {
  await harness.clock({ action: "freeze", time: NOON });
  const client = parleyClient({ url: harness.origin, token: harness.token });
  const users = [];
  for (let index = 0; index < 5; index++) users.push(await client.users.createUser({ body: { first_name: "Sam" } }));
  expect(new Set(users.map(({ created_time }) => created_time))).toEqual(new Set([NOON]));
  const ids = users.map(({ id }) => id);
  expect([...ids].sort()).toEqual(ids);
  expect(parseInt((ids[0] ?? "").replace("-", "").slice(0, 12), 16)).toBe(Date.parse(NOON));
});

test("a message after the clock was set back has the earlier time", async () => {
  await harness.clock({ action: "freeze", time: NOON });
  await harness.createConversation("Now");
  await harness.clock({ action: "set", time: "2026-01-05T09:00:00.000Z" });
  const id = await harness.createConversation("Then");
  const { messages } = await harness.client.messages.listMessages({ params: { conversation_id: id }, query: {} });
  expect(messages.map(({ created_time }) => created_time)).toEqual(["2026-01-05T09:00:00.000Z"]);
});

campaignTest("a failed outbound message is retried when the clock reaches its retry time, and not before", async () => {
  await harness.clock({ action: "freeze", time: NOON });
  [attemptTimes.length, statuses.length] = [0, 0];
  statuses.push(503, 503, 503, 503, 503);
  await harness.client.outbound.sendOutboundMessage(WELCOME_MESSAGE);
  const [message] = (await harness.client.outbound.listOutboundMessages({ query: {} })).outbound_messages;
  const { request_id = "" } = message ?? {};
  const statusOf = async () =>
    (await harness.client.outbound.listOutboundMessages({ query: { request_id } })).outbound_messages[0]?.status;
  const pool = harness.database.pool(SERVICE_SCHEMA);
  const retry = statement("", "select 1 from due_work where task = 'outbound_send' and not queued");
  const isRetryPlanned = async () => (await pool.rows(retry, [])).length === 1;
  await waitUntil(() => attemptTimes.length === 1);
  await waitUntil(isRetryPlanned);
  // Retry delays: 5 seconds, 30 seconds, 2 minutes, 10 minutes, and finally 30 minutes.
  for (const [index, by] of ["5s", "30s", "2m", "10m"].entries()) {
    await harness.clock({ action: "advance", by });
    await waitUntil(() => attemptTimes.length === index + 2);
    await waitUntil(isRetryPlanned);
  }
  await harness.clock({ action: "advance", by: "29m59s" });
  // A later message is sent meanwhile.
  await harness.client.outbound.sendOutboundMessage(WELCOME_MESSAGE);
  await waitUntil(() => attemptTimes.length === 6);
  const key = attemptTimes[0];
  const attemptsOfFirst = () => attemptTimes.filter((each) => each === key).length;
  expect([attemptsOfFirst(), await statusOf()]).toEqual([5, "Accepted"]);
  await harness.clock({ action: "advance", by: "1s" });
  await waitUntil(() => attemptsOfFirst() === 6);
  await waitUntil(async () => (await statusOf()) === "Sent");
  await pool.end();
});

test("an event whose delivery failed is retried when the clock passes its retry time", async () => {
  await harness.clock({ action: "freeze", time: NOON });
  const attempts = new Map<string, number>();
  const accepted = new Set<string>();
  let isBroken = true;
  const eventServer = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().on("end", () => {
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      if (!isBroken) accepted.add(id);
      response.writeHead(isBroken ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => eventServer.listen(0, "127.0.0.1", resolve));
  const { port } = eventServer.address() as AddressInfo;
  await harness.local.admin.subscribe({ account: "acme", name: "ears", kind: "app", url: `http://127.0.0.1:${port}/` });
  await harness.client.users.createUser({ body: { first_name: "Sam" } });
  await waitUntil(() => attempts.size > 0);
  await harness.clock({ action: "advance", by: "1s" });
  // The second attempt follows after half a second, the third one five seconds later: not while the clock stands still.
  await waitUntil(() => [...attempts.values()].includes(2));
  isBroken = false;
  await harness.clock({ action: "advance", by: "1h" });
  await waitUntil(() => accepted.size === attempts.size);
  eventServer.closeAllConnections();
  eventServer.close();
});
