import { beforeAll, expect, jest, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeWorld, customer } from "./concierge-shared.ts";

/** Postponed work is resumed automatically. */

jest.setTimeout(60_000);

let w: World;
beforeAll(async () => {
  w = await conciergeWorld({ csat: false });
}, 90_000);

const GREETING = "Hi Ada, this is Concierge. What can we do for you today?";
const MESSAGES = "GET /v2/conversations/{conversation_id}/messages";
const linesSince = async (begun: number) =>
  (await w.invocations()).slice(begun).flatMap(({ lines }) => lines.map(({ text }) => text));
const count = async () => (await w.invocations()).length;

test("an outage puts the greeting off, and it comes once when the outage is over", async () => {
  const begun = await count();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "status", status: 503, times: 4 });
  const ada = await customer(w);
  expect(await linesSince(begun)).toContainEqual(
    expect.stringMatching(/^Put off for 60 s: greet\. The messaging API can't be reached or fails at the moment\./),
  );
  // The fault continues: the second delay is twice as long.
  await w.clock.advance("61s");
  await w.settled();
  expect(await linesSince(begun)).toContainEqual(expect.stringMatching(/^Put off for 120 s: greet\./));
  await w.clock.advance("121s");
  await w.settled();
  expect(await ada.hears()).toEqual([GREETING]);
  expect((await w.invocations()).slice(begun).every(({ ok }) => ok)).toBe(true);
});

test("a slow answer does not hold the handler, and the greeting comes later", async () => {
  const begun = await count();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "latency", milliseconds: 4_000, times: 1 });
  const ada = await customer(w);
  expect(await ada.hears()).toEqual([]);
  const slow = (await w.invocations()).slice(begun).filter(({ event }) => event === "onConversationCreate");
  expect(slow).toMatchObject([{ ok: true }]);
  expect(slow[0]?.ms).toBeLessThan(4_000);
  expect(await linesSince(begun)).toContainEqual(
    expect.stringMatching(/^Put off for 60 s: greet\. The messaging API is slow/),
  );
  await w.clock.advance("61s");
  await w.settled();
  expect(await ada.hears()).toEqual([GREETING]);
});

test("a used-up allowance is waited for as long as the account says", async () => {
  const begun = await count();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "status", status: 429, retry_after: 1_200, times: 2 });
  const ada = await customer(w);
  expect(await linesSince(begun)).toContainEqual(
    expect.stringMatching(/^Put off for 1200 s: greet\. The account's calls/),
  );
  await w.clock.advance("1100s");
  await w.settled();
  expect(await ada.hears()).toEqual([]);
  await w.clock.advance("101s");
  await w.settled();
  expect(await ada.hears()).toEqual([GREETING]);
});

test("the answer of a message that was lost after it was sent makes no second one", async () => {
  await w.fault({
    target: "service",
    endpoint: "POST /v2/conversations/{conversation_id}/messages",
    kind: "drop",
    when: "after",
    times: 1,
  });
  const { hears } = await customer(w);
  await w.clock.advance("61s");
  await w.settled();
  expect(await hears()).toEqual([GREETING]);
});

// Last in the file, since it leaves the account faulty.
test("what fails for three days is given up, and told", async () => {
  const begun = await count();
  await w.fault({ target: "service", endpoint: MESSAGES, kind: "status", status: 500, times: 40 });
  await customer(w);
  await w.clock.advance("3d");
  await w.settled();
  await w.clock.advance("1h");
  await w.settled();
  expect(await linesSince(begun)).toContainEqual(expect.stringMatching(/^Given up after three days: greet\./));
  expect((await w.invocations()).slice(begun).every(({ ok }) => ok)).toBe(true);
});
