import type { ConversationChange, InboxItem } from "@parley/contract";
import { expect, test } from "@jest/globals";
import { mergeOutcomes, NO_OUTCOME, slicesOf, refusedCount, undoingChanges } from "../../src/inbox/bulk-changes.ts";
import { itemOf } from "./inbox-fixture.ts";

const restorations: readonly { readonly former: Partial<InboxItem>; readonly change: ConversationChange }[] = [
  { former: {}, change: { status: "new", assigned_group_id: "" } },
  { former: { assigned_group_id: "g1" }, change: { status: "new", assigned_group_id: "g1" } },
  {
    former: { status: "assigned", assigned_agent_id: "a1" },
    change: { status: "assigned", assigned_agent_id: "a1", assigned_group_id: "" },
  },
  {
    former: { status: "resolved", assigned_agent_id: "a1", assigned_group_id: "g1" },
    change: { status: "resolved", assigned_agent_id: "a1", assigned_group_id: "g1" },
  },
  { former: { status: "resolved" }, change: { status: "resolved", assigned_group_id: "" } },
];

test.each(restorations)("a conversation that was $former gets $change", ({ former, change }) => {
  expect(undoingChanges([itemOf(1, former)], { status: "resolved" })).toEqual([{ change, ids: ["c1"] }]);
});

test("conversations with the same former state are restored by one change", () => {
  const items = [itemOf(1), itemOf(2, { assigned_group_id: "g1" }), itemOf(3)];
  expect(undoingChanges(items, { status: "resolved" }).map(({ ids }) => ids)).toEqual([["c1", "c3"], ["c2"]]);
});

test("only the changed property is restored; a value that was absent is removed", () => {
  const items = [itemOf(1, { properties: { priority: "High", cf_a: "x" } }), itemOf(2)];
  expect(undoingChanges(items, { properties: { priority: "Urgent" } })).toEqual([
    { change: { properties: { priority: "High" } }, ids: ["c1"] },
    { change: { properties: { priority: "" } }, ids: ["c2"] },
  ]);
});

test("outcomes of several requests are added up by their reasons", () => {
  const one = { done: ["c1"], refusals: new Map([["No.", 1]]) };
  const other = {
    done: ["c2"],
    refusals: new Map([
      ["No.", 2],
      ["Gone.", 1],
    ]),
  };
  const all = [one, other].reduce(mergeOutcomes, NO_OUTCOME);
  expect(all.done).toEqual(["c1", "c2"]);
  expect([...all.refusals]).toEqual([
    ["No.", 3],
    ["Gone.", 1],
  ]);
  expect(refusedCount(all)).toBe(4);
});

test("items are divided into parts of a size", () => {
  expect(slicesOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(slicesOf([], 2)).toEqual([]);
});
