import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement, type Db, type Pool, type Statement } from "@parley/database";
import { KEYED_PLANS } from "../../../src/base/db/pools.ts";
import { generateLoad, SERVICE_SCHEMA } from "../../../src/index.ts";
import { messageStore } from "../../../src/messaging/conversations/messages.sql.ts";
import { listUsers } from "../../../src/messaging/users/list.sql.ts";
import { type UserSelection } from "../../../src/messaging/users/filters.sql.ts";
import { rankStore } from "../../../src/messaging/users/ranks.sql.ts";
import { userStore } from "../../../src/messaging/users/store.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

let w: ServiceHarness;
let pool: Pool;
let keyed: Pool;
let accountId: number;
let talkative: { id: string; user_id: string };
const LONGEST = statement(
  "",
  `select c.id, c.user_id from conversations c join messages m on m.conversation_id = c.id
    where c.account_id = $1 group by c.id order by count(*) desc limit 1`,
);
const TALK_ON = statement(
  "",
  `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
   select gen_random_uuid(), $1, nextval('log_positions'), now(), '1-1', '{}' from generate_series(1, 2000)`,
);
beforeAll(async () => {
  w = await serviceHarness();
  pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  keyed = w.database.pool(SERVICE_SCHEMA, { max: 1, settings: { ...KEYED_PLANS, enable_seqscan: "on" } });
  await generateLoad({ database: w.database, account: "large", users: 6_000, messages: 9_000, seed: 1 });
  accountId =
    (await pool.one<{ id: number }>(statement("", "select id from accounts where name = 'large'"), []))?.id ?? 0;
  // The service compacts too; of two, the second one skips an account that is locked.
  const ranks = rankStore(pool);
  while ((await ranks.accounts()).includes(accountId)) await ranks.fold(accountId);
  talkative = (await pool.one<{ id: string; user_id: string }>(LONGEST, [accountId])) ?? { id: "", user_id: "" };
  await pool.rows(TALK_ON, [talkative.id]);
  await pool.rows(statement("", "vacuum analyze messages"), []);
});
afterAll(async () => {
  await keyed.end();
  await pool.end();
  await w.close();
});

/** One step of a plan in the output of EXPLAIN. */
interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Node[];
}

/** Collects the statements that a store sends; it gets no rows. */
const sent = async (ask: (db: Pool) => Promise<unknown>) => {
  const statements: [Statement, readonly unknown[]][] = [];
  const rows = (text: Statement, values: readonly unknown[]) => {
    statements.push([text, values]);
    return Promise.resolve([]);
  };
  const db: Db = { rows, one: async (text, values) => (await rows(text, values))[0] };
  const recorder: Pool = {
    ...db,
    usage: () => ({ busy: 0, idle: 0, waiting: 0 }),
    transaction: (work) => work({ ...db, isTransaction: true }),
    end: () => Promise.resolve(),
  };
  await ask(recorder).catch(() => undefined);
  return statements;
};

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Runs them with EXPLAIN ANALYZE and returns the steps. */
const stepsOf = async (on: Pool, ask: (db: Pool) => Promise<unknown>): Promise<Node[]> => {
  const statements = await sent(ask);
  expect(statements.length).toBeGreaterThan(0);
  const steps: Node[] = [];
  for (const [{ text }, values] of statements) {
    const explained = await on.one<{ "QUERY PLAN": [{ Plan: Node }] }>(
      statement("", `explain (analyze, timing off, format json) ${text}`),
      values,
    );
    steps.push(...nodesOf(explained!["QUERY PLAN"][0].Plan));
  }
  return steps;
};

const wholeReads = (steps: readonly Node[]) =>
  steps
    .filter(
      (step) =>
        step["Node Type"] === "Seq Scan" && /^(users|messages|conversations)$/.test(step["Relation Name"] ?? ""),
    )
    .map((step) => step["Relation Name"]);
/** Number of rows of the largest sort. */
const sorted = (steps: readonly Node[]) =>
  Math.max(
    0,
    ...steps.filter((step) => step["Node Type"] === "Sort").map((step) => step.Plans?.[0]?.["Actual Rows"] ?? 0),
  );
/** Number of rows that any step read from a table. */
const fetched = (steps: readonly Node[]) =>
  steps
    .filter((step) => /^(Index Scan|Bitmap Heap Scan)$/.test(step["Node Type"]))
    .reduce((sum, step) => sum + step["Actual Rows"] * step["Actual Loops"], 0);

const EVERYBODY = { created_from: "1970-01-01T00:00:00Z" };
const selection = (options: Partial<UserSelection>): UserSelection => ({
  filters: EVERYBODY,
  sort_by: "created_time",
  sort_order: "asc",
  limit: 10,
  offset: 0,
  ...options,
});
const usersBy = (options: Partial<UserSelection>) => {
  const wanted = selection(options);
  return (db: Pool) => listUsers({ keyed: db, pool: db }, accountId, wanted);
};

