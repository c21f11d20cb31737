import { expect, test } from "@jest/globals";
import { LIMITS } from "@parley/contract";
import fc from "fast-check";
import { clampPage, pageReply } from "../../src/http/pagination.ts";

const listOf = (total: number, query: Record<string, string> = {}, page = 1, itemsPerPage = 10) =>
  pageReply({
    name: "users",
    rel: "user",
    items: [],
    total,
    page,
    itemsPerPage,
    request: { path: "/v2/users", query },
  });

test("links repeat the filters, encoded, and contain the path with the version", () => {
  const { links } = listOf(25, { first_name: "Ann & Bob", page: "2", items_per_page: "999" }, 2);
  expect(links).toEqual({
    next_page: { href: "/v2/users?first_name=Ann+%26+Bob&page=3&items_per_page=10", rel: "user", type: "GET" },
    previous_page: { href: "/v2/users?first_name=Ann+%26+Bob&page=1&items_per_page=10", rel: "user", type: "GET" },
    first_page: { href: "/v2/users?first_name=Ann+%26+Bob&page=1&items_per_page=10", rel: "user", type: "GET" },
    last_page: { href: "/v2/users?first_name=Ann+%26+Bob&page=3&items_per_page=10", rel: "user", type: "GET" },
  });
});

const PAGES: [number, number, string[]][] = [
  [0, 1, []],
  [0, 5, []],
  [1, 1, ["first_page", "last_page"]],
  [10, 1, ["first_page", "last_page"]],
  [11, 1, ["first_page", "last_page", "next_page"]],
  [11, 2, ["first_page", "last_page", "previous_page"]],
  [30, 2, ["first_page", "last_page", "next_page", "previous_page"]],
  [30, 9, ["first_page", "last_page", "previous_page"]],
];
test.each(PAGES)("of %i items, page %i links to %j", (total, page, names) => {
  expect(Object.keys(listOf(total, {}, page).links).sort()).toEqual(names);
});

test("a page beyond the end links to the last one", () => {
  expect(listOf(30, {}, 9).links.previous_page?.href).toContain("page=3");
});

const CLAMPED: [object, object][] = [
  [{}, { page: 1, itemsPerPage: LIMITS.items_per_page, offset: 0 }],
  [{ page: 3 }, { page: 3, itemsPerPage: 10, offset: 20 }],
  [{ items_per_page: 9999 }, { page: 1, itemsPerPage: LIMITS.items_per_page_max, offset: 0 }],
  [
    { page: 2, items_per_page: 7 },
    { page: 2, itemsPerPage: 7, offset: 7 },
  ],
];
test.each(CLAMPED)("%j is read as %j", (query, page) => {
  expect(clampPage(query)).toEqual(page);
});

test("following next_page from the first page visits each page once, and ends at the last one", () => {
  fc.assert(
    fc.property(fc.nat(500), fc.integer({ min: 1, max: 100 }), (total, itemsPerPage) => {
      const pages = Math.ceil(total / itemsPerPage);
      let page = 1;
      for (let links = listOf(total, {}, page, itemsPerPage).links; links.next_page;) {
        page = Number(new URL(links.next_page.href, "http://localhost").searchParams.get("page"));
        links = listOf(total, {}, page, itemsPerPage).links;
        expect(page).toBeLessThanOrEqual(pages);
      }
      expect(page).toBe(Math.max(1, pages));
    }),
  );
});
