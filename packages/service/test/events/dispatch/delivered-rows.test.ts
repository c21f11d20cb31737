import { expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { statement } from "@parley/database";
import { deliveryStore } from "../../../src/events/dispatch/deliveries.sql.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { consoleHarness } from "../../console/console-harness.ts";
import { deliveredRow } from "./delivery-rows.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const SUBSCRIPTIONS = 6;
const KEPT = 50;
const BATCHES = 8;
const BATCH = 10;

const s = fileFixture(consoleHarness);

/** A node of a plan in JSON. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
}
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

test("the last delivered rows of each subscription are kept, and finding the others reads each row once", async () => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    const store = deliveryStore(pool);
    const ids = Array.from({ length: SUBSCRIPTIONS }, () => randomUUID());
    await s.sql(
      `insert into subscriptions (id, account_id, name, kind, url, secret, start_seq, created_time)
       select id, (select min(id) from accounts), id::text, 'webhook', 'http://127.0.0.1/', '', 0, now()
         from unnest($1::uuid[]) as asked (id)`,
      [ids],
    );
    // Plans are made for a small table, and kept while it grows.
    await s.sql("analyze deliveries", []);
    for (let batch = 0; batch < BATCHES; batch++) {
      const seqs = Array.from({ length: BATCH }, (_, index) => batch * BATCH + index + 1);
      await store.recordDelivered(
        ids.flatMap((id) => seqs.map((seq) => deliveredRow(id, seq))),
        KEPT,
      );
    }
    const counts = await s.sql<{ count: number; first: number }>(
      `select count(*)::integer as count, min(seq)::integer as first from deliveries
        where subscription_id = any($1::uuid[]) group by subscription_id`,
      [ids],
    );
    expect(counts).toEqual(ids.map(() => ({ count: KEPT, first: BATCHES * BATCH - KEPT + 1 })));

    const [row] = await pool.rows<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
      statement("", `explain (analyze, format json) execute forget_deliveries('{${ids.join(",")}}', ${KEPT})`),
      [],
    );
    const plan = row?.["QUERY PLAN"][0]?.Plan;
    const readCount = (plan ? nodesOf(plan) : [])
      .filter((node) => node["Relation Name"] === "deliveries")
      .reduce((sum, node) => sum + node["Actual Rows"] * node["Actual Loops"], 0);
    expect(readCount).toBeGreaterThanOrEqual(SUBSCRIPTIONS * KEPT);
    expect(readCount).toBeLessThanOrEqual(SUBSCRIPTIONS * (KEPT + 1) * 2);
  } finally {
    await pool.end();
  }
}, 60_000);