describe("lists of users", () => {
  const deep = [0, 2_500, 5_990] as const;
  const created: [string, Partial<UserSelection>][] = (["asc", "desc"] as const).flatMap((sort_order) =>
    deep.flatMap((offset): [string, Partial<UserSelection>][] => [
      [`everybody ${sort_order} from ${offset}`, { sort_order, offset }],
      [
        `since a time ${sort_order} from ${offset}`,
        { filters: { created_from: "2025-12-01T00:00:00Z" }, sort_order, offset },
      ],
      [
        `until a time ${sort_order} from ${offset}`,
        { filters: { created_to: "2026-02-01T00:00:00Z" }, sort_order, offset },
      ],
    ]),
  );
  test.each(created)("in created order read one range's rows and the page: %s", async (_title, options) => {
    for (const on of [pool, keyed]) {
      const steps = await stepsOf(on, usersBy(options));
      expect(wholeReads(steps)).toEqual([]);
      // Of users only; sums have a row per range.
      const users = steps.filter((step) => step["Relation Name"] === "users");
      const read = users.reduce((sum, step) => sum + step["Actual Rows"] * step["Actual Loops"], 0);
      expect(read).toBeLessThan(2_100);
      expect(fetched(users)).toBeLessThanOrEqual(10);
      expect(sorted(steps)).toBeLessThan(100);
    }
  });

  const sorts: [string, Partial<UserSelection>][] = (
    ["updated_time", "first_name", "last_name", "email"] as const
  ).flatMap((sort_by) =>
    (["asc", "desc"] as const).flatMap((sort_order): [string, Partial<UserSelection>][] => [
      [`${sort_by} ${sort_order}, first page`, { sort_by, sort_order }],
      [`${sort_by} ${sort_order}, last page`, { sort_by, sort_order, offset: 5_990 }],
    ]),
  );
  test.each(sorts)("come from an index in their order: %s", async (_title, options) => {
    const steps = await stepsOf(pool, usersBy(options));
    expect(wholeReads(steps)).toEqual([]);
    expect(sorted(steps)).toBeLessThan(100);
  });

  const filters: [string, UserSelection["filters"]][] = [
    ["first_name", { first_name: "Aiko" }],
    ["last_name", { last_name: "Tanaka" }],
    ["email", { email: "nobody@example.com" }],
    ["phone_no", { phone_no: "+1" }],
    ["reference_id", { reference_id: "customer-1" }],
    ["updated_from", { updated_from: "2026-11-01T00:00:00Z" }],
    ["updated_to", { updated_to: "2024-12-01T00:00:00Z" }],
    ["two of them", { first_name: "Aiko", updated_from: "2026-01-01T00:00:00Z" }],
  ];
  test.each(filters)("find matching users by an index: %s", async (_title, filters) => {
    for (const sort_order of ["asc", "desc"] as const) {
      const steps = await stepsOf(pool, usersBy({ filters, sort_order }));
      expect(wholeReads(steps)).toEqual([]);
      expect(sorted(steps)).toBeLessThan(1_000);
    }
  });
});

describe("a conversation's messages and a user's conversations", () => {
  const pageOf = (options: { from?: Date; offset?: number }) => (db: Pool) =>
    messageStore(db).pages([
      {
        accountId,
        conversationId: talkative.id,
        from: options.from,
        until: undefined,
        offset: options.offset ?? 0,
        size: 20,
      },
    ]);
  test.each([
    ["first page", {}],
    ["far page", { offset: 1_500 }],
    ["since a time", { from: new Date("2025-01-01T00:00:00Z") }],
    ["since a time, far page", { from: new Date("2025-01-01T00:00:00Z"), offset: 1_500 }],
  ])("messages come from the index in their order: %s", async (_title, options) => {
    for (const on of [pool, keyed]) {
      const steps = await stepsOf(on, pageOf(options));
      expect(wholeReads(steps)).toEqual([]);
      expect(sorted(steps)).toBeLessThan(100);
    }
  });

  test("a first page reads no more messages than it contains, plus one to detect the next page", async () => {
    const steps = await stepsOf(keyed, pageOf({}));
    expect(fetched(steps.filter((step) => step["Relation Name"] === "messages"))).toBe(21);
  });

  test("conversations of a user are found by the user", async () => {
    const steps = await stepsOf(pool, (db) =>
      userStore({ writes: db, reads: db, pool: db, heavy: db }).conversations(accountId, talkative.user_id),
    );
    expect(wholeReads(steps)).toEqual([]);
  });
});
