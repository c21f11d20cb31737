import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AccountConfiguration, Agent, api, Channel, Field, Group, Role, rowsOf } from "@parley/contract";
import { Compile } from "typebox/compile";
import type { TObject, TSchema } from "typebox";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

const ADMIN_KEY = "admin-key-of-the-tests";
let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness({ adminKey: ADMIN_KEY });
  const { agents } = await w.client.agents.listAgents();
  // As texts, 10 comes before 9.
  for (const [index, agent_capacity] of [9, 10].entries()) {
    const reply = await fetch(`${w.url}/admin/accounts/acme/agents/${agents[index]?.id}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ agent_capacity }),
    });
    expect(reply.status).toBe(200);
  }
});
afterAll(() => w.close());

const foldText = (text: string): string => text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").slice(0, 64);
const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
const firstNames = (items: readonly Agent[]) => items.map(({ first_name }) => first_name);
const groupId = async (name: string) =>
  (await w.client.groups.listGroups()).groups.find((group) => group.name === name)?.id ?? "";

test("GET /accounts/configuration answers 200 with the account that the token belongs to", async () => {
  expect(await w.client.accounts.getConfiguration()).toMatchObject({
    account_domain: "acme.parley.localhost",
    organisation_domain: "acme-org.parley.localhost",
    bundle_type: "SUITE_SUPPORT",
    plan_type: "Enterprise",
    datacenter: "US",
  });
  expect(await w.solo.accounts.getConfiguration()).toMatchObject({ bundle_id: 0, bundle_type: "STANDALONE" });
});

test("GET /groups answers 200 with groups of each kind of routing", async () => {
  const { groups } = await w.client.groups.listGroups({ query: { sort_by: "name", sort_order: "desc" } });
  expect(groups.map(({ name, routing_type, routing_logic }) => [name, routing_type, routing_logic])).toEqual([
    ["Support", "INTELLIASSIGN", "LOAD"],
    ["Sales", "INTELLIASSIGN", "ROUND_ROBIN"],
    ["Returns", "DISABLED", "ROUND_ROBIN"],
    ["Billing", "OCR", "OCR"],
  ]);
});

test("GET /roles answers 200 with the built-in roles and a custom one", async () => {
  const { roles } = await w.client.roles.listRoles();
  expect(names(roles)).toEqual(["Account admin", "Admin", "Agent", "Shift lead", "Super user"]);
  expect(names(roles.filter((role) => role.is_custom_role))).toEqual(["Shift lead"]);
});

test("GET /conversations/fields answers 200 with a field of each type, in order", async () => {
  const fields = await w.client.fields.listFields();
  expect(fields.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(new Set(fields.map(({ type }) => type)).size).toBe(8);
  const [priority, ...custom] = fields;
  expect(priority).toMatchObject({
    name: "priority",
    custom: false,
    required: true,
    default_value: priority?.choices[0]?.id,
  });
  expect(priority?.choices.map(({ value }) => value)).toEqual(["Low", "Medium", "High", "Urgent"]);
  for (const field of custom) {
    expect(field.name).toMatch(/^cf_/);
    expect(field).not.toHaveProperty("default_value");
    expect(field.choices.length > 0).toBe(/DROPDOWN/.test(field.type));
  }
  expect(await w.solo.fields.listFields()).toEqual([]);
});

describe("GET /agents answers 200 with the agents that match all filters", () => {
  test("all of them, oldest first", async () => {
    const { agents, pagination } = await w.client.agents.listAgents();
    expect(firstNames(agents)).toEqual(["Olivia", "Noah", "Maya", "Tom", "Diego", "Hannah", "Kenji", "Aisha"]);
    expect(pagination.total_items).toBe(8);
  });
  test("is_deactivated", async () => {
    const { agents } = await w.client.agents.listAgents({ query: { is_deactivated: true } });
    expect(firstNames(agents)).toEqual(["Tom"]);
    const others = await w.client.agents.listAgents({ query: { is_deactivated: false } });
    expect(others.pagination.total_items).toBe(7);
  });
  test("groups: any of an agent's groups", async () => {
    const { agents } = await w.client.agents.listAgents({ query: { groups: await groupId("Billing") } });
    expect(firstNames(agents)).toEqual(["Olivia", "Kenji", "Aisha"]);
    const none = await w.client.agents.listAgents({ query: { groups: "no group" } });
    expect(none.agents).toEqual([]);
  });
  test("availability_status together with groups", async () => {
    const { agents } = await w.client.agents.listAgents({
      query: { availability_status: "AVAILABLE", groups: await groupId("Support"), is_deactivated: false },
    });
    expect(firstNames(agents)).toEqual(["Olivia", "Noah", "Hannah"]);
  });
  test.each([
    ["first_name", "asc", "Aisha"],
    ["first_name", "desc", "Tom"],
    ["last_name", "asc", "Tom"],
    ["email", "desc", "Tom"],
    ["created_time", "desc", "Aisha"],
  ] as const)("sorted by %s %s", async (sort_by, sort_order, first) => {
    const { agents } = await w.client.agents.listAgents({ query: { sort_by, sort_order, items_per_page: 1 } });
    expect(firstNames(agents)).toEqual([first]);
  });
});

describe.each(["agents", "groups", "channels", "roles"])("GET /%s", (name) => {
  const get = async (query: string) => {
    const reply = await w.raw("GET", `/v2/${name}?${query}`);
    return {
      code: reply.status,
      body: (await reply.json()) as Record<string, never> & { status?: string; message: string },
    };
  };
  const totalOf = async () => Number((await get("")).body["pagination"]?.["total_items"]);

  test.each([
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=1.5", "page"],
    ["page=one", "page"],
    ["page=1e3", "page"],
    ["page=9999999999999999", "page"],
    ["page=1&page=2", "page"],
    ["items_per_page=0", "items_per_page"],
    ["items_per_page=ten", "items_per_page"],
    ["sort_order=up", "sort_order"],
    ["sort_by=body", "sort_by"],
    ["sort_by=name;--", "sort_by"],
    ["sort_by=%00", "sort_by"],
  ])("400 INVALID_VALUE for ?%s", async (query, named) => {
    const { code, body } = await get(query);
    expect([code, body.status, body.message]).toEqual([400, "INVALID_VALUE", expect.stringContaining(named)]);
  });

  test("200 sorts by each of its fields in both directions, items without it last", async () => {
    const row = rowsOf().find(({ row: { route } }) => route === `GET /${name}`)?.row;
    const { sort_by } = (row?.query as TObject).properties as unknown as { sort_by: { enum: string[] } };
    // The fields that the specification names are among them.
    expect(sort_by.enum).toEqual(expect.arrayContaining(["id", name === "agents" ? "phone" : "name"]));
    for (const field of sort_by.enum)
      for (const [order, sign] of [
        ["asc", 1],
        ["desc", -1],
      ] as const) {
        const { code, body } = await get(`items_per_page=100&sort_by=${field}&sort_order=${order}`);
        expect([field, code]).toEqual([field, 200]);
        const items = body[name] as unknown as Record<string, unknown>[];
        const values = items.map((item) => item[field]);
        const present = values.filter((value) => value !== undefined);
        expect(values.slice(present.length).filter((value) => value !== undefined)).toEqual([]);
        const folded = present.map((value) => (typeof value === "string" ? foldText(value) : Number(value)));
        for (const [index, value] of folded.entries()) {
          const before = folded[index - 1];
          if (before !== undefined && before !== value)
            expect([field, order, before < value]).toEqual([field, order, sign === 1]);
        }
      }
  });

  test.each([1, 2, 1_000_000, 999_999_999_999_998])(
    "a page %i beyond the end is empty and has a link to the last one",
    async (beyond) => {
      const total = await totalOf();
      const { code, body } = await get(`items_per_page=${total}&page=${1 + beyond}`);
      expect([code, body[name]]).toEqual([200, []]);
      const link = { href: `/v2/${name}?page=1&items_per_page=${total}`, rel: name.slice(0, -1), type: "GET" };
      expect(body["links"]).toEqual({ first_page: link, last_page: link, previous_page: link });
      expect(body["pagination"]).toEqual({
        total_items: total,
        total_pages: 1,
        current_page: 1 + beyond,
        items_per_page: total,
      });
    },
  );

  test("items_per_page is limited to the maximum, and unknown and empty parameters are ignored", async () => {
    const { code, body } = await get("items_per_page=9999&color=red&locale=");
    expect([code, body["pagination"]?.["items_per_page"]]).toEqual([200, 100]);
  });
});

test.each([
  ["is_deactivated=yes", "is_deactivated"],
  ["availability_status=BUSY", "availability_status"],
  ["groups=%00", "groups"],
])("GET /agents 400 INVALID_VALUE for ?%s", async (query, named) => {
  const reply = await w.raw("GET", `/v2/agents?${query}`);
  const { status, message } = (await reply.json()) as { status: string; message: string };
  expect([reply.status, status, message]).toEqual([400, "INVALID_VALUE", expect.stringContaining(named)]);
});

test("following next_page visits every item of a list exactly once", async () => {
  const ids: string[] = [];
  let path: string | undefined = "/v2/agents?is_deactivated=false&items_per_page=3";
  for (let pages = 0; path && pages < 9; pages++) {
    const page = (await (await w.raw("GET", path)).json()) as Awaited<ReturnType<typeof w.client.agents.listAgents>>;
    ids.push(...page.agents.map(({ id }) => id));
    path = page.links.next_page?.href;
  }
  expect([ids.length, new Set(ids).size]).toEqual([7, 7]);
});

test("every list contains only objects of its account", async () => {
  const mine = JSON.stringify(
    await Promise.all([w.client.agents.listAgents(), w.client.groups.listGroups(), w.client.channels.listChannels()]),
  );
  const { agents } = await w.solo.agents.listAgents();
  const { groups } = await w.solo.groups.listGroups();
  const { channels } = await w.solo.channels.listChannels();
  expect([names(groups), names(channels), firstNames(agents)]).toEqual([["Everyone"], ["Messages"], ["Sam"]]);
  for (const { id } of [...agents, ...groups, ...channels]) expect(mine).not.toContain(id);
});

describe("the demo accounts", () => {
  const replies: [string, TSchema, () => Promise<readonly unknown[]>][] = [
    ["configuration", AccountConfiguration, async () => [await w.client.accounts.getConfiguration()]],
    ["agents", Agent, async () => (await w.client.agents.listAgents()).agents],
    ["channels", Channel, async () => (await w.client.channels.listChannels({ query: { locale: "es" } })).channels],
    ["groups", Group, async () => (await w.client.groups.listGroups()).groups],
    ["roles", Role, async () => (await w.client.roles.listRoles()).roles],
    ["fields", Field, () => w.client.fields.listFields()],
  ];
  test.each(replies)("%s correspond to the contract and contain nothing else", async (_, schema, read) => {
    const check = Compile(schema);
    const { properties } = schema as { properties?: object };
    for (const item of await read()) {
      expect(check.Errors(item)).toEqual([]);
      for (const name of Object.keys(item as object)) expect(Object.keys(properties ?? {})).toContain(name);
    }
  });

  test("are created once: a second start changes nothing", async () => {
    const before = await w.client.agents.listAgents();
    await Promise.all([w.admin.ensureDemo(), w.admin.ensureDemo()]);
    expect(await w.client.agents.listAgents()).toEqual(before);
  });

  test("have the same ids on every machine", async () => {
    expect(await groupId("Sales")).toBe("512b2d06-8081-58f8-9092-1cc2562ca1c9");
  });
});

test("the service has a route for every endpoint of the contract", async () => {
  expect(rowsOf(api).length).toBeGreaterThan(10);
  for (const { row } of rowsOf(api)) {
    const [method, path] = row.route.split(" ") as [string, string];
    const reply = await w.raw(method, `/v2${path.replace(/\{\w+\}/g, "none")}`);
    // An endless response proves that the endpoint exists.
    const goesOn = reply.headers.get("content-type") === "text/event-stream";
    if (goesOn) await reply.body?.cancel();
    const { status } = goesOn ? {} : ((await reply.json()) as { status?: string });
    expect([row.route, status]).not.toEqual([row.route, "NOT_FOUND"]);
  }
});
