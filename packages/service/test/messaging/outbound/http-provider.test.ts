import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { realPorts, SERVICE_SCHEMA } from "../../../src/index.ts";
import { createOutboundDelivery } from "../../../src/messaging/outbound/deliver.ts";
import { createHttpProvider } from "../../../src/messaging/outbound/provider.ts";
import { serviceHarness } from "../../service-harness.ts";
import {
  fakeClock,
  SENDER_NUMBER,
  GREETING_TEMPLATE,
  messagesOfRequest,
  MINUTE_MS,
  RECIPIENT_NUMBERS,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
  pollUntil,
} from "./outbound-fixture.ts";
import { startFakeProvider, type ProviderReply } from "./fake-provider.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const time = fakeClock();
const provider = fileFixture(() => startFakeProvider(time.now));
const w = fileFixture(() =>
  serviceHarness({
    ports: { now: time.now },
    config: { outbound: { url: provider.url, secret: provider.secret } },
  }),
);
beforeAll(async () => {
  await saveTemplate(w, GREETING_TEMPLATE);
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.replies.length = 0;
});

const tries = (count: number) =>
  pollUntil(
    async () => provider.requests.length,
    (length) => length === count,
  );
/** Waits until the attempt is recorded, so that the clock can be moved. */
const counted = async (id: string, count: number): Promise<void> => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const COUNT = statement("", "select tries from outbound_messages where request_id = $1");
  await pollUntil(
    () => pool.one<{ tries: number }>(COUNT, [id]),
    (row) => row?.tries === count,
  );
  await pool.end();
};

const attempt = { number: 1, isLast: false, signal: new AbortController().signal };

