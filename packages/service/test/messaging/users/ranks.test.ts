import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { statement, type Pool } from "@parley/database";
import { rankStore, type RankStore } from "../../../src/messaging/users/ranks.sql.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { ACCOUNT_ID, insertUsers, openPool, readAllPages, type UserListQuery } from "./users-fixture.ts";

/** Changes only if a test changes it. */
const clock = { time: Date.UTC(2026, 0, 1) };
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

let w: ServiceHarness;
let pool: Pool;
/** Ranges of a few users, so that few users suffice for many ranges. */
let store: RankStore;
beforeAll(async () => {
  w = await serviceHarness({ ports: { now: () => new Date(clock.time) } });
  pool = openPool(w);
  store = rankStore(pool, 2);
});
afterAll(async () => {
  await pool.end();
  await w.close();
});

interface Person {
  readonly id: string;
  readonly second: number;
}

const RANGES = statement("", "select count(*)::integer as ranges from user_ranks where account_id = $1");
const EMPTY = statement("", "update users set deleted_time = now() where account_id = $1 and deleted_time is null");

type Step =
  | { readonly kind: "create" | "delete"; readonly second: number }
  | { readonly kind: "import"; readonly seconds: readonly number[] }
  | { readonly kind: "fold" };

const second = fc.integer({ min: 0, max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("create" as const, "delete" as const), second }),
  fc.record({ kind: fc.constant("import" as const), seconds: fc.array(second, { minLength: 1, maxLength: 12 }) }),
  fc.record({ kind: fc.constant("fold" as const) }),
);

/** All users in created order, those with equal times in order of insertion. */
const naive = (people: readonly Person[], from: number, to: number | undefined, order: string): string[] => {
  const found = people.filter((each) => each.second >= from && (to === undefined || each.second < to));
  const sorted = found.toSorted((a, b) => a.second - b.second).map(({ id }) => id);
  return order === "desc" ? sorted.reverse() : sorted;
};

const take = async (people: readonly Person[], move: Step): Promise<readonly Person[]> => {
  if (move.kind === "fold") {
    await store.fold(ACCOUNT_ID);
    return people;
  }
  if (move.kind === "import") {
    const users = await insertUsers(
      pool,
      move.seconds.map((each) => ({ created_time: at(each) })),
    );
    return [...people, ...users.map(({ id, created_time }) => ({ id, second: new Date(created_time).getSeconds() }))];
  }
  if (move.kind === "create") {
    clock.time = Date.parse(at(move.second));
    const { id } = await w.client.users.createUser({ body: {} });
    return [...people, { id, second: move.second }];
  }
  const gone = people[move.second % Math.max(people.length, 1)];
  if (gone) await w.client.users.deleteUser({ params: { user_id: gone.id } });
  return people.filter((each) => each !== gone);
};

describe("GET /users in created order", () => {
  test("GET /users shows on every page what a full count would, after any creations, imports, deletions and compactions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.record({ from: second, to: fc.option(second, { nil: undefined }) }),
        fc.constantFrom("asc" as const, "desc" as const),
        fc.integer({ min: 1, max: 7 }),
        async (steps, { from, to }, sort_order, items_per_page) => {
          await pool.rows(EMPTY, [ACCOUNT_ID]);
          let people: readonly Person[] = [];
          for (const each of steps) people = await take(people, each);
          const query: UserListQuery = {
            created_from: at(from),
            ...(to !== undefined && { created_to: at(to) }),
            sort_order,
            items_per_page,
          };
          const expected = naive(people, from, to, sort_order);
          for (const sort of [{}, { sort_by: "created_time" as const }]) {
            const { ids, totals } = await readAllPages(w, { ...query, ...sort });
            expect(ids).toEqual(expected);
            expect([...totals]).toEqual([expected.length]);
          }
          const pages = Math.ceil(expected.length / items_per_page);
          const beyond = await w.client.users.listUsers({ query: { ...query, page: pages + 1 } });
          expect(beyond).toMatchObject({ users: [], pagination: { total_items: expected.length, total_pages: pages } });
        },
      ),
      { numRuns: 40 },
    );
  });

  test("the ranges depend on the account's size: many for a large one, one for a small one", async () => {
    // The service compacts too; of two, the second one skips an account that is locked.
    const foldAll = async () => {
      do await store.fold(ACCOUNT_ID);
      while ((await store.accounts()).includes(ACCOUNT_ID));
    };
    const ranges = async () => (await pool.one<{ ranges: number }>(RANGES, [ACCOUNT_ID]))?.ranges;
    await pool.rows(EMPTY, [ACCOUNT_ID]);
    await foldAll();
    expect(await ranges()).toBe(1);
    await insertUsers(
      pool,
      Array.from({ length: 400 }, () => ({ created_time: at(1) })),
    );
    await foldAll();
    expect(await ranges()).toBe(10);
    expect(await store.accounts()).not.toContain(ACCOUNT_ID);
  });
});
