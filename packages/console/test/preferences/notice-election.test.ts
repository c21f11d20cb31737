import { expect, test } from "@jest/globals";
import { createNoticeElection, type ElectionMessage } from "../../src/preferences/notice-election.ts";

/** Tabs that receive each other's messages. @shape ranks: by the name of the tab */
const tabsOf = <T extends string>(ranks: Readonly<Record<T, number>>) => {
  const names = Object.keys(ranks) as T[];
  const tabs: Partial<Record<T, ReturnType<typeof createNoticeElection>>> = {};
  const deliver = (sender: T, message: ElectionMessage): void => {
    for (const name of names) if (name !== sender) tabs[name]?.receive(message);
  };
  for (const name of names)
    tabs[name] = createNoticeElection({
      tab: name,
      rank: () => ranks[name],
      send: (message) => deliver(name, message),
    });
  return tabs as Record<T, ReturnType<typeof createNoticeElection>>;
};

test("of several tabs that claim a message, the tab with the highest rank notifies, in any order of the claims", () => {
  for (const order of [["one", "two", "three"] as const, ["three", "two", "one"] as const]) {
    const tabs = tabsOf({ one: 10, two: 30, three: 20 });
    for (const name of order) tabs[name].claim(["m"]);
    expect(order.filter((name) => tabs[name].won("m"))).toEqual(["two"]);
  }
});

test("of tabs with the same rank exactly one notifies", () => {
  const tabs = tabsOf({ one: 0, two: 0, three: 0 });
  for (const tab of Object.values(tabs)) tab.claim(["m"]);
  expect(Object.values(tabs).filter((tab) => tab.won("m"))).toHaveLength(1);
});

test("a tab that receives a message after another tab has notified does not notify", () => {
  const tabs = tabsOf({ early: 1, late: 2 });
  tabs.early.claim(["m"]);
  expect(tabs.early.won("m")).toBe(true);
  tabs.early.settle(["m"]);
  tabs.late.claim(["m"]);
  expect([tabs.early.won("m"), tabs.late.won("m")]).toEqual([false, false]);
});

test("no tab notifies of a message that the agent sees in one of them", () => {
  const tabs = tabsOf({ viewing: 1, hidden: 2 });
  tabs.hidden.claim(["m", "other"]);
  tabs.viewing.settle(["m"]);
  expect([tabs.hidden.won("m"), tabs.hidden.won("other")]).toEqual([false, true]);
});

test("a message that was not claimed is not won, and old messages are forgotten", () => {
  const { tab } = tabsOf({ tab: 1 });
  expect(tab.won("m")).toBe(false);
  const ids = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
  tab.claim(ids);
  expect(ids.filter((id) => tab.won(id)).length).toBeLessThanOrEqual(2_000);
  expect(tab.won("m4999")).toBe(true);
});
