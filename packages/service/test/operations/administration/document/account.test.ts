import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";
import { completeDocument, COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";

let w: AdminHarness;
let client: ParleyClient;
beforeAll(async () => {
  w = await adminHarness({ callsPerHour: undefined });
  await w.applyOrThrow(COMPLETE_DOCUMENT);
  const { token } = await w.admin.issueToken({ account: "lamps", name: "test" });
  client = parleyClient({ url: w.url, token });
});
afterAll(() => w.close());

const UUID = /^[0-9a-f-]{36}$/;
const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
describe("PUT /admin/accounts/{account} 200: a new account contains everything in its document", () => {
  test("configuration", async () => {
    const found = await client.accounts.getConfiguration();
    expect(found).toMatchObject({
      organisation_id: 4711,
      organisation_domain: "lamps-org.example",
      account_domain: "lamps.parley.localhost",
      bundle_id: 77,
      bundle_type: "SUITE_SUPPORT",
      plan_type: "Pro",
      datacenter: "EUC",
    });
    expect(found.app_id).toMatch(UUID);
    expect(found.account_id).toBeGreaterThan(10_000);
  });
  test("channels, in the document's order and in both languages", async () => {
    const { channels } = await client.channels.listChannels();
    expect(names(channels)).toEqual(["Inbox", "Wholesale"]);
    expect(channels[0]).toMatchObject({
      enabled: true,
      public: true,
      tags: ["all"],
      icon: { url: expect.any(String) },
    });
    expect(channels[0]?.welcome_message).toMatchObject(COMPLETE_DOCUMENT.channels[0].welcome_message);
    expect(channels[1]).toMatchObject({ enabled: false, public: false, tags: ["trade", "large"] });
    const german = await client.channels.listChannels({ query: { locale: "de" } });
    expect(german.channels).toMatchObject([{ id: channels[0]?.id, name: "Eingang", locale: "de" }]);
  });
  test("groups, with the logic of their routing", async () => {
    const { groups } = await client.groups.listGroups();
    expect(groups).toEqual([
      { id: expect.stringMatching(UUID), name: "Repairs", routing_type: "OCR", routing_logic: "OCR" },
      { id: expect.stringMatching(UUID), ...COMPLETE_DOCUMENT.groups[0] },
    ]);
  });
  test("roles: the built-in roles and its own", async () => {
    const { roles } = await client.roles.listRoles();
    expect(names(roles)).toEqual(["Account admin", "Admin", "Agent", "Shift lead", "Super user"]);
  });
  test("statuses", async () => {
    expect(names((await client.agents.listAgentStatuses()).states).sort()).toEqual(["Gone", "Here"]);
  });
  test("fields: priority is added automatically", async () => {
    const fields = await client.fields.listFields();
    expect(names(fields)).toEqual(["priority", "cf_model", "cf_serial", "cf_parts"]);
    expect(fields[0]).toMatchObject({ custom: false, default_value: fields[0]?.choices[0]?.id });
    expect(fields[1]?.choices.map(({ value }) => value)).toEqual(["Arc", "Globe"]);
    expect(fields[2]).toMatchObject({ label: "Serial", required: true, editable: true, custom: true, choices: [] });
    expect(fields[3]).toMatchObject({ editable: false });
  });
  test("calls per hour", async () => {
    const reply = await fetch(`${w.url}/v2/groups`, { headers: { authorization: `Bearer ${await tokenOf("lamps")}` } });
    expect(reply.headers.get("x-ratelimit-limit")).toBe("3000");
  });
  test("an agent and a conversation can be created in it", async () => {
    const agent = await client.agents.createAgent({ body: { email: "a@lamps.example", role_name: "Shift lead" } });
    expect(agent.agent_status?.name).toBe("Here");
    const [channel] = (await client.channels.listChannels()).channels;
    const user = await client.users.createUser({ body: { first_name: "Sam" } });
    const conversation = await client.conversations.createConversation({
      body: {
        channel_id: channel?.id ?? "",
        users: [{ id: user.id }],
        messages: [{ message_parts: [{ text: { content: "Hi" } }], actor_type: "user", actor_id: user.id }],
        properties: { cf_model: "Arc" },
      },
    });
    expect(conversation.conversation_id).toMatch(UUID);
  });
});

const tokenOf = async (account: string) => (await w.admin.issueToken({ account, name: "test" })).token;

test("GET /admin/accounts/{account} 200 returns the document", async () => {
  const found = await w.exportDocument("lamps");
  expect(found).toMatchObject({
    ...completeDocument(),
    fields: [{ name: "priority" }, { name: "cf_model" }, { name: "cf_serial" }, { name: "cf_parts" }],
    channels: [
      { name: "Inbox", locales: { de: { name: "Eingang" } } },
      { name: "Wholesale", tags: ["trade", "large"] },
    ],
    groups: [{ name: "Repairs" }, { name: "Sales" }],
    statuses: [{ name: "Gone" }, { name: "Here" }],
  });
});

test.each(["nobody", "ACME", "1001", "..%2Facme", "x".repeat(900)])(
  "GET /admin/accounts/{account} 404 ACCOUNT_NOT_FOUND: %#",
  async (name) => {
    expect(await w.adminRequest("GET", `/admin/accounts/${name}`)).toMatchObject({
      code: 404,
      body: { status: "ACCOUNT_NOT_FOUND" },
    });
  },
);

describe("GET /admin/accounts 200", () => {
  test("lists accounts with their addresses", async () => {
    const { code, body } = await w.adminRequest<{ accounts: object[]; pagination: object }>("GET", "/admin/accounts");
    expect(code).toBe(200);
    expect(body.accounts).toEqual([
      {
        id: 1001,
        name: "acme",
        base_path: "/suite/acme/v2",
        plan_type: "Enterprise",
        bundle: { id: 9001, type: "SUITE_SUPPORT" },
      },
      expect.objectContaining({
        name: "lamps",
        base_path: "/suite/lamps/v2",
        bundle: { id: 77, type: "SUITE_SUPPORT" },
      }),
      expect.objectContaining({ name: "solo", base_path: "/v2", bundle: { id: 0, type: "STANDALONE" } }),
    ]);
    expect(body.pagination).toMatchObject({ total_items: 3, total_pages: 1 });
  });
  test("returns pages forwards, backwards and beyond the end", async () => {
    const path = "/admin/accounts?items_per_page=2&sort_order=desc";
    const first = await w.adminRequest<{ accounts: { name: string }[]; links: Record<string, { href: string }> }>(
      "GET",
      path,
    );
    expect(names(first.body.accounts)).toEqual(["solo", "lamps"]);
    const next = first.body.links["next_page"]?.href ?? "";
    expect(next).toMatch(/^\/admin\/accounts\?/);
    expect(names((await w.adminRequest<typeof first.body>("GET", next)).body.accounts)).toEqual(["acme"]);
    expect((await w.adminRequest<typeof first.body>("GET", "/admin/accounts?page=999999999999")).body.accounts).toEqual(
      [],
    );
  });
});

describe("PUT /admin/accounts/{account} 200: a second run of the document", () => {
  const unchanged = { created: false, changes: [] };

  test("has nothing to change and keeps every id", async () => {
    const before = await w.exportDocument("lamps");
    expect(await w.applyOrThrow(COMPLETE_DOCUMENT)).toMatchObject(unchanged);
    expect(await w.exportDocument("lamps")).toEqual(before);
  });
  test("with the exported document has nothing to change", async () => {
    for (const name of ["lamps", "acme", "solo"])
      expect(await w.applyOrThrow(await w.exportDocument(name), "?prune=true")).toMatchObject(unchanged);
  });
  test("counts the unchanged objects", async () => {
    expect(await w.applyOrThrow({ name: "lamps", groups: [{ name: "Sales" }, { name: "Repairs" }] })).toEqual({
      account: "lamps",
      created: false,
      dry_run: false,
      changes: [],
      unchanged: 3,
    });
  });
  test("with only the account's name changes nothing", async () => {
    expect(await w.applyOrThrow({ name: "lamps" }, "?prune=true")).toMatchObject(unchanged);
  });
});

describe("PUT /admin/accounts/{account} 200: a new account from a minimal document", () => {
  test("is stand-alone, on the free plan, with default statuses", async () => {
    expect(await w.applyOrThrow({ name: "small" })).toMatchObject({
      created: true,
      changes: [
        { change: "create", section: "account", name: "small" },
        { change: "create", section: "statuses", name: "Available" },
        { change: "create", section: "statuses", name: "Away" },
      ],
    });
    expect(await w.exportDocument("small")).toMatchObject({
      plan_type: "Free",
      datacenter: "US",
      bundle: { id: 0, type: "STANDALONE" },
      organisation: { domain: "small-org.parley.localhost" },
      primary_locale: "en",
      channels: [],
      fields: [],
    });
  });
  test("in a suite has the field priority", async () => {
    await w.applyOrThrow({ name: "suited", bundle: { id: 5, type: "SUITE_SALES" } });
    expect(names((await w.exportDocument("suited")).fields ?? [])).toEqual(["priority"]);
  });
  test("that joins a suite later gets the field priority then", async () => {
    await w.applyOrThrow({ name: "small", bundle: { id: 6, type: "SUITE_SALES" }, fields: [{ name: "cf_x" }] });
    expect(names((await w.exportDocument("small")).fields ?? [])).toEqual(["priority", "cf_x"]);
  });
});

test("PUT /admin/accounts/{account} 200: with dry_run nothing is changed", async () => {
  const before = await w.exportDocument("acme");
  const document = { name: "acme", plan_type: "Free", groups: [{ name: "Sales" }, { name: "Extra" }] };
  const dryRun = await w.applyOrThrow(document, "?dry_run=true&prune=false");
  expect(dryRun).toMatchObject({
    dry_run: true,
    changes: [{ members: ["plan_type"] }, { change: "create", name: "Extra" }],
  });
  expect(await w.exportDocument("acme")).toEqual(before);
  await w.applyOrThrow({ ...completeDocument(), name: "ghost" }, "?dry_run=true");
  expect((await w.adminRequest("GET", "/admin/accounts/ghost")).code).toBe(404);
});

test("GET /admin/status 200 reports the running components and the state of each account", async () => {
  await w.client.groups.listGroups();
  const { code, body } = await w.adminRequest<{ accounts: { name: string }[] }>("GET", "/admin/status");
  expect(code).toBe(200);
  expect(body).toMatchObject({ version: "0.1.0", pid: process.pid, database: { embedded: true } });
  const acme = body.accounts.find(({ name }) => name === "acme");
  expect(acme).toEqual({
    name: "acme",
    base_path: "/suite/acme/v2",
    plan_type: "Enterprise",
    calls: { limit: 5000, used: expect.any(Number), left: expect.any(Number), reset: expect.any(Number) },
  });
  const { used, left, reset } = (acme as unknown as { calls: Record<string, number> }).calls;
  expect(used).toBeGreaterThan(0);
  expect((used ?? 0) + (left ?? 0)).toBe(5000);
  expect(reset).toBeLessThanOrEqual(3600);
});
