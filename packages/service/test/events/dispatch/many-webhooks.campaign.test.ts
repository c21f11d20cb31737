import { expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { conversationFixture, firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { demoDatabase, serviceHarness } from "../../service-harness.ts";
import { dispatchHarness, SHORT_DELAYS } from "./dispatch-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** More than the callers that may wait for a connection of one pool. */
const WEBHOOKS = 1_500;
const COPY_WEBHOOK = statement(
  "",
  `insert into subscriptions
   select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'name', s.name || i, 'actions', '["agent_create"]'::jsonb))).*
     from subscriptions s, generate_series(1, $1::integer) as i
    where s.kind = 'webhook'`,
);
const CURSORS = statement("", "select count(distinct subscription_id)::integer as count from cursors");

/** Cursors are saved as soon as a queue has read the log. */
const dispatchRules = { ...SHORT_DELAYS, idleLag: 1 };

const database = fileFixture(demoDatabase);
const w = fileFixture(() => dispatchHarness({ database, dispatchRules }));

test("a process that takes over the events of many webhooks reads the log for a few of them at a time", async () => {
  const webhook = await w.subscribe();
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(COPY_WEBHOOK, [WEBHOOKS]);
  const { sendMessage } = await conversationFixture(w, await firstChannelId(w));
  const config = { secretsKey: "ab".repeat(32), webhooks: { overlapHours: 24, allowsLoopback: true } };
  const other = await serviceHarness({ database, dispatchRules, config, hasThrottledLog: true });
  try {
    await sendMessage("second");
    await waitUntil(() => webhook.endpoint.acceptedTexts().includes("second"));
    // Each queue has read the log when it has a cursor.
    await waitUntil(async () => ((await pool.one<{ count: number }>(CURSORS, []))?.count ?? 0) > WEBHOOKS);
    expect([...w.logLines, ...other.logLines].filter((line) => line.includes("error"))).toEqual([]);
  } finally {
    await pool.end();
    await other.close();
  }
});
