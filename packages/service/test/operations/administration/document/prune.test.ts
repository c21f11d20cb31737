import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { AccountDocument } from "@parley/contract";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";
import { completeDocument, COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";

let w: AdminHarness;
let client: ParleyClient;
let completeAccount: AccountDocument;
beforeAll(async () => {
  w = await adminHarness();
  await w.applyOrThrow(COMPLETE_DOCUMENT);
  completeAccount = await w.exportDocument("lamps");
  const { token } = await w.admin.issueToken({ account: "lamps", name: "test" });
  client = parleyClient({ url: w.url, token });
});
afterAll(() => w.close());

const removedBy = async (document: object, query = "") =>
  (await w.applyOrThrow({ name: "lamps", ...document }, query)).changes
    .filter(({ change }) => change === "remove")
    .map(({ section, name }) => `${section} ${name}`);

describe("PUT /admin/accounts/{account} 200: nothing is removed unless the document requests it", () => {
  test("a list with fewer entries keeps the others", async () => {
    expect(await removedBy({ channels: [], groups: [], roles: [], statuses: [], fields: [], templates: [] })).toEqual(
      [],
    );
    expect(await w.exportDocument("lamps")).toEqual(completeAccount);
  });
  test("prune in the document applies to the lists that it names", async () => {
    expect(await removedBy({ templates: [], roles: [], prune: ["templates"] })).toEqual([
      "templates lamps/repaired (en)",
    ]);
    expect((await w.exportDocument("lamps")).roles).toEqual(completeAccount.roles);
  });
  test("a list that the document omits is not pruned", async () => {
    expect(await removedBy({ prune: ["templates", "channels", "groups"] }, "?prune=true")).toEqual([]);
  });
  test("prune in the query applies to every list of the document", async () => {
    const stored = { roles: [], fields: [{ name: "cf_model", choices: ["Arc"] }], channels: [{ name: "Inbox" }] };
    expect(await removedBy(stored, "?prune=true")).toEqual([
      "channels Wholesale",
      "roles Shift lead",
      "fields cf_serial",
      "fields cf_parts",
    ]);
    const now = await w.exportDocument("lamps");
    expect(now.fields?.map(({ name, choices }) => [name, choices?.length])).toEqual([
      ["priority", 4],
      ["cf_model", 1],
    ]);
    expect(now.channels).toMatchObject([{ name: "Inbox" }]);
    expect(now.channels?.[0]).not.toHaveProperty("locales");
    expect((await client.roles.listRoles()).roles).toHaveLength(4);
  });
  test("choices and locales are pruned within the entries of the document, and nothing else is", async () => {
    await w.applyOrThrow({ name: "lamps", channels: [{ name: "Inbox", locales: { de: { name: "Eingang" } } }] });
    await w.applyOrThrow({ name: "lamps", channels: [{ name: "Yard", locales: { de: { name: "Hof" } } }] });
    await w.applyOrThrow({
      name: "lamps",
      fields: [
        { name: "cf_colour", type: "DROPDOWN", choices: ["Red", "Green", "Blue"] },
        { name: "cf_size", type: "DROPDOWN", choices: ["S", "M"] },
      ],
    });
    const document = {
      channels: [
        { name: "Inbox", locales: { fr: { name: "Boîte" } } },
        { name: "Yard", tags: ["big"] },
      ],
      fields: [
        { name: "cf_colour", choices: ["Blue", "Red"] },
        { name: "cf_size", label: "Size" },
      ],
      prune: ["choices", "locales"],
    };
    expect(await removedBy(document)).toEqual([]);
    const now = await w.exportDocument("lamps");
    expect(now.channels?.map(({ name, locales }) => [name, Object.keys(locales ?? {})])).toEqual(
      expect.arrayContaining([
        ["Inbox", ["fr"]],
        ["Yard", ["de"]],
      ]),
    );
    const choices = now.fields?.map(({ name, choices: list = [] }) => [
      name,
      list.map((each) => (typeof each === "string" ? each : each.value)),
    ]);
    expect(choices).toContainEqual(["cf_colour", ["Blue", "Red"]]);
    expect(choices).toContainEqual(["cf_size", ["S", "M"]]);
    await w.applyOrThrow({ name: "lamps", remove: { channels: ["Yard"], fields: ["cf_colour", "cf_size"] } });
  });
  test("the hours of a group are removed with the group", async () => {
    expect(await removedBy({ groups: [{ name: "Sales" }], prune: ["groups"] })).toEqual([
      "groups Repairs",
      "business_hours Repairs",
    ]);
    expect((await w.exportDocument("lamps")).business_hours).toHaveLength(1);
  });
  test("a removed object that is added again has a new id, unless the document states its id", async () => {
    await w.applyOrThrow(completeDocument());
    const again = await w.exportDocument("lamps");
    expect(again.roles?.[0]?.id).not.toBe(completeAccount.roles?.[0]?.id);
    await w.applyOrThrow({ name: "lamps", roles: [], prune: ["roles"] });
    await w.applyOrThrow({ name: "lamps", roles: completeAccount.roles });
    expect((await w.exportDocument("lamps")).roles).toEqual(completeAccount.roles);
  });
});

describe("PUT /admin/accounts/{account} 409 SETTING_IN_USE: objects in use are kept", () => {
  let conversation_id: string;
  beforeAll(async () => {
    await w.applyOrThrow({ name: "lamps", channels: [{ name: "Counter" }], groups: [{ name: "Desk" }] });
    await w.applyOrThrow({ name: "lamps", statuses: [{ name: "Out" }], roles: [{ name: "Mate" }] });
    await w.applyOrThrow({ name: "lamps", fields: [{ name: "cf_shade", type: "DROPDOWN", choices: ["Red", "Blue"] }] });
    w.expireCaches();
    const { channels } = await client.channels.listChannels();
    const user = await client.users.createUser({ body: { first_name: "Sam" } });
    ({ conversation_id } = await client.conversations.createConversation({
      body: {
        channel_id: channels.find(({ name }) => name === "Counter")?.id ?? "",
        users: [{ id: user.id }],
        messages: [{ message_parts: [{ text: { content: "Hi" } }], actor_type: "user", actor_id: user.id }],
        properties: { cf_shade: "Red" },
      },
    }));
  });

  const without = async (section: "channels" | "groups" | "roles" | "statuses" | "fields", name: string) => {
    const found = await w.exportDocument("lamps");
    const rest = (found[section] ?? []).filter((item) => item.name !== name);
    return w.applyDocument({ name: "lamps", [section]: rest, plan_type: "Free" }, "?prune=true");
  };
  const refused = async (response: ReturnType<typeof without>, message: RegExp) => {
    const { code, body } = await response;
    expect({ code, status: body.status, message: body.message }).toEqual({
      code: 409,
      status: "SETTING_IN_USE",
      message: expect.stringMatching(message),
    });
    expect((await w.exportDocument("lamps")).plan_type).toBe("Pro");
  };
  const groupId = async () => (await w.exportDocument("lamps")).groups?.find(({ name }) => name === "Desk")?.id ?? "";

  test("a channel with an open conversation", () =>
    refused(without("channels", "Counter"), /^The channel Counter can't be removed: an open conversation is in it/));
  test("a field for which an open conversation has a value", () =>
    refused(without("fields", "cf_shade"), /^The field cf_shade can't be removed/));
  test("a choice that an open conversation uses", async () => {
    const fields = [
      { name: "cf_shade", choices: ["Blue"] },
      { name: "cf_model" },
      { name: "cf_serial" },
      { name: "cf_parts" },
    ];
    await refused(
      w.applyDocument({ name: "lamps", plan_type: "Free", fields, prune: ["fields"] }),
      /^The choice Red of cf_shade can't be removed/,
    );
    expect(
      await removedBy({
        fields: fields.map((field) => ({ ...field, ...(field.choices && { choices: ["Red"] }) })),
        prune: ["fields"],
      }),
    ).toEqual([]);
  });
  test("a group with an open conversation, or with an agent", async () => {
    const body = { status: "assigned" as const, assigned_group_id: await groupId() };
    await client.conversations.updateConversation({ params: { conversation_id }, body });
    await refused(without("groups", "Desk"), /^The group Desk can't be removed: an open conversation/);
    await client.conversations.updateConversation({ params: { conversation_id }, body: { assigned_group_id: "" } });
    const agent = await client.agents.createAgent({ body: { email: "m@lamps.example", groups: [await groupId()] } });
    await refused(without("groups", "Desk"), /^The group Desk can't be removed: an agent belongs to it/);
    await client.agents.updateAgent({ params: { agent_id: agent.id }, body: { groups: [] } });
    expect((await without("groups", "Desk")).code).toBe(200);
    await w.applyOrThrow({ name: "lamps", plan_type: "Pro" });
  });
  test("a role and a status of an agent", async () => {
    const { states } = await client.agents.listAgentStatuses();
    const agent = await client.agents.createAgent({ body: { email: "n@lamps.example", role_name: "Mate" } });
    const out = states.find(({ name }) => name === "Out");
    await client.agents.updateAgentStatus({
      params: { agent_id: agent.id },
      body: { agent_status: { id: out?.id ?? "", name: "Out" } },
    });
    await refused(without("roles", "Mate"), /^The role Mate can't be removed: an agent has it/);
    await refused(without("statuses", "Out"), /^The status Out can't be removed: an agent has it/);
  });
  test("a dry run is refused too", async () => {
    const response = w.applyDocument(
      { name: "lamps", channels: [{ name: "Inbox" }], prune: ["channels"] },
      "?dry_run=true",
    );
    await refused(response, /^The channel Counter/);
  });
  test("a resolved conversation does not prevent the removal and remains readable", async () => {
    await client.conversations.updateConversation({
      params: { conversation_id },
      body: { status: "resolved", properties: { cf_serial: "1" } },
    });
    expect((await without("channels", "Counter")).code).toBe(200);
    expect((await without("fields", "cf_shade")).code).toBe(200);
    expect(await client.conversations.getConversation({ params: { conversation_id } })).toMatchObject({
      conversation_id,
    });
  });
});
