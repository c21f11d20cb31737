import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { rankStore } from "../../../src/messaging/users/ranks.sql.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { ACCOUNT_ID, insertUsers, openPool, readAllPages } from "./users-fixture.ts";

/** Two services on one database. */
let harnesses: readonly [ServiceHarness, ServiceHarness];
let pool: Pool;
beforeAll(async () => {
  const first = await serviceHarness();
  harnesses = [first, await serviceHarness({ database: first.database })];
  pool = openPool(first);
});
afterAll(async () => {
  await pool.end();
  await harnesses[1].close();
  await harnesses[0].close();
});

const EVERYBODY = { created_from: "1970-01-01T00:00:00Z" };

test("GET /users counts exactly while users are created, imported, deleted and compacted by several processes concurrently", async () => {
  /** Requested and completed changes: the true number lies in between. */
  const requested = { added: 0, gone: 0 };
  const completed = { added: 0, gone: 0 };
  const remainingIds: string[] = [];
  const wrongPages: string[] = [];
  let writing = true;

  const create = async ({ client }: ServiceHarness) => {
    requested.added += 1;
    remainingIds.push((await client.users.createUser({ body: {} })).id);
    completed.added += 1;
  };
  const importUsers = async (count: number) => {
    requested.added += count;
    const long = Array.from({ length: count }, (_, index) => ({ created_time: new Date(index * 997e6).toISOString() }));
    remainingIds.push(...(await insertUsers(pool, long)).map(({ id }) => id));
    completed.added += count;
  };
  const remove = async ({ client }: ServiceHarness) => {
    const user_id = remainingIds.splice(Math.floor(remainingIds.length / 2), 1)[0];
    if (user_id === undefined) return;
    requested.gone += 1;
    await client.users.deleteUser({ params: { user_id } });
    completed.gone += 1;
  };
  const write = async (w: ServiceHarness) => {
    for (let round = 0; round < 30; round += 1) {
      await Promise.all([create(w), create(w), create(w), round % 5 === 0 ? importUsers(20) : remove(w)]);
    }
  };
  const compactRanks = async (min: number) => {
    const store = rankStore(pool, min);
    while (writing) await store.fold(ACCOUNT_ID);
  };
  const read = async ({ client }: ServiceHarness, sort_order: "asc" | "desc") => {
    for (let page = 1; writing; page = (page % 40) + 1) {
      const before = { ...completed };
      const reply = await client.users.listUsers({ query: { ...EVERYBODY, sort_order, page, items_per_page: 5 } });
      // Changes completed before are visible; changes requested by now may be.
      const [min, max] = [before.added - requested.gone, requested.added - before.gone];
      const { total_items: total } = reply.pagination;
      const shown = Math.max(0, Math.min(5, total - (page - 1) * 5));
      if (total < min || total > max || reply.users.length !== shown)
        wrongPages.push(`page ${page}: ${total} of ${min} to ${max}, ${reply.users.length} shown of ${shown}`);
      const times = reply.users.map(({ created_time }) => created_time);
      const sorted = times.toSorted();
      if (times.join() !== (sort_order === "desc" ? sorted.reverse() : sorted).join())
        wrongPages.push(`page ${page}: no order`);
    }
  };
  const writers = Promise.all([write(harnesses[0]), write(harnesses[1]), write(harnesses[0])]).finally(
    () => (writing = false),
  );
  await Promise.all([writers, compactRanks(2), compactRanks(3), read(harnesses[0], "asc"), read(harnesses[1], "desc")]);

  expect(wrongPages).toEqual([]);
  expect(requested).toEqual(completed);
  for (const w of harnesses) {
    const { ids, totals } = await readAllPages(w, { ...EVERYBODY, items_per_page: 100 });
    expect([...totals]).toEqual([completed.added - completed.gone]);
    expect(ids.toSorted()).toEqual(remainingIds.toSorted());
  }
});

test("an interrupted compaction changes nothing, and the next one completes it", async () => {
  const [w] = harnesses;
  await insertUsers(
    pool,
    Array.from({ length: 50 }, (_, hour) => ({ created_time: new Date(hour * 36e5).toISOString() })),
  );
  const before = await readAllPages(w, { ...EVERYBODY, items_per_page: 100 });
  const dying = pool.transaction(async (tx) => {
    await rankStore({ ...pool, transaction: (work) => work(tx) }, 2).fold(ACCOUNT_ID);
    await tx.rows(statement("", "select pg_terminate_backend(pg_backend_pid())"), []);
  });
  await expect(dying).rejects.toThrow();
  expect(await readAllPages(w, { ...EVERYBODY, items_per_page: 100 })).toEqual(before);
  const store = rankStore(pool, 2);
  while ((await store.accounts()).includes(ACCOUNT_ID)) await store.fold(ACCOUNT_ID);
  expect(await readAllPages(w, { ...EVERYBODY, items_per_page: 100 })).toEqual(before);
});
