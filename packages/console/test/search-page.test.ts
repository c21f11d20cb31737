import { describe, expect, test } from "@jest/globals";
import { isSameValue, savedValue } from "../src/details/property-values.ts";
import { parseRecentSearches, RECENT_SEARCHES_MAX, withRecentSearch } from "../src/search/recent-searches.ts";
import { checkSearchAddress, rangeStart, SEARCH_TEXT_MAX } from "../src/search/search-address.ts";
import { scoreMatch, filterMatches } from "../src/ui/match-text.ts";
import { movedIndex } from "../src/shortcuts/palette-items.ts";

describe("the address of the search", () => {
  test.each([
    [
      { q: "lamp", kind: "messages", channel: "c", range: "week" },
      { q: "lamp", kind: "messages", channel: "c", range: "week" },
    ],
    [
      { q: "lamp", kind: "users", channel: "c" },
      { q: "lamp", kind: "users" },
    ],
    [{ q: 4711 }, { q: "4711" }],
    [{ q: "", kind: "agents", range: "any", channel: "" }, {}],
    [{ range: "toString", q: ["a"] }, {}],
  ])("%j is read as %j", (search, address) => {
    expect(checkSearchAddress(search)).toEqual(address);
  });

  test("a text that is too long is cut", () => {
    expect(checkSearchAddress({ q: "x".repeat(500) }).q).toHaveLength(SEARCH_TEXT_MAX);
  });

  test("a time range begins that many days ago", () => {
    const now = Date.parse("2030-01-08T00:00:00.000Z");
    expect(rangeStart("week", now)).toBe("2030-01-01T00:00:00.000Z");
    expect(rangeStart("any", now)).toBeUndefined();
  });
});

describe("recent searches", () => {
  test("the latest comes first, once, in upper or lower case", () => {
    expect(withRecentSearch(["lamp", "table"], " Table ")).toEqual(["Table", "lamp"]);
    expect(withRecentSearch(["lamp"], "  ")).toEqual(["lamp"]);
  });

  test("there are at most as many as are kept", () => {
    const many = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    expect(many.reduce<readonly string[]>(withRecentSearch, [])).toHaveLength(RECENT_SEARCHES_MAX);
  });

  test.each([null, "", "{", "{}", "7"])("damaged texts such as %j are not searches", (stored) => {
    expect(parseRecentSearches(stored)).toEqual([]);
  });

  test("members that are not texts are left out", () => {
    expect(parseRecentSearches('["a", 7, null]')).toEqual(["a"]);
  });
});

describe("the palette", () => {
  test("matches at the beginning come before those within, and these before letters apart", () => {
    const labels = ["Change the priority", "Reopen", "Search", "Use another search"];
    expect(filterMatches("sea", labels, (label) => label)).toEqual(["Search", "Use another search"]);
    expect(filterMatches("ctp", labels, (label) => label)[0]).toBe("Change the priority");
  });

  test.each([
    ["cafe", "Café", true],
    ["weber jonas", "Jonas Weber", true],
    ["xyz", "Jonas Weber", false],
  ])("%s in %s: %s", (typed, label, isFound) => {
    expect(scoreMatch(typed, label) !== undefined).toBe(isFound);
  });

  test("arrow keys wrap around, page keys stop at the ends", () => {
    expect([movedIndex(2, "ArrowDown", 3), movedIndex(0, "ArrowUp", 3)]).toEqual([0, 2]);
    expect([movedIndex(1, "PageDown", 3), movedIndex(1, "PageUp", 3), movedIndex(1, "x", 3)]).toEqual([
      2,
      0,
      undefined,
    ]);
  });
});

describe("values of conversation properties", () => {
  test("a decimal comma becomes a point, and texts lose spaces around them", () => {
    expect(savedValue({ type: "DECIMAL" }, " 12,5 ")).toBe("12.5");
    expect(savedValue({ type: "TEXT" }, " 12,5 ")).toBe("12,5");
    expect(savedValue({ type: "MULTI_SELECT_DROPDOWN" }, ["a "])).toEqual(["a "]);
  });

  test("an absent, an empty text and an empty list are the same", () => {
    expect([isSameValue(undefined, ""), isSameValue([], ""), isSameValue("a", ["a"])]).toEqual([true, true, false]);
  });
});
