import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { testDatabase } from "@parley/database/testing";
import { DISPATCH_RULES } from "../../../src/index.ts";
import { conversationFixture, firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { dispatchHarness, SHORT_DELAYS } from "./dispatch-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { endpoint, type FakeMessageEndpoint } from "./fake-message-endpoint.ts";

/** Deliveries of a service whose event loop counts as busy all the time. */
const BUSY = { ...SHORT_DELAYS, pacing: { ...DISPATCH_RULES.pacing, busyUtilization: -1, minPerSecond: 0.000_1 } };

let database: Awaited<ReturnType<typeof testDatabase>>;
let at: FakeMessageEndpoint;
beforeEach(async () => {
  [database, at] = await Promise.all([testDatabase(), endpoint()]);
});
afterEach(async () => {
  await at.close();
  await database.close();
});

test("events wait in the log while the service is busy, and each arrives once and in order after a restart", async () => {
  const busy = await dispatchHarness({ database, dispatchRules: BUSY });
  const { id } = await busy.subscribeEndpoint(at);
  const { sendMessage } = await conversationFixture(busy, await firstChannelId(busy));
  for (const text of ["1", "2", "3"]) await sendMessage(text);
  const waiting = busy.subscriptionOf(id, at);
  await waitUntil(async () => (await waiting.status()).to_come === 4);
  await busy.close();
  expect(at.deliveries).toEqual([]);
  const free = await dispatchHarness({ database });
  try {
    await at.until((each) => each.acceptedTexts().length === 4);
    await free.subscriptionOf(id, at).untilCompleted();
    expect(at.deliveries.map(({ text }) => text)).toEqual(["first", "1", "2", "3"]);
  } finally {
    await free.close();
  }
});
