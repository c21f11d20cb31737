import { describe, expect, test } from "@jest/globals";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { PASSWORD, secretOfLink } from "../authentication/session-harness.ts";
import { auditHarness } from "./audit-harness.ts";
import { ADDRESS_SECRET, CLIENT_SECRET } from "./audited-changes.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** What entries contain, and what they never do. */

const s = fileFixture(auditHarness);

test("changes without effect leave no entry", async () => {
  const { body } = await s.adminRequest<{ webhook: { id: string } }>("POST", "/admin/accounts/acme/webhooks", {
    url: "https://hooks.example.com/",
  });
  const agent = await s.client.agents.createAgent({ body: { email: "same@acme.example", first_name: "Sam" } });
  const { id } = await s.admin.issueToken({ account: "acme", name: "ended" });
  await s.admin.revokeToken(id);
  const { entries, result } = await s.entriesOf(async () => [
    (await s.applyDocument({ name: "acme", groups: [{ name: "Planned" }] }, "?dry_run=true")).code,
    (await s.applyDocument({ name: "acme" })).code,
    (await s.adminRequest("PUT", `/admin/accounts/acme/webhooks/${body.webhook.id}`, { state: "on" })).code,
    (await s.adminRequest("PUT", `/admin/accounts/acme/agents/${agent.id}`, { is_deactivated: false })).code,
    (
      await s.raw("PUT", `/v2/agents/${agent.id}`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ first_name: "Sam" }),
      })
    ).status,
    (await s.adminRequest("DELETE", `/admin/tokens/${id}`)).code,
  ]);
  expect([result, entries]).toEqual([[200, 200, 200, 200, 200, 200], []]);
});

test("an entry names what was changed", async () => {
  const { entries } = await s.entriesOf(async () => {
    await s.applyOrThrow({ name: "lamps", groups: [{ name: "Repairs" }] });
    await s.applyOrThrow({ name: "lamps", groups: [{ name: "Repairs", description: "All lamps" }] });
    const agent = await s.client.agents.createAgent({ body: { email: "kim@acme.example" } });
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${agent.id}`, { is_deactivated: true, agent_capacity: 2 });
  });
  expect(entries.map(({ action, account, details }) => ({ action, account, details }))).toMatchObject([
    {
      action: "account.create",
      account: "lamps",
      details: { changes: expect.arrayContaining([{ change: "create", section: "groups", name: "Repairs" }]) },
    },
    {
      action: "account.change",
      details: { changes: [{ change: "update", section: "groups", name: "Repairs", members: ["description"] }] },
    },
    { action: "agent.create", details: { email: "kim@acme.example", role_id: "AGENT" } },
    {
      action: "agent.change",
      details: {
        email: "kim@acme.example",
        members: expect.arrayContaining(["is_deactivated", "agent_capacity"]),
        is_deactivated: true,
      },
    },
  ]);
});

test("a token whose permissions change at the start of its program leaves an entry, a later expiry does not", async () => {
  const { token, id } = await s.admin.issueToken({ account: "acme", name: "app", permissions: ["user:read"] });
  const renew = (permissions: readonly ("user:read" | "agent:read")[]) =>
    s.entriesOf(() => s.admin.renewToken(token, { account: "acme", permissions }));
  expect((await renew(["user:read"])).entries).toEqual([]);
  expect((await renew(["user:read", "agent:read"])).entries).toMatchObject([
    {
      action: "token.change",
      subject: id,
      actor: { type: "system" },
      details: { name: "app", permissions: ["user:read", "agent:read"] },
    },
  ]);
});

describe("import and export of data", () => {
  const importLines = (query: string, ...records: object[]) =>
    s.raw("POST", `/admin/import${query}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/x-ndjson" },
      body: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    });
  const user = {
    type: "user",
    id: "3d6f3f7e-0000-4000-8000-0000000000aa",
    first_name: "Zora",
    created_time: "2026-01-05T09:00:00.000Z",
  };

  const OTHER_ID = "3d6f3f7e-0000-4000-8000-0000000000bb";

  test("an import leaves one entry for each account", async () => {
    const { entries } = await s.entriesOf(async () =>
      (await importLines("", { type: "account", name: "moved" }, user, { type: "end", records: 2 })).text(),
    );
    const operator = { actor: { type: "operator" }, address: "127.0.0.1", account: "moved" };
    expect(entries).toMatchObject([
      { action: "account.create", ...operator },
      { action: "data.import", ...operator, subject: "moved", details: { existing_records: "refuse" } },
    ]);
  });
  test("a dry run leaves none, and neither does an import that is refused", async () => {
    const { entries } = await s.entriesOf(async () => {
      await (await importLines("?account=acme&dry_run=true", user)).text();
      expect(await (await importLines("?account=nobody", user)).text()).toContain("ACCOUNT_NOT_FOUND");
      expect((await s.raw("POST", "/admin/import?account=acme")).status).toBe(401);
      expect((await s.raw("GET", "/admin/export")).status).toBe(401);
    });
    expect(entries).toEqual([]);
  });
  test("an export leaves one entry in each exported account", async () => {
    const get = async (query: string) => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const { entries } = await s.entriesOf(async () =>
        (await s.raw("GET", `/admin/export${query}`, { headers })).text(),
      );
      return entries.map(({ action, account, actor, details }) => [action, account, actor.type, details]);
    };
    expect(await get("?account=solo&since=2026-01-01T00:00:00Z")).toEqual([
      ["data.export", "solo", "operator", { since: "2026-01-01T00:00:00Z" }],
    ]);
    expect((await get("")).map(([action, account]) => [action, account])).toEqual(
      expect.arrayContaining([
        ["data.export", "acme"],
        ["data.export", "solo"],
      ]),
    );
    expect(await get("?account=nobody")).toEqual([]);
  });
  test("without the audit log nothing is exported or imported", async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const before = await s.checksum();
    await s.renameLog("hide");
    try {
      expect((await s.raw("GET", "/admin/export", { headers })).status).toBeGreaterThanOrEqual(500);
      expect(await (await importLines("?account=acme", { ...user, id: OTHER_ID })).text()).toContain('refused":1');
      expect(await s.checksum()).toBe(before);
    } finally {
      await s.renameLog("restore");
    }
    expect(await (await importLines("?account=acme", { ...user, id: OTHER_ID })).text()).toContain('"created":1');
  });
});

