import { expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";
import { adminHarness } from "../endpoints/admin-harness.ts";
import { startFakeProvider } from "../../../messaging/outbound/fake-provider.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  MINUTE_MS,
  outboundRequest,
  pollUntil,
  saveTemplate,
  sendOutbound,
  untilStatuses,
} from "../../../messaging/outbound/outbound-fixture.ts";

test("a message that awaits another attempt is not sent while the account is closed, and is sent once it is reopened", async () => {
  const time = fakeClock();
  const provider = await startFakeProvider(time.now);
  const w = await adminHarness({
    ports: { now: time.now },
    config: { outbound: { url: provider.url, secret: provider.secret } },
  });
  await saveTemplate(w, GREETING_TEMPLATE);
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  /** The work has been looked at, and is due later. */
  const untilPostponed = () =>
    waitUntil(
      async () => (await pool.rows(statement("", "select from due_work where due_time > $1"), [time.now()])).length > 0,
    );
  const attempts = (count: number) =>
    pollUntil(
      async () => provider.requests.length,
      (length) => length === count,
    );
  provider.replies.push({ status: 429, headers: { "retry-after": "60" } });
  const { request_id } = await sendOutbound(w, outboundRequest());
  await attempts(1);
  await untilPostponed();
  expect((await w.adminRequest("DELETE", "/admin/accounts/acme")).code).toBe(202);
  time.advance(2 * MINUTE_MS);
  await untilPostponed();
  expect(provider.requests).toHaveLength(1);
  expect((await w.adminRequest("POST", "/admin/accounts/acme/reopening")).code).toBe(200);
  time.advance(60 * MINUTE_MS);
  await untilStatuses(w, request_id, "Sent");
  expect(provider.requests).toHaveLength(2);
  await pool.end();
  await w.close();
  await provider.close();
});
