import { expect, test } from "@jest/globals";
import type { Visitor, VisitorSession } from "@parley/contract";
import { outcome } from "../../console/console-harness.ts";
import { messengerHarness } from "../messenger-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(messengerHarness);

interface Identification {
  readonly identification: string;
  readonly visitor?: Visitor;
  readonly session?: VisitorSession;
}
const identify = (token: string, external_id: string, restore_id?: string) =>
  s.request<Identification>("POST", "/visitor/identity", { token, body: { external_id, restore_id } });
const isEnded = async (token: string) => (await s.request("GET", "/visitor", { token })).code === 401;

test("POST /messenger/api/visitor/identity 200: an anonymous visitor keeps its user if no user has the external_id", async () => {
  const { token, visitor } = await s.visitor();
  const { body } = await identify(token, "i-1");
  expect(body).toMatchObject({ identification: "kept", visitor: { user_id: visitor.user_id, external_id: "i-1" } });
  expect(await s.client.users.listUsers({ query: { reference_id: "i-1" } })).toMatchObject({
    users: [{ id: visitor.user_id, login_status: false }],
  });
  expect((await identify(token, "i-1")).body.identification).toBe("kept");
  expect(await isEnded(token)).toBe(false);
});

test("the right restore_id changes to the user who has it, and ends the anonymous session", async () => {
  const owner = await s.visitor({ external_id: "i-2" });
  const { token } = await s.visitor();
  const { body } = await identify(token, "i-2", owner.visitor.restore_id);
  expect(body).toMatchObject({ identification: "restored", visitor: owner.visitor });
  expect(await isEnded(token)).toBe(true);
  const own = await s.request<Visitor>("GET", "/visitor", { token: body.session?.token });
  expect(own.body.user_id).toBe(owner.visitor.user_id);
});

test.each([
  ["without a restore_id", undefined],
  ["with a wrong restore_id", "wrong"],
])("the external_id of another user, %s, ends the session and shows nothing of that user", async (_, restoreId) => {
  await s.visitor({ external_id: "i-3", profile: { first_name: "Secret" } });
  const { token } = await s.visitor();
  const { body } = await identify(token, "i-3", restoreId);
  expect(body).toEqual({ identification: "separate" });
  expect(await isEnded(token)).toBe(true);
});

test("an identified visitor who gives another external_id begins anew", async () => {
  const { token, visitor } = await s.visitor({ external_id: "i-4" });
  expect((await identify(token, "i-5")).body).toEqual({ identification: "separate" });
  expect(await isEnded(token)).toBe(true);
  const user = await s.client.users.getUser({ params: { user_id: visitor.user_id } });
  expect(user.reference_id).toBe("i-4");
});

test("a user whom the API created with the reference_id is not joined without its restore_id", async () => {
  const { id, restore_id } = await s.client.users.createUser({ body: { first_name: "Api", reference_id: "i-6" } });
  const { token } = await s.visitor();
  expect((await identify(token, "i-6")).body).toEqual({ identification: "separate" });
  const second = await s.visitor();
  const { body } = await identify(second.token, "i-6", restore_id);
  expect(body).toMatchObject({ identification: "restored", visitor: { user_id: id } });
  const properties = [{ name: "plan", value: "gold" }];
  const changed = await s.request("PUT", "/visitor", { token: body.session?.token, body: { properties } });
  expect(changed).toMatchObject({ code: 200, body: { first_name: "Api", properties } });
});

test("of several visitors who give a free external_id at once, one keeps it", async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => s.visitor()));
  const replies = await Promise.all(sessions.map(({ token }) => identify(token, "i-7")));
  const kept = replies.filter(({ body }) => body.identification === "kept");
  expect(kept).toHaveLength(1);
});

test("TOO_MANY_REQUESTS after 20 wrong restore ids of one address, also with the right one", async () => {
  const owner = await s.visitor({ external_id: "i-8" });
  const restore = (restore_id: string) =>
    s.request("POST", "/sessions/restore", { body: { account: "acme", external_id: "i-8", restore_id } });
  const outcomes: string[] = [];
  while (outcomes.length < 25 && outcomes.at(-1) !== "429 TOO_MANY_REQUESTS")
    outcomes.push(outcome(await restore("wrong")));
  expect(outcomes.at(-1)).toBe("429 TOO_MANY_REQUESTS");
  expect(outcomes.length).toBeGreaterThan(15);
  const reply = await restore(owner.visitor.restore_id);
  expect([outcome(reply), Number(reply.headers.get("retry-after")) > 0]).toEqual(["429 TOO_MANY_REQUESTS", true]);
});