test("no entry contains a secret", async () => {
  const base = "/admin/accounts/acme";
  const ask = async (method: string, path: string, body?: object) =>
    (await s.adminRequest<Record<string, unknown>>(method, base + path, body)).body;
  const made = await ask("POST", "/tokens", { name: "name that is not a secret" });
  const url = `https://hooks.example.com/${ADDRESS_SECRET}?key=${ADDRESS_SECRET}`;
  const webhook = await ask("POST", "/webhooks", { url });
  const { id } = webhook["webhook"] as { id: string };
  await ask("PUT", `/webhooks/${id}`, { url: `${url}&more=1` });
  const renewed = await ask("POST", `/webhooks/${id}/secret`, {});
  const provider = { label: "Staff", issuer: "https://login.example.com", client_id: "parley" };
  await ask("PUT", "/identity-providers/corp", { ...provider, client_secret: CLIENT_SECRET });
  const owner = { email: "owner@secretive.example" };
  const account = await s.adminRequest<{ link: string }>("POST", "/admin/accounts", { name: "secretive", owner });
  const issued = await s.admin.issueToken({ account: "acme", name: "in the process" });
  await s.admin.renewToken(issued.token, { account: "acme", permissions: ["user:read"] });
  const invitation = await ask("POST", `/agents/${s.agent.id}/invitation`);
  const link = await ask("POST", "/sign-in-links", { email: s.agent.email });
  const rows = await s.storedEntries();
  const text = rows.join("\n");
  const secrets = [made["token"], webhook["secret"], renewed["secret"], invitation["link"], link["link"]].map(String);
  const all = [
    ...secrets,
    ...[invitation["link"], link["link"]].map((each) => secretOfLink(String(each))),
    ...[issued.token, s.token, ADMIN_KEY, PASSWORD, ADDRESS_SECRET, CLIENT_SECRET, secretOfLink(account.body.link)],
    ...[s.owner, s.agent, s.ownerOfSolo].flatMap(({ session }) => [session.token, session.cookie.split("=")[1] ?? ""]),
  ];
  expect(all.filter((secret) => secret.length < 8)).toEqual([]);
  expect(all.filter((secret) => text.includes(secret))).toEqual([]);
  // The search finds what the entries do contain.
  expect(
    ["name that is not a secret", "login.example.com", "secretive", "hooks.example.com", s.owner.email].filter(
      (word) => !text.includes(word),
    ),
  ).toEqual([]);
});
