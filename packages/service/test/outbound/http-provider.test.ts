import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { realPorts, SERVICE_SCHEMA } from "../../src/index.ts";
import { createOutboundDelivery } from "../../src/outbound/deliver.ts";
import { createHttpProvider } from "../../src/outbound/http-provider.ts";
import { world, type World } from "../service-harness.ts";
import {
  clock,
  FROM,
  GREETING,
  listed,
  MINUTE,
  NUMBERS,
  put,
  request,
  send,
  settled,
  until,
} from "./outbound-fixture.ts";
import { startFakeProvider, type Answer, type FakeProvider } from "./fake-provider.ts";

const time = clock();
let provider: FakeProvider;
let w: World;
beforeAll(async () => {
  provider = await startFakeProvider(time.now);
  w = await world({ ports: { now: time.now }, config: { outbound: { url: provider.url, secret: provider.secret } } });
  await put(w, GREETING);
});
afterAll(async () => {
  await w.close();
  await provider.close();
});
beforeEach(() => {
  provider.tries.length = 0;
  provider.answers.length = 0;
});

const tries = (count: number) =>
  until(
    async () => provider.tries.length,
    (length) => length === count,
  );
/** Waits until the attempt is recorded, so that the clock can be moved. */
const counted = async (id: string, count: number): Promise<void> => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const COUNT = statement("", "select tries from outbound_messages where request_id = $1");
  await until(
    () => pool.one<{ tries: number }>(COUNT, [id]),
    (row) => row?.tries === count,
  );
  await pool.end();
};

const attempt = { number: 1, isLast: false, signal: new AbortController().signal };

