import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AGENT_SCOPES, type AgentScope, type BulkChangeResult } from "@parley/contract";
import { inboxHarness, type InboxAgent, type InboxHarness } from "./inbox-harness.ts";

let s: InboxHarness;
const agents = {} as Record<AgentScope, InboxAgent>;
/** Conversations by their assignment. `ownElsewhere` is assigned to the agent and to a group that the agent has left. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  s = await inboxHarness();
  const [sales = "", support = ""] = s.groups;
  for (const scope of AGENT_SCOPES) {
    agents[scope] = await s.agent(scope, [sales, support]);
    const own = await s.begin();
    await s.change(own, { status: "assigned", assigned_agent_id: agents[scope].id, assigned_group_id: sales });
    ids[`own ${scope}`] = own;
    const elsewhere = await s.begin();
    await s.change(elsewhere, { status: "assigned", assigned_agent_id: agents[scope].id, assigned_group_id: support });
    ids[`ownElsewhere ${scope}`] = elsewhere;
    await s.client.agents.updateAgent({ params: { agent_id: agents[scope].id }, body: { groups: [sales] } });
  }
  const begin = async (name: string, assigned_group_id?: string) => {
    ids[name] = await s.begin();
    if (assigned_group_id !== undefined) await s.change(ids[name], { assigned_group_id });
  };
  await begin("inGroup", sales);
  await begin("elsewhere", support);
  await begin("unassigned");
});
afterAll(() => s.close());

const othersOwn = (name: "own" | "ownElsewhere", scope: AgentScope) =>
  AGENT_SCOPES.filter((each) => each !== scope).map((each) => `${name} ${each}`);
/** What each scope contains, written independently of the service's code. */
const REACHED: Readonly<Record<Exclude<AgentScope, "None">, readonly string[]>> = {
  Me: ["own Me", "ownElsewhere Me"],
  Group: ["own Group", "ownElsewhere Group", "inGroup", ...othersOwn("own", "Group")],
  Global: [
    "own Global",
    "ownElsewhere Global",
    "inGroup",
    "elsewhere",
    "unassigned",
    ...othersOwn("own", "Global"),
    ...othersOwn("ownElsewhere", "Global"),
  ],
};
const SCOPES = Object.keys(REACHED) as (keyof typeof REACHED)[];
const namesOf = (found: readonly string[]) =>
  found.map((id) => Object.entries(ids).find(([, each]) => each === id)?.[0] ?? id).sort();

describe.each(SCOPES)("an agent with the scope %s", (scope) => {
  const isAssigned = (name: string) => name.startsWith("own");
  const reached = [...REACHED[scope]].sort();

  test("lists the conversations within it, in pages of any size", async () => {
    for (const limit of [1, 3, 100])
      expect(namesOf(await s.list(agents[scope], { limit, order: "oldest" }))).toEqual(reached);
    expect((await s.pageOf(agents[scope])).total).toBe(reached.length);
  });

  test("filters by agent and group within it", async () => {
    const [sales = "", support = ""] = s.groups;
    const inSales = (name: string) => name.startsWith("own ") || name === "inGroup";
    const inSupport = (name: string) => name.startsWith("ownElsewhere") || name === "elsewhere";
    const WANTED: readonly (readonly [query: object, is: (name: string) => boolean])[] = [
      [{ agent: "none" }, (name) => !isAssigned(name)],
      [{ agent: "me" }, (name) => name.endsWith(` ${scope}`)],
      [{ agent: agents.Me.id }, (name) => name.endsWith(" Me")],
      [{ group: "mine" }, inSales],
      [{ group: sales }, inSales],
      [{ group: support }, inSupport],
      [{ group: "none" }, (name) => name === "unassigned"],
      [{ group: "none", agent: "none" }, (name) => name === "unassigned"],
      [{ group: support, agent: "me" }, (name) => name === `ownElsewhere ${scope}`],
    ];
    for (const [query, is] of WANTED) {
      const wanted = reached.filter(is);
      expect([query, namesOf(await s.list(agents[scope], { ...query }))]).toEqual([query, wanted]);
      expect([query, (await s.pageOf(agents[scope], { ...query })).total]).toEqual([query, wanted.length]);
    }
  });

  test("counts them", async () => {
    const { open, mine, unassigned, by_agent, by_group } = await s.counts(agents[scope]);
    const [sales = "", support = ""] = s.groups;
    const countOf = (is: (name: string) => boolean) => reached.filter(is).length;
    expect([open, mine, unassigned]).toEqual([reached.length, 2, countOf((name) => !isAssigned(name))]);
    expect(by_agent[agents.None.id] ?? 0).toBe(countOf((name) => name.endsWith(" None")));
    expect(by_group[sales] ?? 0).toBe(countOf((name) => name.startsWith("own ") || name === "inGroup"));
    expect(by_group[support] ?? 0).toBe(countOf((name) => name.startsWith("ownElsewhere") || name === "elsewhere"));
  });

  test("shows, marks and changes one within it, and answers CONVERSATION_NOT_FOUND for the others", async () => {
    const { session } = agents[scope];
    const outcomes = { show: [] as string[], mark: [] as string[] };
    for (const [name, id] of Object.entries(ids)) {
      const path = `/console/api/conversations/${id}`;
      if ((await s.page("GET", path, { session })).code === 200) outcomes.show.push(name);
      if ((await s.page("PUT", `${path}/read`, { session, body: { is_read: true } })).code === 200)
        outcomes.mark.push(name);
    }
    expect(outcomes).toEqual({ show: expect.arrayContaining(reached), mark: expect.arrayContaining(reached) });
    expect([outcomes.show.length, outcomes.mark.length]).toEqual([reached.length, reached.length]);
    const conversation_ids = Object.values(ids);
    const change = { properties: { cf_notes: scope } };
    const { body } = await s.page<{ results: BulkChangeResult[] }>("POST", "/console/api/conversations/changes", {
      session,
      body: { conversation_ids, change },
    });
    expect(body.results.map(({ conversation_id }) => conversation_id)).toEqual(conversation_ids);
    const changed = body.results.filter(({ status }) => status === "OK").map(({ conversation_id }) => conversation_id);
    expect(namesOf(changed)).toEqual(reached);
    expect([...new Set(body.results.map(({ status }) => status))].sort()).toEqual(
      reached.length === conversation_ids.length ? ["OK"] : ["CONVERSATION_NOT_FOUND", "OK"],
    );
    expect(namesOf(await s.list(agents.Global, { property: `cf_notes:${scope}` }))).toEqual(reached);
  });
});

