import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { adminHarness } from "../admin/admin-harness.ts";
import { startFakeProvider } from "../outbound/fake-provider.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  MINUTE_MS,
  outboundRequest,
  pollUntil,
  saveTemplate,
  sendOutbound,
  untilStatuses,
} from "../outbound/outbound-fixture.ts";

test("a message that awaits another attempt is not sent while the account is closed, and is sent once it is reopened", async () => {
  const time = fakeClock();
  const provider = await startFakeProvider(time.now);
  const w = await adminHarness({
    ports: { now: time.now },
    config: { outbound: { url: provider.url, secret: provider.secret } },
  });
  await saveTemplate(w, GREETING_TEMPLATE);
  const attempts = (count: number) =>
    pollUntil(
      async () => provider.requests.length,
      (length) => length === count,
    );
  provider.replies.push({ status: 429, headers: { "retry-after": "60" } });
  const { request_id } = await sendOutbound(w, outboundRequest());
  await attempts(1);
  await setTimeout(500);
  expect((await w.adminRequest("DELETE", "/admin/accounts/acme")).code).toBe(202);
  time.advance(2 * MINUTE_MS);
  await setTimeout(2_500);
  expect(provider.requests).toHaveLength(1);
  expect((await w.adminRequest("POST", "/admin/accounts/acme/reopening")).code).toBe(200);
  await setTimeout(1_000);
  time.advance(60 * MINUTE_MS);
  await untilStatuses(w, request_id, "Sent");
  expect(provider.requests).toHaveLength(2);
  await w.close();
  await provider.close();
});
