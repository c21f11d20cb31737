import { beforeAll, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeHarness, createCustomer } from "./harness.ts";

/** Postponed work is resumed automatically. */

let w: World;
beforeAll(async () => {
  w = await conciergeHarness({ csat: false });
});

const GREETING = "Hi Ada, this is Concierge. What can we do for you today?";
const MESSAGES = "GET /v2/conversations/{conversation_id}/messages";
const logLinesSince = async (firstInvocation: number) =>
  (await w.invocations()).slice(firstInvocation).flatMap(({ lines }) => lines.map(({ text }) => text));
const invocationCount = async () => (await w.invocations()).length;

test("an outage postpones the greeting, which is sent once afterwards", async () => {
  const firstInvocation = await invocationCount();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "status", status: 503, times: 4 });
  const ada = await createCustomer(w);
  expect(await logLinesSince(firstInvocation)).toContainEqual(
    expect.stringMatching(/^Greeting postponed by 1 min: the messaging API can't be reached or fails\./),
  );
  // The fault continues: the second delay is twice as long.
  await w.clock.advance("61s");
  await w.settled();
  expect(await logLinesSince(firstInvocation)).toContainEqual(expect.stringMatching(/^Greeting postponed by 2 min:/));
  await w.clock.advance("121s");
  await w.settled();
  expect(await ada.botTexts()).toEqual([GREETING]);
  expect((await w.invocations()).slice(firstInvocation).every(({ ok }) => ok)).toBe(true);
});

test("a slow response does not block the handler and postpones the greeting", async () => {
  const firstInvocation = await invocationCount();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "latency", milliseconds: 4_000, times: 1 });
  const ada = await createCustomer(w);
  expect(await ada.botTexts()).toEqual([]);
  const slow = (await w.invocations()).slice(firstInvocation).filter(({ event }) => event === "onConversationCreate");
  expect(slow).toMatchObject([{ ok: true }]);
  expect(slow[0]?.ms).toBeLessThan(4_000);
  expect(await logLinesSince(firstInvocation)).toContainEqual(
    expect.stringMatching(/^Greeting postponed by 1 min: the messaging API responds too slowly/),
  );
  await w.clock.advance("61s");
  await w.settled();
  expect(await ada.botTexts()).toEqual([GREETING]);
});

test("a used-up rate limit postpones the greeting by the time that the account states", async () => {
  const firstInvocation = await invocationCount();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "status", status: 429, retry_after: 1_200, times: 2 });
  const ada = await createCustomer(w);
  expect(await logLinesSince(firstInvocation)).toContainEqual(
    expect.stringMatching(/^Greeting postponed by 20 min: the account's calls/),
  );
  await w.clock.advance("1100s");
  await w.settled();
  expect(await ada.botTexts()).toEqual([]);
  await w.clock.advance("101s");
  await w.settled();
  expect(await ada.botTexts()).toEqual([GREETING]);
});

test("a greeting whose response is lost is sent once", async () => {
  await w.fault({
    target: "service",
    endpoint: "POST /v2/conversations/{conversation_id}/messages",
    kind: "drop",
    when: "after",
    times: 1,
  });
  const { botTexts } = await createCustomer(w);
  await w.clock.advance("61s");
  await w.settled();
  expect(await botTexts()).toEqual([GREETING]);
});

// Last in the file, since it leaves the account faulty.
test("work that fails for three days is abandoned and logged", async () => {
  const firstInvocation = await invocationCount();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "status", status: 500, times: 40 });
  await createCustomer(w);
  await w.clock.advance("3d");
  await w.settled();
  await w.clock.advance("1h");
  await w.settled();
  expect(await logLinesSince(firstInvocation)).toContainEqual(
    expect.stringMatching(/^Greeting abandoned after three days:/),
  );
  expect((await w.invocations()).slice(firstInvocation).every(({ ok }) => ok)).toBe(true);
});