describe("a provider with a URL", () => {
  test("gets each message signed, with the final text, and with its own idempotency key", async () => {
    const body = outboundRequest({ storage: "none" }, [RECIPIENT_NUMBERS.other, RECIPIENT_NUMBERS.failed]);
    const { request_id } = await sendOutbound(w, body);
    const messages = await untilStatuses(w, request_id, "Sent", "Sent");
    expect(provider.requests.map(({ isSigned }) => isSigned)).toEqual([true, true]);
    for (const { message_id, to } of messages)
      expect(provider.accepted.get(message_id)).toEqual({
        message_id,
        request_id,
        provider: "chatapp",
        from: { phone_number: SENDER_NUMBER },
        to: to[0],
        data: body.data,
        rendered: { body: "Hi Ada, it is late.", buttons: [] },
      });
  });

  test("is called again after increasing delays with the same key, up to the maximum of attempts", async () => {
    const busy: ProviderReply[] = [
      { status: 500 },
      { status: 503 },
      { status: 429 },
      { status: 408 },
      { status: 502 },
      { status: 599 },
    ];
    provider.replies.push(...busy);
    const { request_id } = await sendOutbound(w, outboundRequest());
    for (const [index, pause] of [5, 30, 120, 600, 1_800].entries()) {
      await tries(index + 1);
      await counted(request_id, index + 1);
      time.advance(pause * 1_000 - 1);
      // When this one is sent, an attempt that came too early would have been sent too.
      const { request_id: other } = await sendOutbound(w, outboundRequest());
      provider.replies.unshift({ status: 400 });
      await untilStatuses(w, other, "Failed");
      provider.requests.pop();
      time.advance(1);
    }
    await tries(6);
    const [message] = await untilStatuses(w, request_id, "Failed");
    expect(message).toMatchObject({
      failure_code: "PROVIDER_UNAVAILABLE",
      failure_reason: "The provider answered 599.",
    });
    expect(new Set(provider.requests.map(({ key }) => key))).toEqual(new Set([message?.message_id]));
  });

  test("is not called for the time that Retry-After states", async () => {
    provider.replies.push({ status: 429, headers: { "retry-after": "600" } });
    const { request_id } = await sendOutbound(w, outboundRequest());
    await tries(1);
    await counted(request_id, 1);
    time.advance(9 * MINUTE_MS);
    const { request_id: other } = await sendOutbound(w, outboundRequest());
    await untilStatuses(w, other, "Sent");
    expect((await messagesOfRequest(w, request_id))[0]?.status).toBe("Accepted");
    time.advance(MINUTE_MS);
    await untilStatuses(w, request_id, "Sent");
  });

  test.each([400, 401, 404, 410, 422, 302])("a response with %i is final", async (status) => {
    provider.replies.push({ status, headers: { location: "http://127.0.0.1:1/" } });
    const [message] = await untilStatuses(w, (await sendOutbound(w, outboundRequest())).request_id, "Failed");
    const failure_reason = `The provider answered ${status}.`;
    expect(message).toMatchObject({ failure_code: "PROVIDER_REFUSED", failure_reason });
    expect(provider.requests).toHaveLength(1);
  });

  test("whose response is lost gets the message again with the same key, and counts it once", async () => {
    const before = provider.accepted.size;
    provider.replies.push("break");
    const { request_id } = await sendOutbound(w, outboundRequest());
    await counted(request_id, 1);
    time.advance(5_000);
    await untilStatuses(w, request_id, "Sent");
    expect(provider.requests).toHaveLength(2);
    expect(provider.accepted.size).toBe(before + 1);
  });

  test("gets one message if the work is done twice concurrently", async () => {
    provider.replies.push({ status: 503 });
    const { request_id } = await sendOutbound(w, outboundRequest());
    await counted(request_id, 1);
    const message_id = (await messagesOfRequest(w, request_id))[0]?.message_id ?? "";
    const jobs: unknown[] = [];
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 4 });
    const { tasks } = createOutboundDelivery({
      pool,
      provider: createHttpProvider({ url: provider.url, secret: provider.secret }, time),
      jobs: { schedule: async (_, work) => void jobs.push(work), wake: () => undefined },
      ports: { ...realPorts, now: time.now },
      wake: () => undefined,
    });
    const work = (tries: number) => tasks["outbound_send"]?.({ message_id, tries }, attempt);
    const before = provider.accepted.size;
    await work(0);
    expect(provider.requests).toHaveLength(1);
    provider.replies.push({ status: 500 }, { status: 500 });
    await Promise.all([work(1), work(1)]);
    expect(jobs).toEqual([expect.objectContaining({ payload: { message_id, tries: 2 } })]);
    // The second of the two does nothing if the first has ended before: its reply must not fail the next attempt.
    provider.replies.length = 0;
    await Promise.all([work(2), work(2), work(2)]);
    expect(provider.accepted.size).toBe(before + 1);
    const EVENTS = statement("", "select count(*)::integer as count from outbox where entity_id = $1");
    expect(await pool.one(EVENTS, [message_id])).toEqual({ count: 1 });
    expect((await messagesOfRequest(w, request_id))[0]?.status).toBe("Sent");
    await pool.end();
  });

  test("that is not called counts no attempts, and the message fails after a day", async () => {
    provider.replies.push({ status: 503 });
    const { request_id } = await sendOutbound(w, outboundRequest());
    await counted(request_id, 1);
    const message_id = (await messagesOfRequest(w, request_id))[0]?.message_id ?? "";
    const jobs: unknown[] = [];
    const failure = { code: "PROVIDER_UNAVAILABLE", reason: "Silence." };
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const at = (now: Date) =>
      createOutboundDelivery({
        pool,
        provider: { send: async () => ({ kind: "later", failure, afterMs: MINUTE_MS }), close: async () => undefined },
        jobs: { schedule: async (_, work) => void jobs.push(work), wake: () => undefined },
        ports: { ...realPorts, now: () => now },
        wake: () => undefined,
      }).tasks["outbound_send"]?.({ message_id, tries: 1 }, attempt);
    await at(time.now());
    const due = new Date(time.now().getTime() + MINUTE_MS);
    expect(jobs).toEqual([{ task: "outbound_send", payload: { message_id, tries: 1 }, due }]);
    await counted(request_id, 1);
    await at(new Date(time.now().getTime() + 24 * 60 * MINUTE_MS));
    expect(jobs).toHaveLength(1);
    expect((await messagesOfRequest(w, request_id))[0]).toMatchObject({ status: "Failed", failure_reason: "Silence." });
    await pool.end();
  });

  test.each([
    "",
    "no JSON",
    "[]",
    "null",
    `{"provider_message_id": 7}`,
    `{"provider_message_id": "${"x".repeat(300)}"}`,
  ])("that answers %j has accepted the message", async (body) => {
    provider.replies.push({ status: 200, body });
    await untilStatuses(w, (await sendOutbound(w, outboundRequest())).request_id, "Sent");
  });

  test("that is unreachable is called again", async () => {
    await provider.close();
    const { request_id } = await sendOutbound(w, outboundRequest());
    await counted(request_id, 1);
    expect((await messagesOfRequest(w, request_id))[0]?.status).toBe("Accepted");
  });
});
