import "../../browser-globals.ts";
import { expect, test } from "@jest/globals";

const { callQueryOf, everyCall, raisableOf, raisedAgain, raisedEventOf, raiseProblems } =
  await import("../../../src/administration/apps/activity-values.ts");

/** Filters of calls, and the form for raising an event. */

const MESSAGE = { event: "onMessageCreate", kind: "product", handler: "answer", sample: {} } as const;

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

test.each([
  ['{\n  "data": {\n    "task": nothing\n  }\n}', 3, 13],
  ['{\n  "data": {,}\n}', 2, 12],
  ['{"a": 1 "b": 2}', 1, 9],
  ['{"a": "open}', 1, 13],
  ["{", 1, 2],
])("the error in the payload %j is at line %i, column %i", (payload, line, column) => {
  expect(raiseProblems({ event: "onMessageCreate", payload }).payload).toContain(`(line ${line}, column ${column}):`);
});

test("a function is raised as a function, and an event of one of several modules by its module", () => {
  const add = { event: "add", kind: "function", handler: "add", sample: {} } as const;
  const inModule = { ...MESSAGE, event: "chat_conversation/onMessageCreate" };
  expect(raisedEventOf(raisedAgain(add, { payload: { a: 1 } }))).toEqual({
    event: "add",
    is_function: true,
    payload: { a: 1 },
  });
  expect(raisableOf([add, inModule], { event: "onMessageCreate", kind: "product", handler: "answer" })).toBe(inModule);
  expect(raisableOf([inModule], { event: "add", kind: "function", handler: "add" })).toBeUndefined();
});

test("an event must be chosen", () => {
  expect(raiseProblems({ event: "", payload: "{}" })).toEqual({ event: "Choose an event." });
});

test("a recorded call is raised again without the parameters and the host, which are those of the installation", () => {
  const values = raisedAgain(MESSAGE, {
    payload: { data: { id: 1 }, iparams: { greeting: "Hi" }, currentHost: {} },
  });
  expect(raisedEventOf(values)).toEqual({ event: "onMessageCreate", payload: { data: { id: 1 } } });
});

test.each([null, "not kept: 300000 characters of JSON", []])(
  "a recorded payload %j is raised as an empty payload",
  (payload) => {
    expect(raisedEventOf(raisedAgain(MESSAGE, { payload })).payload).toEqual({});
  },
);
