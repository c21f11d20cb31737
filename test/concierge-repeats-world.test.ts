import { beforeAll, expect, jest, test } from "@jest/globals";
import type { Invocation } from "@parley/contract";
import fc from "fast-check";
import { conciergeWorld } from "./concierge-shared.ts";
import { eventsOf, life, LIFE_SETTINGS, seenOf, type Life } from "./concierge-life.ts";

/** Every event may be repeated, late, out of order or concurrent with another one: the final state is the same. */

jest.setTimeout(120_000);

type W = Awaited<ReturnType<typeof conciergeWorld>>;

let w: W;
let plain: Life;
/** The visible result of the run in which every event was delivered once. */
let seen: Awaited<ReturnType<typeof seenOf>>;
let told: readonly string[];

const toldOutside = () => w.outside.told.map(({ path, body }) => `${path} ${body}`).sort();
const whatIsTold = (all: readonly string[]) => all.map((one) => /"event":"([^"]+)"/.exec(one)?.[1]).sort();

beforeAll(async () => {
  w = await conciergeWorld(LIFE_SETTINGS);
  plain = await life(w);
  seen = await seenOf(w, plain);
  told = toldOutside();
}, 180_000);

/** In pairs, so that concurrent events occur. */
const comeAgain = async (events: readonly Invocation[]) => {
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
const drawn = <T>(some: readonly T[], seed: number): readonly T[] =>
  fc.sample(inAnyOrder(some), { numRuns: 1, seed })[0] ?? [];

test("in that life every use case had something to do", () => {
  const texts = seen.customers.map(({ messages }) => messages.join("\n"));
  const [ada, ben, cleo, dan, again, eve] = texts;
  expect(ada).toContain("Kept, as the customer agreed: e-mail address ada@example.com.");
  expect(ben).toContain("Thank you for your answer.");
  expect(cleo).toContain("We will look at this again.");
  expect(dan).toContain("Are you still there?");
  expect(again).toContain("Welcome back, Ada!");
  expect(eve).toContain("We are back");
  expect(seen.fay).toHaveLength(1);
  expect(seen.outbound).toHaveLength(1);
  expect([...new Set(whatIsTold(told))]).toEqual([
    "conversation.rated",
    "conversation.resolved",
    "report.made",
    "user.created",
    "user.updated",
  ]);
  expect(seen.customers.map(({ group, status }) => `${group ?? "-"} ${status ?? "-"}`)).toEqual([
    "Support new",
    "Billing resolved",
    "Returns new",
    "- resolved",
    "- new",
    "Support new",
  ]);
});

test("what comes again later, in any order and side by side, changes nothing", async () => {
  const events = await eventsOf(w);
  const before = await seenOf(w, plain, { withIds: true });
  await fc.assert(
    fc.asyncProperty(inAnyOrder(twice(events)), fc.constantFrom("0s", "3h"), async (again, wait) => {
      await w.clock.advance(wait);
      await w.settled();
      await comeAgain(again);
      expect(await seenOf(w, plain, { withIds: true })).toEqual(before);
      expect(toldOutside()).toEqual(told);
    }),
    { numRuns: 2, seed: 6, endOnFailure: true },
  );
});

test("a life in which every event comes again at once, with some from before, ends the same", async () => {
  w = await conciergeWorld(LIFE_SETTINGS);
  let known = 0;
  const other = await life(w, async () => {
    const events = await eventsOf(w);
    const more = [...twice(events.slice(known)), ...events.slice(Math.max(0, known - 3), known)];
    await comeAgain(drawn(more, events.length));
    known = (await eventsOf(w)).length;
  });
  expect(await seenOf(w, other)).toEqual(seen);
  expect(whatIsTold(toldOutside())).toEqual(whatIsTold(told));
});
