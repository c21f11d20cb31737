import type { InboxFilter, InboxItem } from "@parley/contract";
import { expect, test } from "@jest/globals";
import { matchesView, splitProperty, type Viewer } from "../../src/inbox/view-match.ts";
import { itemOf, VIEWER } from "./inbox-fixture.ts";

interface Case {
  readonly filter: InboxFilter;
  readonly matching: Partial<InboxItem>;
  readonly other: Partial<InboxItem>;
}

const mine = { status: "assigned", assigned_agent_id: "me-id" } as const;
const cases: readonly Case[] = [
  { filter: {}, matching: {}, other: { status: "resolved" } },
  { filter: {}, matching: { status: "reopened" }, other: { status: "resolved" } },
  { filter: { status: "new" }, matching: {}, other: mine },
  { filter: { status: "assigned" }, matching: mine, other: {} },
  { filter: { status: "resolved" }, matching: { status: "resolved" }, other: {} },
  { filter: { status: "all", agent: "me" }, matching: { ...mine, status: "resolved" }, other: {} },
  { filter: { agent: "me" }, matching: mine, other: { ...mine, assigned_agent_id: "a1" } },
  { filter: { agent: "none" }, matching: {}, other: mine },
  { filter: { agent: "a1" }, matching: { assigned_agent_id: "a1" }, other: mine },
  { filter: { group: "mine" }, matching: { assigned_group_id: "own-group" }, other: { assigned_group_id: "g1" } },
  { filter: { group: "none" }, matching: {}, other: { assigned_group_id: "g1" } },
  { filter: { group: "g1" }, matching: { assigned_group_id: "g1" }, other: {} },
  { filter: { channel: "topic" }, matching: {}, other: { channel_id: "other" } },
  { filter: { priority: "High" }, matching: { properties: { priority: "High" } }, other: {} },
  { filter: { priority: "none" }, matching: {}, other: { properties: { priority: "Low" } } },
  { filter: { property: "cf_a:x:y" }, matching: { properties: { cf_a: "x:y" } }, other: { properties: { cf_a: "x" } } },
  { filter: { property: "cf_a:x" }, matching: { properties: { cf_a: ["w", "x"] } }, other: {} },
  { filter: { user: "u1" }, matching: {}, other: { customer: { id: "u2" } } },
  { filter: { unread: true }, matching: { unread: 2 }, other: { unread: 0 } },
  { filter: { unread: false }, matching: { unread: 0 }, other: { unread: 2 } },
];

test.each(cases)("the view $filter contains $matching and not $other", ({ filter, matching, other }) => {
  expect(matchesView(itemOf(1, matching), filter, VIEWER)).toBe(true);
  expect(matchesView(itemOf(1, other), filter, VIEWER)).toBe(false);
});

const scopes: readonly { readonly scope: Viewer["scope"]; readonly seen: readonly string[] }[] = [
  { scope: "Global", seen: ["own", "group", "other"] },
  { scope: "Group", seen: ["own", "group"] },
  { scope: "Me", seen: ["own"] },
  { scope: "None", seen: [] },
];

test.each(scopes)("with the scope $scope a view contains $seen", ({ scope, seen }) => {
  const items = {
    own: itemOf(1, { assigned_agent_id: "me-id" }),
    group: itemOf(2, { assigned_group_id: "own-group" }),
    other: itemOf(3, { assigned_agent_id: "a1", assigned_group_id: "g1" }),
  };
  const found = Object.entries(items).filter(([, item]) => matchesView(item, {}, { ...VIEWER, scope }));
  expect(found.map(([name]) => name)).toEqual(seen);
});

test("a filter by a property is split at its first colon", () => {
  expect(splitProperty("cf_link:https://example.com")).toEqual({ name: "cf_link", value: "https://example.com" });
});