describe("a provider with a URL", () => {
  test("gets each message signed, with the final text, and with its own idempotency key", async () => {
    const body = request({ storage: "none" }, [NUMBERS.other, NUMBERS.failed]);
    const { request_id } = await send(w, body);
    const messages = await settled(w, request_id, "Sent", "Sent");
    expect(provider.tries.map(({ isSigned }) => isSigned)).toEqual([true, true]);
    for (const { message_id, to } of messages)
      expect(provider.taken.get(message_id)).toEqual({
        message_id,
        request_id,
        provider: "chatapp",
        from: { phone_number: FROM },
        to: to[0],
        data: body.data,
        rendered: { body: "Hi Ada, it is late.", buttons: [] },
      });
  });

  test("is called again after increasing delays with the same key, up to the maximum of attempts", async () => {
    const busy: Answer[] = [
      { status: 500 },
      { status: 503 },
      { status: 429 },
      { status: 408 },
      { status: 502 },
      { status: 599 },
    ];
    provider.answers.push(...busy);
    const { request_id } = await send(w, request());
    for (const [index, pause] of [5, 30, 120, 600, 1_800].entries()) {
      await tries(index + 1);
      await counted(request_id, index + 1);
      time.move(pause * 1_000 - 1);
      // When this one is sent, an attempt that came too early would have been sent too.
      const { request_id: other } = await send(w, request());
      provider.answers.unshift({ status: 400 });
      await settled(w, other, "Failed");
      provider.tries.pop();
      time.move(1);
    }
    await tries(6);
    const [message] = await settled(w, request_id, "Failed");
    expect(message).toMatchObject({
      failure_code: "PROVIDER_UNAVAILABLE",
      failure_reason: "The provider answered 599.",
    });
    expect(new Set(provider.tries.map(({ key }) => key))).toEqual(new Set([message?.message_id]));
  });

  test("is not called for the time that Retry-After states", async () => {
    provider.answers.push({ status: 429, headers: { "retry-after": "600" } });
    const { request_id } = await send(w, request());
    await tries(1);
    await counted(request_id, 1);
    time.move(9 * MINUTE);
    const { request_id: other } = await send(w, request());
    await settled(w, other, "Sent");
    expect((await listed(w, request_id))[0]?.status).toBe("Accepted");
    time.move(MINUTE);
    await settled(w, request_id, "Sent");
  });

  test.each([400, 401, 404, 410, 422, 302])("a response with %i is final", async (status) => {
    provider.answers.push({ status, headers: { location: "http://127.0.0.1:1/" } });
    const [message] = await settled(w, (await send(w, request())).request_id, "Failed");
    const failure_reason = `The provider answered ${status}.`;
    expect(message).toMatchObject({ failure_code: "PROVIDER_REFUSED", failure_reason });
    expect(provider.tries).toHaveLength(1);
  });

  test("whose response is lost gets the message again with the same key, and counts it once", async () => {
    const before = provider.taken.size;
    provider.answers.push("break");
    const { request_id } = await send(w, request());
    await counted(request_id, 1);
    time.move(5_000);
    await settled(w, request_id, "Sent");
    expect(provider.tries).toHaveLength(2);
    expect(provider.taken.size).toBe(before + 1);
  });

  test("gets one message if the work is done twice concurrently", async () => {
    provider.answers.push({ status: 503 });
    const { request_id } = await send(w, request());
    await counted(request_id, 1);
    const message_id = (await listed(w, request_id))[0]?.message_id ?? "";
    const asked: unknown[] = [];
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 4 });
    const { tasks } = createOutboundDelivery({
      pool,
      provider: createHttpProvider({ url: provider.url, secret: provider.secret }, time),
      jobs: { schedule: async (_, work) => void asked.push(work), wake: () => undefined },
      ports: { ...realPorts, now: time.now },
      wake: () => undefined,
    });
    const work = (tries: number) => tasks["outbound_send"]?.({ message_id, tries }, attempt);
    const before = provider.taken.size;
    await work(0);
    expect(provider.tries).toHaveLength(1);
    provider.answers.push({ status: 500 }, { status: 500 });
    await Promise.all([work(1), work(1)]);
    expect(asked).toEqual([expect.objectContaining({ payload: { message_id, tries: 2 } })]);
    await Promise.all([work(2), work(2), work(2)]);
    expect(provider.taken.size).toBe(before + 1);
    const EVENTS = statement("", "select count(*)::integer as count from outbox where entity_id = $1");
    expect(await pool.one(EVENTS, [message_id])).toEqual({ count: 1 });
    expect((await listed(w, request_id))[0]?.status).toBe("Sent");
    await pool.end();
  });

  test("that is not called counts no attempts, and the message fails after a day", async () => {
    provider.answers.push({ status: 503 });
    const { request_id } = await send(w, request());
    await counted(request_id, 1);
    const message_id = (await listed(w, request_id))[0]?.message_id ?? "";
    const asked: unknown[] = [];
    const failure = { code: "PROVIDER_UNAVAILABLE", reason: "Silence." };
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const at = (now: Date) =>
      createOutboundDelivery({
        pool,
        provider: { send: async () => ({ kind: "later", failure, afterMs: MINUTE }), close: async () => undefined },
        jobs: { schedule: async (_, work) => void asked.push(work), wake: () => undefined },
        ports: { ...realPorts, now: () => now },
        wake: () => undefined,
      }).tasks["outbound_send"]?.({ message_id, tries: 1 }, attempt);
    await at(time.now());
    const due = new Date(time.now().getTime() + MINUTE);
    expect(asked).toEqual([{ task: "outbound_send", payload: { message_id, tries: 1 }, due }]);
    await counted(request_id, 1);
    await at(new Date(time.now().getTime() + 24 * 60 * MINUTE));
    expect(asked).toHaveLength(1);
    expect((await listed(w, request_id))[0]).toMatchObject({ status: "Failed", failure_reason: "Silence." });
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
    provider.answers.push({ status: 200, body });
    await settled(w, (await send(w, request())).request_id, "Sent");
  });

  test("that is unreachable is called again", async () => {
    await provider.close();
    const { request_id } = await send(w, request());
    await counted(request_id, 1);
    expect((await listed(w, request_id))[0]?.status).toBe("Accepted");
  });
});
