import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { users } from "@parley/contract";
import { type InputOf, LIMITS, type NewUser, type User, USER_SORT_FIELDS } from "@parley/contract";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

/** A stopped clock: users are created at times that the tests choose. */
const clock = { time: Date.UTC(2026, 0, 1) };

let w: ServiceHarness;
let all: User[];
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** Minute of creation, minute of the last change, members. */
const PEOPLE: readonly [number, number, NewUser][] = [
  [1, 1, { first_name: "Ana", last_name: "Zapata", email: "ana@example.com", phone: "1", reference_id: "r1" }],
  [2, 9, { first_name: "Bea", last_name: "Young", email: "bea@example.com", phone: "2", reference_id: "r2" }],
  [2, 2, { first_name: "Bea", last_name: "Xu" }],
  [2, 3, { first_name: "Bea", email: "bea@example.com" }],
  [3, 3, { last_name: "Young", phone: "2" }],
  [4, 8, { first_name: "ana", reference_id: "r1" }],
  [5, 5, {}],
];

beforeAll(async () => {
  w = await serviceHarness({ ports: { now: () => new Date(clock.time) } });
  clock.time = Date.parse(at(1));
  await w.solo.users.createUser({ body: { first_name: "Ana", email: "ana@example.com" } });
  all = [];
  for (const [minute, , body] of PEOPLE) {
    clock.time = Date.parse(at(minute));
    all.push(await w.client.users.createUser({ body: { ...body, last_name: body.last_name ?? "none" } }));
  }
  for (const [index, [created, changed, { last_name = "" }]] of PEOPLE.entries()) {
    if (changed === created) continue;
    clock.time = Date.parse(at(changed));
    await w.client.users.updateUser({
      params: { user_id: all[index]?.id ?? "" },
      body: { last_name: `${last_name}!` },
    });
  }
  all = (await w.client.users.fetchUsers({ body: { ids: all.map(({ id }) => id) } })).users;
});
afterAll(() => w.close());

type Query = InputOf<typeof users.listUsers>["query"];
const EVERYBODY = { created_from: at(0) };
const list = (query: Query) => w.client.users.listUsers({ query });
const numbersOf = async (query: Query) =>
  (await list(query)).users.map(({ id }) => all.findIndex((each) => each.id === id));

/** Consists of many different characters of three bytes. */
const dense = (length: number): string => {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCodePoint(0x4e00 + (state % 20_000));
  }).join("");
};

