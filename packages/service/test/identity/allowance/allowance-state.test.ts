import { expect, test } from "@jest/globals";
import { adminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(() => adminHarness({ callsPerHour: undefined }));

interface Allowance {
  readonly plan_type: string;
  readonly calls: { readonly limit: number; readonly used: number; readonly left: number; readonly reset: number };
}
const allowance = async (account = "acme") =>
  (await w.adminRequest<Allowance>("GET", `/admin/accounts/${account}/allowance`)).body;

test("GET /admin/accounts/{account}/allowance 200 has the plan, and the calls of the hour that are used and left", async () => {
  const before = await allowance();
  expect(before.plan_type).toBe("Enterprise");
  expect(before.calls.reset).toBeGreaterThan(0);
  for (let call = 0; call < 5; call += 1) await w.client.groups.listGroups();
  const { calls } = await allowance();
  // Processes reserve calls in blocks.
  expect(calls.used).toBeGreaterThanOrEqual(5);
  expect(calls.used + calls.left).toBe(calls.limit);
  await w.applyOrThrow({ name: "acme", calls_per_hour: 123 });
  expect((await allowance()).calls.limit).toBe(123);
  expect((await allowance("solo")).plan_type).toBe("Growth");
});

test("GET /admin/accounts/{account}/allowance ACCOUNT_NOT_FOUND", async () => {
  const { code, body } = await w.adminRequest("GET", "/admin/accounts/nobody/allowance");
  expect([code, body.status]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
});
