import { expect, test } from "@jest/globals";
import type { CustomerBlock } from "@parley/contract";
import { messengerHarness } from "../../messenger/messenger-harness.ts";
import { outcome, UNKNOWN_ID, type ConsoleAgent } from "../console-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(messengerHarness);

const block = (method: string, id: string, agent: ConsoleAgent = s.maya) =>
  s.call<CustomerBlock>(agent, method, `/customers/${id}/block`);
const actionsOf = async (id: string) =>
  (await s.sql<{ action: string }>("select action from audit_log where subject = $1 order by time, id", [id])).map(
    ({ action }) => action,
  );

test("POST /console/api/customers/{user_id}/block 200 and DELETE: the visitor writes nothing until the block ends, and each is audited once", async () => {
  const { token, visitor } = await s.visitor();
  const { code, body } = await block("POST", visitor.user_id);
  expect([code, body]).toMatchObject([200, { is_blocked: true, agent_id: s.maya.id }]);
  await block("POST", visitor.user_id);
  s.expireCaches();
  const put = () => s.request("PUT", "/visitor", { token, body: { first_name: "Spam" } });
  expect(outcome(await put())).toBe("403 VISITOR_BLOCKED");
  expect((await s.request("GET", "/visitor", { token })).code).toBe(200);
  expect((await block("DELETE", visitor.user_id)).body).toEqual({ is_blocked: false });
  await block("DELETE", visitor.user_id);
  s.expireCaches();
  expect((await put()).code).toBe(200);
  expect(await actionsOf(visitor.user_id)).toEqual(["customer.block", "customer.unblock"]);
});

test("GET /console/api/customers/{user_id}/block 200: states whether the customer is blocked, since when and by whom", async () => {
  const { visitor } = await s.visitor();
  expect((await block("GET", visitor.user_id)).body).toEqual({ is_blocked: false });
  const { body } = await block("POST", visitor.user_id);
  expect(body.blocked_time).toMatch(/^\d{4}-/);
  expect((await block("GET", visitor.user_id)).body).toEqual(body);
});

test.each([
  ["GET /console/api/customers/{user_id}/block 404 USER_NOT_FOUND", "GET"],
  ["POST /console/api/customers/{user_id}/block 404 USER_NOT_FOUND", "POST"],
  ["DELETE /console/api/customers/{user_id}/block 404 USER_NOT_FOUND", "DELETE"],
])("%s for an unknown or deleted user", async (_, method) => {
  const { visitor } = await s.visitor();
  await block("POST", visitor.user_id);
  await s.client.users.deleteUser({ params: { user_id: visitor.user_id } });
  for (const id of [UNKNOWN_ID, "none", visitor.user_id])
    expect(outcome(await block(method, id))).toBe("404 USER_NOT_FOUND");
  expect(await s.sql("select from blocked_users where user_id = $1", [visitor.user_id])).toEqual([]);
});

test("DELETE /console/api/customers/{user_id}/block 200: a customer who is not blocked stays so", async () => {
  const { visitor } = await s.visitor();
  expect(await block("DELETE", visitor.user_id)).toMatchObject({ code: 200, body: { is_blocked: false } });
});

test.each([
  ["POST /messenger/api/sessions/restore 403 VISITOR_BLOCKED", "POST", "/sessions/restore", true],
  ["POST /messenger/api/visitor/identity 403 VISITOR_BLOCKED", "POST", "/visitor/identity", false],
  ["PUT /messenger/api/visitor 403 VISITOR_BLOCKED", "PUT", "/visitor", false],
])("%s for the user's own session or restore_id", async (_, method, path, isRestore) => {
  const { token, visitor } = await s.visitor({ external_id: path });
  await block("POST", visitor.user_id);
  s.expireCaches();
  const identity = { external_id: path, restore_id: visitor.restore_id };
  const body = isRestore ? { account: "acme", ...identity } : path === "/visitor" ? {} : identity;
  expect(outcome(await s.request(method, path, { token: isRestore ? undefined : token, body }))).toBe(
    "403 VISITOR_BLOCKED",
  );
});

test("another visitor is not identified as a blocked user", async () => {
  const { visitor } = await s.visitor({ external_id: "b-1" });
  const { token } = await s.visitor();
  await block("POST", visitor.user_id);
  const body = { external_id: "b-1", restore_id: visitor.restore_id };
  expect(outcome(await s.request("POST", "/visitor/identity", { token, body }))).toBe("403 VISITOR_BLOCKED");
});

test("an agent outside of the customer's conversations can't block the customer", async () => {
  const agent = await s.newAgent("Ines", "Me");
  const { visitor } = await s.visitor();
  expect(outcome(await block("POST", visitor.user_id, agent))).toBe("404 USER_NOT_FOUND");
});
