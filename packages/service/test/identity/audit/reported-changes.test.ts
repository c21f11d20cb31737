import { describe, expect, test } from "@jest/globals";
import type { AuditEntry } from "@parley/contract";
import { auditHarness } from "./audit-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Changes that the platform reports, or makes for the agent of its page. */

const s = fileFixture(auditHarness);

describe("changes of apps", () => {
  const report = async (body: object) => {
    const path = "/admin/accounts/acme/audit-log";
    const { result, entries } = await s.entriesOf(() => s.adminRequest("POST", path, body));
    return { code: result.code, entry: entries[0] };
  };
  test("POST /admin/accounts/{account}/audit-log 201 with the agent of the page", async () => {
    const { id, email } = s.owner;
    const body = { action: "app.change", app: "concierge", agent_id: id, address: "192.0.2.7", members: ["greeting"] };
    const { code, entry } = await report(body);
    expect(code).toBe(201);
    expect(entry).toMatchObject({
      action: "app.change",
      actor: { type: "agent", id, name: email },
      address: "192.0.2.7",
      subject: "concierge",
      details: { members: ["greeting"] },
    });
  });
  test.each(["none", "3d6f3f7e-0000-4000-8000-000000000000"])(
    "an unknown agent %s is the platform",
    async (agent_id) => {
      const { entry } = await report({ action: "app.uninstall", app: "concierge", agent_id });
      expect(entry?.actor).toEqual({ type: "platform" });
    },
  );
  test("an agent of another account is the platform", async () => {
    const { entry } = await report({ action: "app.uninstall", app: "concierge", agent_id: s.ownerOfSolo.id });
    expect(entry?.actor).toEqual({ type: "platform" });
  });
});

describe("a reported change with an id", () => {
  const report = (path: string, body: object) =>
    s.adminRequest("POST", path, { app: "concierge", ...body }).then(({ code }) => code);
  const APP = "/admin/accounts/acme/audit-log";
  const ID = "installation 7, change 3";

  test("is recorded once, also if it is reported twenty times at the same time; without an id each report is recorded", async () => {
    const body = { action: "app.upgrade", id: ID };
    const { result, entries } = await s.entriesOf(async () => [
      ...(await Promise.all(Array.from({ length: 20 }, () => report(APP, body)))),
      await report(APP, { ...body, action: "app.pause" }),
    ]);
    expect([new Set(result), entries.map(({ action }) => action)]).toEqual([new Set([201]), ["app.upgrade"]]);
    const others = await s.entriesOf(() =>
      Promise.all([report(APP, { action: "app.pause" }), report(APP, { action: "app.pause" })]),
    );
    expect(others.entries).toHaveLength(2);
  });

  test("is another change on another account, and of the installation", async () => {
    const { entries } = await s.entriesOf(async () => {
      for (const path of [APP, "/admin/accounts/solo/audit-log"])
        await report(path, { action: "app.resume", id: "same" });
      for (let turn = 0; turn < 2; turn++) await report("/admin/audit-log", { action: "app.offer", id: "same" });
    });
    // Entries of the same millisecond have no order.
    expect(entries.map(({ account, action }) => `${action} ${account ?? "of the installation"}`).sort()).toEqual([
      "app.offer of the installation",
      "app.resume acme",
      "app.resume solo",
    ]);
  });

  test.each(["app.install", "app.change", "app.upgrade", "app.rollback", "app.pause", "app.resume", "app.uninstall"])(
    "can be %s",
    async (action) => {
      const { entries } = await s.entriesOf(() => report(APP, { action, id: `one ${action}` }));
      expect(entries).toMatchObject([{ action, account: "acme", subject: "concierge" }]);
    },
  );
});

test("POST /admin/audit-log 201 records a change of the catalogue without an account, which accounts don't see", async () => {
  const body = { action: "app.publish", app: "concierge", address: "192.0.2.7", members: ["2.0.0"] };
  const { result, entries } = await s.entriesOf(() => s.adminRequest("POST", "/admin/audit-log", body));
  expect(result.code).toBe(201);
  expect(entries).toEqual([
    {
      id: expect.any(String),
      time: expect.any(String),
      actor: { type: "platform" },
      address: "192.0.2.7",
      action: "app.publish",
      subject: "concierge",
      details: { members: ["2.0.0"] },
    },
  ]);
  const { body: ofAccount } = await s.adminRequest<{ entries: AuditEntry[] }>(
    "GET",
    "/admin/accounts/acme/audit-log?action=app.publish",
  );
  expect(ofAccount.entries).toEqual([]);
});

describe("a token that the platform creates for the agent of its page", () => {
  const create = (body: object) =>
    s.adminRequest("POST", "/admin/accounts/acme/tokens", { name: "concierge", ...body });
  test("names the agent as its creator", async () => {
    const { id, email } = s.owner;
    const { result, entries } = await s.entriesOf(() => create({ agent_id: id }));
    expect(result.code).toBe(201);
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ["token.create", { type: "agent", id, name: email }],
    ]);
  });
  test("is refused for an agent who may not create tokens, and for one that the account does not have", async () => {
    for (const agent_id of [s.agent.id, s.ownerOfSolo.id, "none"]) {
      const { result, entries } = await s.entriesOf(() => create({ agent_id }));
      expect([agent_id, result.code, result.body.status, entries]).toEqual([agent_id, 403, "FORBIDDEN", []]);
    }
  });
  test("a session can't name another agent: nothing is created", async () => {
    const { result, entries } = await s.entriesOf(() =>
      s.page("POST", "/admin/accounts/acme/tokens", {
        session: s.owner.session,
        body: { name: "concierge", agent_id: s.agent.id },
      }),
    );
    expect([result.code, result.body.status, entries]).toEqual([400, "INVALID_VALUE", []]);
  });
});
