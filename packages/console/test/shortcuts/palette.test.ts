import { expect, test } from "@jest/globals";
import { commandsWithKeys } from "../../src/shortcuts/command-keys.ts";
import { bestSectionFirst, filledSections, movedIndex, paletteCommands } from "../../src/shortcuts/palette-items.ts";
import {
  parseRecentPlaces,
  RECENT_PLACES_MAX,
  withRecentPlace,
  type RecentPlace,
} from "../../src/shortcuts/recent-places.ts";
import type { Command } from "../../src/shortcuts/shortcuts.ts";

const command = (id: string, group: Command["group"], label = id): Command => ({ id, label, group, run: () => {} });

test("commands about the conversation come before those of the list and general commands; the palette itself is left out", () => {
  const all = [
    command("inbox", "general"),
    command("palette", "general"),
    command("next", "list"),
    command("resolve", "conversation"),
  ];
  expect(paletteCommands(all, "").map(({ label }) => label)).toEqual(["resolve", "next", "inbox"]);
  expect(paletteCommands(all, "pal")).toEqual([]);
});

test("a typed text decides before the group", () => {
  const all = [command("a", "conversation", "Copy the inbox link"), command("b", "general", "Inbox")];
  expect(paletteCommands(all, "inbox").map(({ label }) => label)).toEqual(["Inbox", "Copy the inbox link"]);
});

test("sections without items are not shown", () => {
  const item = { id: "1", label: "1", run: () => {} };
  const sections = [
    { id: "empty", title: "", items: [] },
    { id: "full", title: "", items: [item] },
  ];
  expect(filledSections(sections).map(({ id }) => id)).toEqual(["full"]);
});

test.each([
  { typed: "resolve", first: "commands" },
  { typed: "rosa", first: "recent" },
  { typed: "", first: "recent" },
])("the section with the best match of $typed is the first: $first", ({ typed, first }) => {
  const section = (id: string, label: string) => ({ id, title: id, items: [{ id: label, label, run: () => {} }] });
  const sections = [section("recent", "Rosa Elves, olive #7"), section("commands", "Resolve")];
  expect(bestSectionFirst(sections, typed)[0]?.id).toBe(first);
});

test.each([
  { key: "ArrowDown", from: 0, to: 1 },
  { key: "ArrowDown", from: 9, to: 0 },
  { key: "ArrowUp", from: 0, to: 9 },
  { key: "PageDown", from: 5, to: 9 },
  { key: "PageUp", from: 5, to: 0 },
  { key: "a", from: 5, to: undefined },
])("$key leads from the item $from of ten to $to", ({ key, from, to }) => {
  expect(movedIndex(from, key, 10)).toBe(to);
});

const place = (id: string, label = id): RecentPlace => ({ kind: "customer", id, label });

test("the latest place comes first, once, with its newest name, and the oldest is forgotten", () => {
  const ids = Array.from({ length: RECENT_PLACES_MAX + 3 }, (_, index) => String(index));
  const places = ids.reduce<readonly RecentPlace[]>((known, id) => withRecentPlace(known, place(id)), []);
  expect(places).toHaveLength(RECENT_PLACES_MAX);
  const again = withRecentPlace(places, place("5", "renamed"));
  expect(again[0]).toEqual(place("5", "renamed"));
  expect(again.filter(({ id }) => id === "5")).toHaveLength(1);
});

test.each([
  null,
  "",
  "{",
  "{}",
  '[1,null,{"kind":"other","id":"1","label":"x"},{"kind":"customer","id":1,"label":"x"}]',
])("the stored text %j names no places", (text) => {
  expect(parseRecentPlaces(text)).toEqual([]);
});

test("while conversations are selected, keys that an open conversation has too act on the selection", () => {
  const keyed = (id: string, group: Command["group"], keys: string) => ({ ...command(id, group), keys });
  const open = [keyed("resolve", "conversation", "e"), keyed("reply", "conversation", "r")];
  const shown = (all: readonly Command[]) => commandsWithKeys(all).map(({ id, keys = "" }) => `${id} ${keys}`.trim());
  expect(shown(open)).toEqual(["resolve e", "reply r"]);
  expect(shown([...open, keyed("resolve-all", "selection", "e")])).toEqual(["resolve", "reply r", "resolve-all e"]);
});
