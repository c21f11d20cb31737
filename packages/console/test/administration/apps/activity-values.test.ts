import "../../browser-globals.ts";
import { expect, test } from "@jest/globals";

const { callQueryOf, everyCall, raisedAgain, raisedEventOf, raiseProblems } =
  await import("../../../src/administration/apps/activity-values.ts");

/** Filters of calls, and the form for raising an event. */

const NOW = Date.parse("2026-03-04T12:00:00.000Z");

test.each([
  [everyCall, {}],
  [{ ...everyCall, event: "onMessageCreate" }, { event: "onMessageCreate" }],
  [{ ...everyCall, result: "failed" as const }, { result: "failed" }],
  [{ ...everyCall, period: "hour" as const }, { from: "2026-03-04T11:00:00.000Z" }],
  [{ ...everyCall, period: "day" as const }, { from: "2026-03-03T12:00:00.000Z" }],
  [{ ...everyCall, period: "week" as const }, { from: "2026-02-25T12:00:00.000Z" }],
])("the filter %j asks for %j", (filter, query) => {
  expect(callQueryOf(filter, NOW)).toEqual(query);
});

test.each([
  ["{}", undefined],
  ['{"data": {}}', undefined],
  ["", "This is not JSON"],
  ["{", "This is not JSON"],
  ["[]", "A payload is an object"],
  ["null", "A payload is an object"],
  ['"text"', "A payload is an object"],
])("the payload %s is refused with: %s", (payload, problem) => {
  const { payload: found } = raiseProblems({ event: "onMessageCreate", payload });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test("an event must be chosen", () => {
  expect(raiseProblems({ event: "", payload: "{}" })).toEqual({ event: "Choose an event." });
});

test("a recorded call is raised again without the parameters and the host, which are those of the installation", () => {
  const values = raisedAgain({
    event: "onMessageCreate",
    payload: { data: { id: 1 }, iparams: { greeting: "Hi" }, currentHost: {} },
  });
  expect(raisedEventOf(values)).toEqual({ event: "onMessageCreate", payload: { data: { id: 1 } } });
});

test.each([null, "not kept: 300000 characters of JSON", []])(
  "a recorded payload %j is raised as an empty payload",
  (payload) => {
    expect(raisedEventOf(raisedAgain({ event: "e", payload })).payload).toEqual({});
  },
);
