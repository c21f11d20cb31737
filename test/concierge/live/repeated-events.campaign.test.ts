import { beforeAll, expect, test } from "@jest/globals";
import type { Invocation } from "@parley/contract";
import fc from "fast-check";
import { conciergeHarness } from "./harness.ts";
import { repeatableEvents, runScenario, SCENARIO_SETTINGS, visibleStateOf, type ScenarioResult } from "./scenario.ts";

/** Every event may be repeated, late, out of order or concurrent with another event: the final state is the same. */

type Harness = Awaited<ReturnType<typeof conciergeHarness>>;

let w: Harness;
let scenario: ScenarioResult;
/** The visible result of the run in which every event was delivered once. */
let visibleState: Awaited<ReturnType<typeof visibleStateOf>>;
let sentMessages: readonly string[];

const sortedRequests = () => w.externalSystem.requests.map(({ path, body }) => `${path} ${body}`).sort();
const eventNamesOf = (all: readonly string[]) => all.map((one) => /"event":"([^"]+)"/.exec(one)?.[1]).sort();

beforeAll(async () => {
  w = await conciergeHarness(SCENARIO_SETTINGS);
  scenario = await runScenario(w);
  visibleState = await visibleStateOf(w, scenario);
  sentMessages = sortedRequests();
}, 180_000);

/** In pairs, so that concurrent events occur. */
const repeatEvents = async (events: readonly Invocation[]) => {
  for (let at = 0; at < events.length; at += 2) {
    const pair = events.slice(at, at + 2);
    const called = await Promise.all(
      pair.map(({ event, payload }) => w.event(event, payload as Record<string, unknown>)),
    );
    expect(called.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([]);
  }
  await w.settled();
};
const twice = <T>(some: readonly T[]): T[] => [...some, ...some];
const inAnyOrder = <T>(some: readonly T[]) =>
  fc.shuffledSubarray([...some], { minLength: some.length, maxLength: some.length });
const shuffled = <T>(some: readonly T[], seed: number): readonly T[] =>
  fc.sample(inAnyOrder(some), { numRuns: 1, seed })[0] ?? [];

test("every use case acts in the scenario", () => {
  const texts = visibleState.customers.map(({ messages }) => messages.join("\n"));
  const [ada, ben, cleo, dan, again, eve] = texts;
  expect(ada).toContain("Kept, as the customer agreed: e-mail address ada@example.com.");
  expect(ben).toContain("Thank you for your answer.");
  expect(cleo).toContain("We will look at this again.");
  expect(dan).toContain("Are you still there?");
  expect(again).toContain("Welcome back, Ada!");
  expect(eve).toContain("We are back");
  expect(visibleState.fay).toHaveLength(1);
  expect(visibleState.outbound).toHaveLength(1);
  expect([...new Set(eventNamesOf(sentMessages))]).toEqual([
    "conversation.rated",
    "conversation.resolved",
    "report.made",
    "user.created",
    "user.updated",
  ]);
  expect(visibleState.customers.map(({ group, status }) => `${group ?? "-"} ${status ?? "-"}`)).toEqual([
    "Support new",
    "Billing resolved",
    "Returns new",
    "- resolved",
    "- new",
    "Support new",
  ]);
});

test("repeated events, late, in any order and concurrent, have no effect", async () => {
  const events = await repeatableEvents(w);
  const before = await visibleStateOf(w, scenario, { withIds: true });
  await fc.assert(
    fc.asyncProperty(inAnyOrder(twice(events)), fc.constantFrom("0s", "3h"), async (again, wait) => {
      await w.clock.advance(wait);
      await w.settled();
      await repeatEvents(again);
      expect(await visibleStateOf(w, scenario, { withIds: true })).toEqual(before);
      expect(sortedRequests()).toEqual(sentMessages);
    }),
    { numRuns: 2, seed: 6, endOnFailure: true },
  );
});

test("a scenario with immediate repetitions of all events has the same result", async () => {
  w = await conciergeHarness(SCENARIO_SETTINGS);
  let repeatedCount = 0;
  const other = await runScenario(w, async () => {
    const events = await repeatableEvents(w);
    const more = [
      ...twice(events.slice(repeatedCount)),
      ...events.slice(Math.max(0, repeatedCount - 3), repeatedCount),
    ];
    await repeatEvents(shuffled(more, events.length));
    repeatedCount = (await repeatableEvents(w)).length;
  });
  expect(await visibleStateOf(w, other)).toEqual(visibleState);
  expect(eventNamesOf(sortedRequests())).toEqual(eventNamesOf(sentMessages));
});
