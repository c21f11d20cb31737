import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { User } from "@parley/contract";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { insertUsers, openPool, type UserListQuery } from "./users-fixture.ts";

let w: ServiceHarness;
let people: User[];
beforeAll(async () => {
  w = await serviceHarness();
  const pool = openPool(w);
  people = await insertUsers(pool, [
    { created_time: "0001-01-01T00:00:00.000Z", updated_time: "2026-03-01T00:00:00.000Z" },
    { created_time: "2026-01-01T00:00:00.000Z", updated_time: "2026-03-01T00:00:00.001Z" },
    { created_time: "2026-01-01T00:00:00.001Z", updated_time: "2026-03-01T00:00:00.002Z" },
    { created_time: "9999-12-31T23:59:59.999Z", updated_time: "2026-03-01T00:00:00.003Z" },
  ]);
  await pool.end();
});
afterAll(() => w.close());

const numbersOf = async (query: UserListQuery) => {
  const { users, pagination } = await w.client.users.listUsers({ query });
  expect(pagination.total_items).toBe(users.length);
  return users.map(({ id }) => people.findIndex((each) => each.id === id));
};

describe("GET /users by time", () => {
  const ends: [UserListQuery, number[]][] = [
    [{ created_from: "2026-01-01T00:00:00.000Z" }, [1, 2, 3]],
    [{ created_from: "2026-01-01T00:00:00.0001Z" }, [2, 3]],
    [{ created_from: "2026-01-01T00:00:00.001Z" }, [2, 3]],
    [{ created_from: "2026-01-01T00:00:00.0010000Z" }, [2, 3]],
    [{ created_to: "2026-01-01T00:00:00Z" }, [0]],
    [{ created_to: "2026-01-01T00:00:00.0001Z" }, [0, 1]],
    [{ created_to: "2026-01-01T00:00:00.001Z" }, [0, 1]],
    [{ created_from: "2026-01-01T00:00:00Z", created_to: "2026-01-01T00:00:00Z" }, []],
    [{ created_from: "2026-01-02T00:00:00Z", created_to: "2026-01-01T00:00:00Z" }, []],
    [{ created_from: "0000-01-01T00:00:00Z" }, [0, 1, 2, 3]],
    [{ created_from: "0001-01-01T00:00:00+23:59" }, [0, 1, 2, 3]],
    [{ created_to: "0000-01-01T00:00:00Z" }, []],
    [{ created_from: "9999-12-31T23:59:59.999Z" }, [3]],
    [{ created_to: "9999-12-31T23:59:59-23:00" }, [0, 1, 2]],
    [{ created_from: "2026-01-01T23:00:00+23:00" }, [1, 2, 3]],
    [{ created_from: "2025-12-31T01:00:00-23:00" }, [1, 2, 3]],
    [{ updated_from: "2026-03-01T00:00:00.001Z" }, [2, 3]],
    [{ updated_from: "2026-03-01T00:00:00.0015Z" }, [2, 3]],
    [{ updated_from: "2026-03-01T00:00:00.0009Z" }, [1, 2, 3]],
    [{ updated_to: "2026-03-01T00:00:00.001Z" }, [0]],
    [{ updated_to: "2026-03-01T00:00:00.0011Z" }, [0, 1]],
    [{ updated_from: "2026-03-01T00:00:00Z", updated_to: "2026-03-01T00:00:00.003Z" }, [1, 2]],
    [{ updated_from: "0000-02-29T00:00:00Z", updated_to: "9999-12-31T23:59:59.999Z" }, [0, 1, 2, 3]],
  ];
  test.each(ends)("GET /users answers 200 with the users of %j, in every order", async (query, expected) => {
    expect(await numbersOf(query)).toEqual(expected);
    expect(await numbersOf({ ...query, sort_order: "desc" })).toEqual(expected.toReversed());
    expect(await numbersOf({ ...query, sort_by: "updated_time" })).toEqual(expected);
    expect(await numbersOf({ ...query, sort_by: "last_name", sort_order: "desc" })).toEqual(expected.toReversed());
  });

  const wrong: [string, string][] = [
    ["created_from=yesterday", "created_from"],
    ["created_from=", "created_from"],
    ["created_to=2026-02-30T00:00:00Z", "created_to"],
    ["updated_from=2026-01-01", "updated_from"],
    ["updated_to=12345", "updated_to"],
    ["created_from=2026-01-01T00:00:00Z&created_from=2026-01-01T00:00:00Z", "created_from"],
    ["created_from=2026-01-01T00:00:00Z%00", "created_from"],
    ["created_from=2026-01-01T00:00:00Z&sort_by=properties", "sort_by"],
    ["created_from=2026-01-01T00:00:00Z&sort_order=up", "sort_order"],
    ["created_from=2026-01-01T00:00:00Z&page=0", "page"],
    ["created_from=2026-01-01T00:00:00Z&page=-1", "page"],
    ["created_from=2026-01-01T00:00:00Z&page=1.5", "page"],
    ["created_from=2026-01-01T00:00:00Z&page=1e3", "page"],
    ["created_from=2026-01-01T00:00:00Z&page=9999999999999999999", "page"],
    ["created_from=2026-01-01T00:00:00Z&items_per_page=0", "items_per_page"],
    ["created_from=2026-01-01T00:00:00Z&items_per_page=ten", "items_per_page"],
    [`first_name=${"x".repeat(1_025)}`, "first_name"],
    ["first_name=%00", "first_name"],
  ];
  test.each([
    "/users?created_from=2026-01-01T00:00:00+02:00",
    "/users?updated_to=2026-01-01T00:00:00.000+05:30",
    "/conversations/1/messages?from_time=2026-01-01T00:00:00+02:00",
    "/metrics/historical?metric=conversation_metrics.created_interactions&start=2026-01-01T00:00:00+02:00&end=2026-01-02T00:00:00Z",
    "/search?q=x&to_time=2026-01-01T00:00:00+02:00",
    "/business-hours/within-bh?time=2026-01-01T00:00:00+02:00",
  ])("GET %s is refused with a hint: the plus sign of an offset is written as %%2B", async (address) => {
    const reply = await w.raw("GET", `/v2${address}`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ status: "INVALID_VALUE", message: expect.stringContaining("%2B") });
    expect((await w.raw("GET", `/v2${address.replaceAll("+", "%2B")}`)).status).not.toBe(400);
  });

  test.each(wrong)("GET /users?%s is refused, and the message names %s", async (query, name) => {
    const reply = await w.raw("GET", `/v2/users?${query}`);
    expect(reply.status).toBe(400);
    expect(((await reply.json()) as { message: string }).message).toContain(name);
  });

  test.each(["created_from=1970-01-01T00:00:00Z", "updated_from=1970-01-01T00:00:00Z", "first_name=x"])(
    "GET /users?%s answers 200 with an empty list for the highest possible page",
    async (filter) => {
      for (const sort of ["", "&sort_by=email&sort_order=desc", "&sort_order=desc"]) {
        const reply = await w.raw("GET", `/v2/users?${filter}&page=999999999999999&items_per_page=9999${sort}`);
        expect(reply.status).toBe(200);
        const { users, links } = (await reply.json()) as { users: unknown[]; links: Record<string, unknown> };
        expect(users).toEqual([]);
        expect(links).not.toHaveProperty("next_page");
      }
    },
  );

  test("GET /users of an account without users answers 200, without links", async () => {
    for (const query of [{ created_from: "1970-01-01T00:00:00Z" }, { email: "nobody@example.com" }])
      for (const page of [1, 2])
        expect(await w.solo.users.listUsers({ query: { ...query, page } })).toEqual({
          users: [],
          pagination: { total_items: 0, total_pages: 0, current_page: page, items_per_page: 10 },
          links: {},
        });
  });
});
