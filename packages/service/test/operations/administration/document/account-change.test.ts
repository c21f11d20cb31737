import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";
import { COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";

let w: AdminHarness;
let client: ParleyClient;
beforeAll(async () => {
  w = await adminHarness();
  await w.applyOrThrow(COMPLETE_DOCUMENT);
  const { token } = await w.admin.issueToken({ account: "lamps", name: "test" });
  client = parleyClient({ url: w.url, token });
});
afterAll(() => w.close());

describe("PUT /admin/accounts/{account} 200: members that differ are updated, omitted members are kept", () => {
  const change = async (document: object) => {
    const { changes } = await w.applyOrThrow({ name: "lamps", ...document });
    return changes.map(
      ({ change: kind, section, name, members }) => `${kind} ${section} ${name}: ${members.join(", ")}`,
    );
  };
  const cases: [string, object, string[]][] = [
    ["the plan", { plan_type: "Growth" }, ["update account lamps: plan_type"]],
    ["calls by plan", { calls_per_hour: 0 }, ["update account lamps: calls_per_hour"]],
    ["one text", { groups: [{ name: "Sales", description: "All" }] }, ["update groups Sales: description"]],
    [
      "routing, with its logic",
      { groups: [{ name: "Sales", routing_type: "DISABLED" }] },
      ["update groups Sales: routing_type, routing_logic"],
    ],
    ["a new thing", { groups: [{ name: "Sales" }, { name: "Packing" }] }, ["create groups Packing: "]],
    [
      "one language",
      { channels: [{ name: "Inbox", locales: { fr: { name: "Boîte" }, de: { name: "Posteingang" } } }] },
      ["update channels Inbox: texts.de, texts.fr"],
    ],
    [
      "no welcome",
      { channels: [{ name: "Inbox", welcome_message: { message_parts: [] } }] },
      ["update channels Inbox: texts.en"],
    ],
    [
      "a choice more",
      { fields: [{ name: "cf_model", choices: ["Sphere", "Arc"] }] },
      ["update fields cf_model: choices"],
    ],
    [
      "hours",
      {
        business_hours: [
          { group: "Sales", timezone: "Europe/Paris", week: {} },
          { timezone: "Europe/Paris", week: {} },
        ],
      },
      ["create business_hours Sales: ", "update business_hours the account: timezone, week"],
    ],
    [
      "a template",
      {
        templates: [{ namespace: "lamps", name: "repaired", language: "en", status: "rejected", body: { text: "Hi" } }],
      },
      ["update templates lamps/repaired (en): status, header, body, buttons"],
    ],
  ];
  test.each(cases)("%s", async (_, document, expected) => {
    expect((await change(document)).sort()).toEqual([...expected].sort());
    expect(await change(document)).toEqual([]);
  });

  test("all other members are unchanged", async () => {
    const found = await w.exportDocument("lamps");
    expect(found.channels?.map(({ name, tags }) => [name, tags])).toContainEqual(["Inbox", ["all"]]);
    expect(found.channels?.find(({ name }) => name === "Inbox")?.locales).toMatchObject({
      de: { name: "Posteingang", welcome_message: { message_parts: [{ text: { content: "Hallo!" } }] } },
    });
    expect(found.fields?.find(({ name }) => name === "cf_model")?.choices).toEqual([
      expect.objectContaining({ value: "Sphere" }),
      expect.objectContaining({ value: "Arc" }),
      expect.objectContaining({ value: "Globe" }),
    ]);
    expect(found).not.toHaveProperty("calls_per_hour");
  });
});

describe("PUT /admin/accounts/{account} 200: a changed name keeps its id", () => {
  test("for a role and a status, and agents show the new name", async () => {
    await client.agents.createAgent({ body: { email: "a@lamps.example", role_name: "Shift lead" } });
    const { roles = [], statuses = [] } = await w.exportDocument("lamps");
    const [here] = statuses.filter(({ name }) => name === "Here");
    await w.applyOrThrow({
      name: "lamps",
      roles: [{ id: roles[0]?.id, name: "Captain" }],
      statuses: [
        { id: here?.id?.toUpperCase(), name: "On deck", availability_status: "UNAVAILABLE" },
        { name: "Ready" },
      ],
    });
    const { agents } = await client.agents.listAgents();
    expect(agents).toMatchObject([
      {
        role_id: roles[0]?.id,
        role_name: "Captain",
        agent_status: { id: here?.id, name: "On deck" },
        availability_status: "UNAVAILABLE",
      },
    ]);
  });
  test("for a channel, also in another primary language", async () => {
    const { channels = [] } = await w.exportDocument("lamps");
    const [inbox, wholesale] = channels;
    await w.applyOrThrow({
      name: "lamps",
      primary_locale: "de",
      channels: [
        { id: inbox?.id, name: "Post", locales: { en: { name: "Mail" } } },
        { id: wholesale?.id, name: "Großhandel" },
      ],
    });
    w.expireCaches();
    const shown = await client.channels.listChannels();
    expect(shown.channels.map(({ id, name }) => [id, name])).toEqual([
      [inbox?.id, "Post"],
      [wholesale?.id, "Großhandel"],
    ]);
    expect(await w.applyOrThrow(await w.exportDocument("lamps"), "?prune=true")).toMatchObject({ changes: [] });
  });
});