test("an agent with the scope None is refused", async () => {
  const { session } = agents.None;
  const [id = ""] = Object.values(ids);
  const asked = [
    s.page("GET", "/console/api/conversations", { session }),
    s.page("GET", "/console/api/counts", { session }),
    s.page("POST", "/console/api/conversations/changes", { session, body: { conversation_ids: [id], change: {} } }),
    s.page("GET", `/console/api/conversations/${id}`, { session }),
    s.page("PUT", `/console/api/conversations/${id}/read`, { session, body: { is_read: true } }),
  ];
  expect((await Promise.all(asked)).map(({ code }) => code)).toEqual([403, 403, 403, 404, 404]);
});

test("a conversation leaves the lists and counts of an agent with the transfer that takes it out of the scope", async () => {
  const id = await s.begin();
  await s.change(id, { status: "assigned", assigned_agent_id: agents.Me.id });
  const before = await s.counts(agents.Me);
  expect(await s.list(agents.Me)).toContain(id);
  await s.change(id, { status: "assigned", assigned_agent_id: agents.Group.id });
  expect(await s.list(agents.Me)).not.toContain(id);
  expect((await s.counts(agents.Me)).open).toBe(before.open - 1);
});

test("an agent sees nothing of another account", async () => {
  const { channels } = await s.solo.channels.listChannels();
  const { id } = await s.solo.users.createUser({ body: { first_name: "Solo" } });
  const messages = [{ actor_type: "user" as const, actor_id: id, message_parts: [{ text: { content: "Hi" } }] }];
  const { conversation_id } = await s.solo.conversations.createConversation({
    body: { channel_id: channels[0]?.id ?? "", users: [{ id }], messages },
  });
  expect(await s.list(agents.Global, { status: "all" })).not.toContain(conversation_id);
  expect(await s.list(agents.Global, { status: "all", user: id })).toEqual([]);
  const { session } = agents.Global;
  const path = `/console/api/conversations/${conversation_id}`;
  const body = { conversation_ids: [conversation_id], change: { status: "resolved" } };
  const changed = await s.page<{ results: BulkChangeResult[] }>("POST", "/console/api/conversations/changes", {
    session,
    body,
  });
  expect([
    (await s.page("GET", path, { session })).code,
    (await s.page("PUT", `${path}/read`, { session, body: { is_read: true } })).code,
    changed.body.results[0]?.status,
  ]).toEqual([404, 404, "CONVERSATION_NOT_FOUND"]);
});
