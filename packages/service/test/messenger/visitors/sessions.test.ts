import { describe, expect, test } from "@jest/globals";
import type { VisitorSession } from "@parley/contract";
import { outcome } from "../../console/console-harness.ts";
import { messengerHarness } from "../messenger-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(messengerHarness);

describe("POST /messenger/api/sessions", () => {
  test("POST /messenger/api/sessions 201: begins a session as a new user with a name that the service chose", async () => {
    const { token, visitor, expires_time } = await s.visitor();
    expect(token).toMatch(/^visitor_[\w-]{43}$/);
    expect(Date.parse(expires_time)).toBeGreaterThan(Date.now());
    expect(visitor).toMatchObject({
      is_name_generated: true,
      first_name: "Visitor",
      last_name: expect.stringMatching(/^[0-9A-F]{4}$/),
    });
    const user = await s.client.users.getUser({ params: { user_id: visitor.user_id } });
    expect(user).toMatchObject({ first_name: visitor.first_name, login_status: false, restore_id: visitor.restore_id });
    expect(user).not.toHaveProperty("reference_id");
  });

  test("a profile is stored as the site gave it", async () => {
    const profile = { first_name: "Ana", email: "ana@example.com", properties: [{ name: "plan", value: "gold" }] };
    const { visitor } = await s.visitor({ external_id: "u-1", profile });
    expect(visitor).toMatchObject({ ...profile, external_id: "u-1", is_name_generated: false });
  });

  test("an external_id that a user has begins a new user", async () => {
    const first = await s.visitor({ external_id: "u-2" });
    const second = await s.visitor({ external_id: "u-2" });
    expect(second.visitor.user_id).not.toBe(first.visitor.user_id);
    expect(second.visitor.restore_id).not.toBe(first.visitor.restore_id);
  });

  test.each([
    ["an e-mail address that is none", { profile: { email: "not an address" } }],
    ["a numeric external_id", { external_id: 7 }],
    ["an empty external_id", { external_id: "" }],
    ["a text with NUL", { profile: { first_name: "a\u0000b" } }],
  ])("%s is refused with INVALID_VALUE", async (_, input) => {
    const reply = await s.request("POST", "/sessions", { body: { account: "acme", ...input } });
    expect(outcome(reply)).toBe("400 INVALID_VALUE");
  });

  test("null and empty texts count as absent", async () => {
    const { visitor } = await s.visitor({ profile: { first_name: "", email: "", phone: null } });
    expect(visitor).toMatchObject({ is_name_generated: true });
  });
});

describe("POST /messenger/api/sessions/restore", () => {
  const restore = (external_id: string, restore_id: string) =>
    s.request<VisitorSession>("POST", "/sessions/restore", { body: { account: "acme", external_id, restore_id } });

  test("POST /messenger/api/sessions/restore 201: begins a session of the user with the external_id and the restore_id", async () => {
    const first = await s.visitor({ external_id: "r-1" });
    const second = await s.visitor({ external_id: "r-1" });
    for (const { visitor } of [first, second]) {
      const { code, body } = await restore("r-1", visitor.restore_id);
      expect([code, body.visitor]).toEqual([201, visitor]);
    }
  });

  test("POST /messenger/api/sessions/restore 403 RESTORE_REFUSED, equally for an unknown external_id, a wrong restore_id and one of another user", async () => {
    const known = await s.visitor({ external_id: "r-2" });
    const other = await s.visitor({ external_id: "r-3" });
    const replies = [
      await restore("r-unknown", known.visitor.restore_id),
      await restore("r-2", "wrong"),
      await restore("r-2", other.visitor.restore_id),
    ];
    expect(replies.map(outcome)).toEqual(Array(3).fill("403 RESTORE_REFUSED"));
    const [first, ...rest] = replies.map(({ body }) => body.message);
    expect(rest).toEqual([first, first]);
  });

  test("a deleted user is not restored", async () => {
    const { visitor } = await s.visitor({ external_id: "r-4" });
    await s.client.users.deleteUser({ params: { user_id: visitor.user_id } });
    expect(outcome(await restore("r-4", visitor.restore_id))).toBe("403 RESTORE_REFUSED");
  });

  test("a user of another account is not restored", async () => {
    const { visitor } = await s.visitor({ external_id: "r-5" });
    const body = { account: "solo", external_id: "r-5", restore_id: visitor.restore_id };
    expect(outcome(await s.request("POST", "/sessions/restore", { body }))).toBe("403 RESTORE_REFUSED");
  });
});

describe("the session", () => {
  test("GET /messenger/api/visitor 200: answers the user of the session", async () => {
    const { token, visitor } = await s.visitor({ profile: { first_name: "Ben" } });
    expect(await s.request("GET", "/visitor", { token })).toMatchObject({ code: 200, body: visitor });
  });

  test("DELETE /messenger/api/session 204: ends the session", async () => {
    const { token } = await s.visitor();
    expect((await s.request("DELETE", "/session", { token })).code).toBe(204);
    expect(outcome(await s.request("GET", "/visitor", { token }))).toBe("401 UNAUTHENTICATED");
  });

  test("the deletion of the user ends its sessions and deletes what the messenger stores of it", async () => {
    const { token, visitor } = await s.visitor();
    await s.client.users.deleteUser({ params: { user_id: visitor.user_id } });
    s.expireCaches();
    expect(outcome(await s.request("GET", "/visitor", { token }))).toBe("401 UNAUTHENTICATED");
    for (const table of ["visitors", "visitor_sessions"])
      expect(await s.sql(`select 1 from ${table} where user_id = $1`, [visitor.user_id])).toEqual([]);
  });
});

describe("PUT /messenger/api/visitor", () => {
  test("PUT /messenger/api/visitor 200: changes the named fields and properties, and appends the event", async () => {
    const properties = [{ name: "plan", value: "free" }];
    const { token, visitor } = await s.visitor({ profile: { last_name: "Lee", properties } });
    const body = { first_name: "Cleo", properties: [{ name: "city", value: "Oslo" }] };
    const { body: changed } = await s.request("PUT", "/visitor", { token, body });
    expect(changed).toMatchObject({
      first_name: "Cleo",
      last_name: "Lee",
      is_name_generated: false,
      properties: [...properties, ...body.properties],
    });
    const user = await s.client.users.getUser({ params: { user_id: visitor.user_id } });
    expect(user).toMatchObject({ first_name: "Cleo", properties: [...properties, ...body.properties] });
    const events = await s.sql<{ members: string[] }>(
      "select array(select json_object_keys(changes::json -> 'model_changes')) as members from outbox where entity_id = $1 and kind = 'user_update'",
      [visitor.user_id],
    );
    expect(events).toEqual([{ members: ["first_name", "properties"] }]);
  });

  test("a visitor has at most 100 properties", async () => {
    const properties = (prefix: string) =>
      Array.from({ length: 60 }, (_, i) => ({ name: `${prefix}${i}`, value: "1" }));
    const { token } = await s.visitor({ profile: { properties: properties("a") } });
    const reply = await s.request("PUT", "/visitor", { token, body: { properties: properties("b") } });
    expect(outcome(reply)).toBe("400 INVALID_VALUE");
  });
});
