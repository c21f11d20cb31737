import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { changedSetting, comparableText, mergedMembers } from "../../src/administration/entry-merge.ts";

describe("changes of a form and of others", () => {
  test.each([
    ["of different members are both kept", { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }, []],
    ["of the same member are a conflict", { a: 1 }, { a: 2 }, { a: 3 }, { a: 2 }, ["a"]],
    ["that are the same are none", { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }, []],
    ["that remove a member remove it", { a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }, []],
    ["that add a member add it", {}, {}, { a: [1] }, { a: [1] }, []],
    ["that remove what others changed are a conflict", { a: 1 }, {}, { a: 2 }, {}, ["a"]],
  ])("%s", (_name, before, entered, present, merged, conflicts) => {
    expect(mergedMembers(before, entered, present)).toEqual({ merged, conflicts });
  });

  test("never lose one of them without a conflict", () => {
    const members = fc.record({ a: fc.nat(2), b: fc.nat(2), c: fc.nat(2) });
    fc.assert(
      fc.property(members, members, members, (before, entered, present) => {
        const { merged, conflicts } = mergedMembers(before, entered, present);
        for (const name of ["a", "b", "c"] as const) {
          if (entered[name] !== before[name]) expect(merged[name]).toBe(entered[name]);
          else expect(merged[name]).toBe(present[name]);
          const isLost = present[name] !== before[name] && merged[name] !== present[name];
          expect(conflicts.includes(name)).toBe(isLost);
        }
      }),
    );
  });
});

test("the order of members and the signatures of uploads make no difference, other parameters do", () => {
  const address = "http://localhost/objects/uploads/1/2";
  expect(comparableText({ a: 1, b: `${address}?expires=1&signature=x` })).toBe(
    comparableText({ b: `${address}?expires=2&signature=y`, a: 1 }),
  );
  expect(comparableText("https://a.example/b?c=1")).not.toBe(comparableText("https://a.example/b?c=2"));
});

test("a setting is sent with what changed and what a document needs", () => {
  const present = { id: "1", name: "Sales", description: "a", tags: ["x"] };
  expect(changedSetting(present, { ...present, description: "b" }, ["id", "name"])).toEqual({
    id: "1",
    name: "Sales",
    description: "b",
  });
  expect(changedSetting(undefined, present, ["name"])).toEqual(present);
});
