import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { statement, type Db } from "@parley/database";
import { deliveryStore } from "../../../src/events/dispatch/deliveries.sql.ts";
import { cursorStore } from "../../../src/events/dispatch/partition-cursor.sql.ts";
import { subscriptionStore } from "../../../src/events/dispatch/subscriptions.sql.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { untilBlocked } from "../../until-blocked.ts";
import { deliveredRow } from "./delivery-rows.ts";

let s: ServiceHarness;
let pool: ReturnType<ServiceHarness["database"]["pool"]>;
beforeAll(async () => {
  s = await serviceHarness({ isDispatchDisabled: true });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 4 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const subscribe = async (): Promise<string> => {
  const id = randomUUID();
  const wanted = { account: "solo", name: id, kind: "app", url: "http://127.0.0.1:9", secret: "whsec_", id } as const;
  await subscriptionStore(pool).ensure({ ...wanted, created_time: new Date() });
  return id;
};
const removeAll = (db: Db) => subscriptionStore(db).removeOthers("solo", "app", []);

const cursorsOf = (subscriptions: readonly string[], positions: readonly number[]) =>
  subscriptions.flatMap((subscription_id) =>
    positions.map((partition) => ({ subscription_id, partition, seq: partition + 1, done_ahead: [] })),
  );
const rowsOf = (subscriptions: readonly string[], positions: readonly number[]) =>
  subscriptions.flatMap((id) => positions.map((seq) => deliveredRow(id, seq)));

/** What the dispatcher writes for subscriptions: rows at positions, some of which have one already. */
const WRITES: readonly (readonly [
  what: string,
  write: (db: Db, subscriptions: readonly string[], positions: readonly number[]) => Promise<unknown>,
  lock: string,
])[] = [
  [
    "positions in the log",
    (db, subscriptions, positions) => cursorStore(db).save(cursorsOf(subscriptions, positions)),
    "select from cursors where subscription_id = $1 and partition = $2 for update",
  ],
  [
    "delivered events",
    (db, subscriptions, positions) => deliveryStore(db).recordDelivered(rowsOf(subscriptions, positions), 100),
    "select from deliveries where subscription_id = $1 and seq = $2 for update",
  ],
  [
    "waiting events",
    (db, subscriptions, positions) =>
      deliveryStore(db).put(rowsOf(subscriptions, positions).map((row) => ({ ...row, state: "waiting" }))),
    "select from deliveries where subscription_id = $1 and seq = $2 for update",
  ],
];

test.each(WRITES)("subscriptions can be removed while the dispatcher saves %s", async (_what, write, lock) => {
  const subscriptions = [await subscribe(), await subscribe()].sort();
  await write(pool, subscriptions, [1, 5]);
  const blocked = await pool.transaction(async (tx) => {
    await tx.rows(statement("", lock), [subscriptions[0], 5]);
    // Has written the first row of the first subscription, and waits for the second one.
    const written = write(pool, subscriptions, [1, 5, 7]);
    await untilBlocked(tx);
    const removed = removeAll(pool);
    await untilBlocked(tx, 2);
    return { written, removed };
  });
  await blocked.written;
  expect((await blocked.removed).map(({ id }) => id).sort()).toEqual(subscriptions);
  expect(await cursorStore(pool).read(subscriptions, [1, 5, 7])).toEqual([]);
});

test.each(WRITES)("%s of a subscription that is removed meanwhile are left out", async (_what, write) => {
  const [kept, removed] = [await subscribe(), await subscribe()];
  const written = await pool.transaction(async (tx) => {
    await subscriptionStore(tx).removeOthers("solo", "app", [kept]);
    const writing = write(pool, [kept, removed].sort(), [1]);
    await untilBlocked(tx);
    return { writing };
  });
  await written.writing;
  expect((await removeAll(pool)).map(({ id }) => id)).toEqual([kept]);
});