describe("GET /users", () => {
  const filters: [string, Query, number[]][] = [
    ["first_name, the whole one", { first_name: "Bea" }, [1, 2, 3]],
    ["first_name, in any case of its letters", { first_name: "ANA" }, [0, 5]],
    ["first_name that nobody has", { first_name: "Be" }, []],
    ["last_name", { last_name: "Young" }, [4]],
    ["email", { email: "bea@example.com" }, [1, 3]],
    ["reference_id", { reference_id: "r1" }, [0, 5]],
    ["email, in any case of its letters", { email: "Bea@EXAMPLE.com" }, [1, 3]],
    ["phone_no", { phone_no: "2" }, [1, 4]],
    ["phone_no, however its digits are grouped", { phone_no: " (2)-" }, [1, 4]],
    ["phone_no without a digit that nobody has", { phone_no: "()" }, []],
    ["created_from, inclusive", { created_from: at(3) }, [4, 5, 6]],
    ["created_to, exclusive", { created_to: at(2) }, [0]],
    ["both ends of created_time", { created_from: at(2), created_to: at(4) }, [1, 2, 3, 4]],
    ["updated_from, after it", { updated_from: at(5) }, [1, 5]],
    ["updated_to, before it", { updated_to: at(3) }, [0, 2]],
    ["several at once", { first_name: "Bea", email: "bea@example.com", updated_to: at(9) }, [3]],
    ["a time in another zone", { created_from: "2026-01-01T02:03:00.000+02:00" }, [4, 5, 6]],
  ];
  test.each(filters)("GET /users answers 200 with the users that match %s", async (_name, query, expected) => {
    expect(await numbersOf(query)).toEqual(expected);
    expect((await list(query)).pagination.total_items).toBe(expected.length);
  });

  test("GET /users?first_name and last_name match in any case and normal form, and not without the accents", async () => {
    const names = ["José", "JOSÉ", "José".normalize("NFD"), "Jose", "ÅSA", "å\u0073a", "Ñandú", "ИВАН", "Ｊｏｓé"];
    const ids: string[] = [];
    for (const name of names) {
      const user = await w.solo.users.createUser({ body: { first_name: name, last_name: name } });
      ids.push(user.id);
    }
    const found = async (query: Query) =>
      (await w.solo.users.listUsers({ query })).users.map(({ id }) => names[ids.indexOf(id)]);
    const groups = [names.slice(0, 3), ["Jose"], names.slice(4, 6), ["Ñandú"], ["ИВАН"], ["Ｊｏｓé"]];
    for (const group of groups)
      for (const name of group.flatMap((each) => [each, each.toLowerCase(), each.toUpperCase().normalize("NFD")])) {
        expect(await found({ first_name: name })).toEqual(group);
        expect(await found({ last_name: name, first_name: group[0] })).toEqual(group);
      }
    for (const name of ["Josè", "Asa", "Nandu", "José ", "Jos"]) expect(await found({ first_name: name })).toEqual([]);
  });

  test.each([
    ["phone_no", "+12025557998", "phone"],
    ["email", "ann+first+second@shop.example", "email"],
  ] as const)(
    "GET /users?%s=%s finds the user although the plus sign is not URL encoded",
    async (filter, value, field) => {
      const { id } = await w.solo.users.createUser({ body: { [field]: value } });
      const { token } = await w.admin.issueToken({ account: "solo", name: "plus" });
      for (const sent of [value, encodeURIComponent(value), value.replaceAll("+", "%20")]) {
        const reply = await fetch(`${w.url}/v2/users?${filter}=${sent}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect(await reply.json()).toMatchObject({ users: [{ id }] });
      }
    },
  );

  test("GET /users refuses a request without any filter with MISSING_PARAMETER", async () => {
    for (const query of ["", "?page=2&sort_by=email", "?unknown=1"]) {
      const reply = await w.raw("GET", `/v2/users${query}`);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ code: 400, status: "MISSING_PARAMETER" });
    }
  });

  test("GET /users repeats the filters in its links, and the last page has no next link", async () => {
    const query = { first_name: "Bea", items_per_page: 2 };
    const first = await list(query);
    // The order of the parameters is irrelevant.
    const link = (page: number) => ({
      href: expect.stringMatching(
        new RegExp(`^/v2/users\\?(?=.*first_name=Bea)(?=.*items_per_page=2)(?=.*\\bpage=${page}\\b)`),
      ),
      rel: "user",
      type: "GET",
    });
    expect(first.pagination).toEqual({ total_items: 3, total_pages: 2, current_page: 1, items_per_page: 2 });
    expect(first.links).toEqual({ next_page: link(2), first_page: link(1), last_page: link(2) });
    const last = await w.raw("GET", first.links.next_page?.href ?? "");
    expect(await last.json()).toEqual({
      users: [all[3]],
      pagination: { total_items: 3, total_pages: 2, current_page: 2, items_per_page: 2 },
      links: { previous_page: link(1), first_page: link(1), last_page: link(2) },
    });
    expect(await list({ ...query, page: 3 })).toMatchObject({ users: [], pagination: { total_items: 3 } });
  });

  const sorts: [Query, number[]][] = [
    [{}, [0, 1, 2, 3, 4, 5, 6]],
    [{ sort_order: "desc" }, [6, 5, 4, 3, 2, 1, 0]],
    [{ sort_by: "created_time", sort_order: "asc" }, [0, 1, 2, 3, 4, 5, 6]],
    [{ sort_by: "updated_time" }, [0, 2, 3, 4, 6, 5, 1]],
    [{ sort_by: "first_name" }, [0, 5, 1, 2, 3, 4, 6]],
    [{ sort_by: "first_name", sort_order: "desc" }, [3, 2, 1, 5, 0, 6, 4]],
    [{ sort_by: "email" }, [0, 1, 3, 2, 4, 5, 6]],
    [{ sort_by: "phone" }, [0, 1, 4, 2, 3, 5, 6]],
    [{ sort_by: "phone", sort_order: "desc" }, [4, 1, 0, 6, 5, 3, 2]],
    [{ sort_by: "reference_id" }, [0, 5, 1, 2, 3, 4, 6]],
    [{ sort_by: "reference_id", sort_order: "desc" }, [1, 5, 0, 6, 4, 3, 2]],
  ];
  test.each(sorts)("GET /users sorts by %j, equal values by creation", async (sort, expected) => {
    expect(await numbersOf({ ...EVERYBODY, ...sort })).toEqual(expected);
  });

  test("GET /users sorts by id", async () => {
    const ids = async (sort_order: "asc" | "desc") =>
      (await list({ ...EVERYBODY, sort_by: "id", sort_order })).users.map(({ id }) => id);
    const sorted = all.map(({ id }) => id).sort();
    expect([await ids("asc"), await ids("desc")]).toEqual([sorted, sorted.toReversed()]);
  });

  test("GET /users shows every user once across all pages, for any order and page size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...USER_SORT_FIELDS),
        fc.constantFrom("asc", "desc"),
        fc.integer({ min: 1, max: 8 }),
        async (sort_by, sort_order, items_per_page) => {
          const seen: number[] = [];
          for (let page = 1; seen.length < all.length && page <= all.length; page += 1)
            seen.push(...(await numbersOf({ ...EVERYBODY, sort_by, sort_order, items_per_page, page })));
          expect(seen.sort((a, b) => a - b)).toEqual(all.map((_, index) => index));
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each([
    ["+12025550112", 1],
    ["001 202.555-0112", 1],
    ["+1 (202) 555 0112", 1],
    ["+22025550112", 0],
    ["12025550112", 0],
  ])("GET /users finds a number that was written with spaces and brackets by %s: %i", async (phone_no, expected) => {
    const { id } = await w.solo.users.createUser({ body: { phone: "+1 (202) 555-0112" } });
    const { users } = await w.solo.users.listUsers({ query: { phone_no } });
    expect(users.filter((user) => user.id === id).length).toBe(expected);
  });

  const NAMES = ["aaa", "Äb", "Bob", "łukasz", "Lun", "O'Brien", "Øl", "zoé", "Zoë"];
  test.each([
    ["first_name", NAMES],
    ["last_name", NAMES],
    ["email", ["ann@a.example", "Ann@b.example", "bob@a.example", "Zoe@a.example"]],
  ] as const)("GET /users sorts by %s in natural order, across pages", async (sort_by, natural) => {
    // Texts that differ only in accents are sorted by creation.
    for (const text of natural.toSorted())
      await w.solo.users.createUser({ body: { [sort_by]: text, reference_id: `natural ${sort_by}` } });
    for (const sort_order of ["asc", "desc"] as const) {
      const query = { reference_id: `natural ${sort_by}`, sort_by, sort_order, items_per_page: 2 };
      const found: unknown[] = [];
      for await (const user of w.solo.users.listUsers.items({ query })) found.push(user[sort_by]);
      const tied = (text: unknown) => (text === "Zoë" ? "zoé" : text);
      expect(found.map(tied)).toEqual((sort_order === "asc" ? natural : natural.toReversed()).map(tied));
    }
  });

  test.each([
    ["first_name", "first_name"],
    ["last_name", "last_name"],
    ["phone", "phone_no"],
    ["reference_id", "reference_id"],
  ] as const)("GET /users finds the longest %s of incompressible characters", async (member, filter) => {
    const text = dense(LIMITS.short_text_characters);
    const { id } = await w.solo.users.createUser({ body: { [member]: text } });
    await w.solo.users.createUser({ body: { [member]: `${text.slice(0, -1)}x` } });
    const { users } = await w.solo.users.listUsers({ query: { [filter]: text } });
    expect(users.map((user) => user.id)).toEqual([id]);
  });
});
