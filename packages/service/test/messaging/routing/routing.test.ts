import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import type { BrowserSession } from "../../identity/authentication/session-harness.ts";
import { inboxHarness, type InboxAgent, type InboxHarness } from "../../console/inbox/inbox-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

let s: InboxHarness;
let pool: Pool;
let viewer: InboxAgent;

const apply = async (document: object): Promise<void> => {
  const { code, body } = await s.adminRequest("PUT", "/admin/accounts/acme", { name: "acme", ...document });
  if (code !== 200) throw new Error(JSON.stringify(body));
};
let groupCount = 0;
const newGroup = async (routing: object): Promise<string> => {
  const name = `Routed ${(groupCount += 1)}`;
  await apply({ groups: [{ name, ...routing }] });
  const { groups } = await s.client.groups.listGroups({ query: { items_per_page: 100 } });
  return groups.find((each) => each.name === name)?.id ?? "";
};
const BY_LOAD = { routing_type: "INTELLIASSIGN", routing_logic: "LOAD", signed_in_agents_only: false };
const IN_TURN = { ...BY_LOAD, routing_logic: "ROUND_ROBIN" };

let agentCount = 0;
const setCapacity = async (id: string, agent_capacity: number): Promise<void> => {
  const { code } = await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { agent_capacity });
  if (code !== 200) throw new Error(`The capacity was not set: ${code}.`);
};
const newAgent = async (group: string, capacity: number): Promise<string> => {
  const email = `routed-${(agentCount += 1)}@acme.example`;
  const { id } = await s.client.agents.createAgent({ body: { email, groups: [group] } });
  await setCapacity(id, capacity);
  return id;
};
const setStatus = (agent_id: string, name: string) =>
  s.client.agents.updateAgentStatus({ params: { agent_id }, body: { agent_status: { name } } });
const beginIn = async (group: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = await s.begin();
    await s.change(id, { assigned_group_id: group });
    ids.push(id);
  }
  return ids;
};
const agentsOf = (ids: readonly string[]): Promise<(string | undefined)[]> =>
  Promise.all(
    ids.map(async (conversation_id) => {
      const { assigned_agent_id } = await s.client.conversations.getConversation({ params: { conversation_id } });
      return assigned_agent_id || undefined;
    }),
  );
const untilAgents = async (ids: readonly string[], expected: readonly (string | undefined)[]): Promise<void> => {
  let found: readonly (string | undefined)[] = [];
  await waitUntil(async () => {
    found = await agentsOf(ids);
    return JSON.stringify(found) === JSON.stringify(expected);
  }).catch(() => expect(found).toEqual(expected));
};
/** Waits until the routing has looked at everything that was committed: it assigns a conversation of another group. */
const untilLooked = async (): Promise<void> => {
  const [id = ""] = await beginIn(probe.group, 1);
  await untilAgents([id], [probe.agent]);
};
const beginWaiting = async (group: string, count: number): Promise<string[]> => {
  const ids = await beginIn(group, count);
  await untilLooked();
  expect(await agentsOf(ids)).toEqual(ids.map(() => undefined));
  return ids;
};
/** As `untilLooked`, in an account that is looked at after the others. */
const untilLookedElsewhere = async (): Promise<void> => {
  const { solo } = s;
  const document = { name: "solo", automatic_assignment: true, groups: [{ name: "Probe", ...IN_TURN }] };
  expect((await s.adminRequest("PUT", "/admin/accounts/solo", document)).code).toBe(200);
  s.expireCaches();
  const { groups } = await solo.groups.listGroups({ query: { items_per_page: 100 } });
  const group = groups.find(({ name }) => name === "Probe")?.id ?? "";
  const agent = await solo.agents.createAgent({ body: { email: "probe@solo.example", groups: [group] } });
  const { channels } = await solo.channels.listChannels();
  const user = await solo.users.createUser({ body: {} });
  const { conversation_id } = await solo.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "Hi" } }] }],
      assigned_group_id: group,
    },
  });
  await waitUntil(async () => {
    const found = await solo.conversations.getConversation({ params: { conversation_id } });
    return found.assigned_agent_id === agent.id;
  });
};
let probe: { readonly group: string; readonly agent: string };

beforeAll(async () => {
  s = await inboxHarness({ adminKey: "admin-key-of-the-tests" });
  pool = s.database.pool(SERVICE_SCHEMA);
  viewer = await s.agent("Global");
  await apply({ automatic_assignment: true });
  const group = await newGroup(IN_TURN);
  probe = { group, agent: await newAgent(group, 0) };
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

describe("a group that routes by load", () => {
  test("fills the capacity of its agents evenly; the rest waits and is assigned as capacity becomes free, the oldest first", async () => {
    const group = await newGroup(BY_LOAD);
    const [one, two] = [await newAgent(group, 2), await newAgent(group, 1)];
    const ids = await beginIn(group, 5);
    await untilLooked();
    const assigned = await agentsOf(ids);
    expect(assigned.slice(0, 3).toSorted()).toEqual([one, one, two].toSorted());
    expect(assigned.slice(3)).toEqual([undefined, undefined]);
    // Resolved, transferred to another agent, and raised.
    await s.change(ids[assigned.indexOf(two)] ?? "", { status: "resolved" });
    await untilAgents(ids.slice(3), [two, undefined]);
    await setCapacity(one, 3);
    await untilAgents(ids.slice(3), [two, one]);
  });

  test("assigns nothing to agents who are away, deactivated or in other groups, and what waits when one becomes available", async () => {
    const group = await newGroup(BY_LOAD);
    const [away, inactive] = [await newAgent(group, 5), await newAgent(group, 5)];
    await newAgent(await newGroup(BY_LOAD), 5);
    await setStatus(away, "Away");
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${inactive}`, { is_deactivated: true });
    const ids = await beginWaiting(group, 2);
    await setStatus(away, "Available");
    await untilAgents(ids, [away, away]);
  });

  test("counts what people assigned, which may exceed the capacity", async () => {
    const group = await newGroup(BY_LOAD);
    const agent = await newAgent(group, 1);
    const own = [await s.begin(), await s.begin()];
    for (const id of own) await s.change(id, { assigned_agent_id: agent });
    const ids = await beginWaiting(group, 1);
    await s.change(own[0] ?? "", { status: "resolved" });
    await untilLooked();
    expect(await agentsOf(ids)).toEqual([undefined]);
    await s.change(own[1] ?? "", { status: "resolved" });
    await untilAgents(ids, [agent]);
  });

  test("assigns a reopened conversation again, and one that was given back", async () => {
    const group = await newGroup(BY_LOAD);
    const agent = await newAgent(group, 1);
    const [id = ""] = await beginIn(group, 1);
    await untilAgents([id], [agent]);
    await s.change(id, { status: "resolved" });
    await s.ask(id);
    await untilAgents([id], [agent]);
    await s.change(id, { assigned_agent_id: "" });
    await untilAgents([id], [agent]);
  });
});

test("a group that routes in turn gives each available agent one conversation after the other, whatever the capacity", async () => {
  const group = await newGroup(IN_TURN);
  const [one, two] = [await newAgent(group, 1), await newAgent(group, 1)];
  const ids = await beginIn(group, 6);
  await untilLooked();
  const assigned = await agentsOf(ids);
  expect(assigned.filter((each) => each === one)).toHaveLength(3);
  expect(assigned.filter((each) => each === two)).toHaveLength(3);
  for (const [index, each] of assigned.entries()) if (index > 0) expect(each).not.toBe(assigned[index - 1]);
});

test("turns go on after several conversations that were assigned at once", async () => {
  const group = await newGroup(IN_TURN);
  const agents = [await newAgent(group, 1), await newAgent(group, 1)];
  const assigned: (string | undefined)[] = [];
  for (const count of [1, 2, 2, 1]) {
    await apply({ automatic_assignment: false });
    const ids = await beginIn(group, count);
    await apply({ automatic_assignment: true });
    await untilLooked();
    assigned.push(...(await agentsOf(ids)));
  }
  expect(assigned).toEqual([0, 1, 0, 1, 0, 1].map((index) => agents.toSorted()[index]));
});

test("a new group assigns to agents who are signed in only, until it is told otherwise", async () => {
  const group = await newGroup({ ...BY_LOAD, signed_in_agents_only: undefined });
  const agents = [await newAgent(group, 5), await newAgent(group, 5)];
  const { email = "" } = await s.client.agents.getAgent({ params: { agent_id: agents[1] ?? "" } });
  const endBy = (column: string) => () =>
    pool.rows(statement("", `update agent_sessions set ${column} = '2000-01-01' where agent_id = $1`), [agents[1]]);
  const signOut = (session: BrowserSession) => s.page("DELETE", "/identity/session", { session });
  for (const end of [signOut, endBy("expires_time"), endBy("last_seen_time")]) {
    const ids = await beginWaiting(group, 1);
    const session = await s.signIn(email);
    await untilAgents(ids, [agents[1]]);
    await end(session);
  }
  const ids = await beginWaiting(group, 1);
  await apply({ groups: [{ name: `Routed ${groupCount}`, signed_in_agents_only: false }] });
  await untilAgents(ids, [agents[0]]);
});

describe("a conversation stays without an agent", () => {
  test.each([
    ["the routing of its group is off", { routing_type: "DISABLED", routing_logic: "LOAD" }],
    ["its group is routed by another product", { routing_type: "OCR" }],
  ])("when %s", async (_title, routing) => {
    const group = await newGroup(routing);
    await newAgent(group, 5);
    await beginWaiting(group, 1);
  });

  test("when it has no group", async () => {
    const id = await s.begin();
    await untilLooked();
    expect(await agentsOf([id])).toEqual([undefined]);
  });

  test("until the account turns automatic assignment on", async () => {
    const group = await newGroup(BY_LOAD);
    const agent = await newAgent(group, 5);
    await apply({ automatic_assignment: false });
    const ids = await beginIn(group, 2);
    await untilLookedElsewhere();
    expect(await agentsOf(ids)).toEqual([undefined, undefined]);
    await apply({ automatic_assignment: true });
    await untilAgents(ids, [agent, agent]);
  });
});

test("a conversation says why it was assigned, until somebody assigns it otherwise", async () => {
  const group = await newGroup(BY_LOAD);
  const [agent, other] = [await newAgent(group, 2), await newAgent(group, 0)];
  const ids = await beginIn(group, 2);
  await untilAgents(ids, [agent, agent]);
  const reasons = await Promise.all(ids.map(async (id) => (await s.item(viewer, id)).automatic_assignment));
  const reason = { agent_id: agent, logic: "LOAD", capacity: 2, time: expect.any(String) };
  expect(reasons).toEqual([0, 1].map((load) => ({ ...reason, load })));
  const [id = ""] = ids;
  await s.change(id, { assigned_agent_id: other });
  await s.change(id, { assigned_agent_id: agent });
  expect((await s.item(viewer, id)).automatic_assignment).toBeUndefined();
});

const CHANGES = statement(
  "",
  `select entity_id as id, actor_type, changes from outbox where kind = 'conversation_update' order by seq`,
);

test("in the order of the events, no automatic assignment exceeds a capacity, while agents and customers change everything at random; in the end nobody has room for one that waits", async () => {
  const group = await newGroup(BY_LOAD);
  const capacities = new Map<string, number>();
  for (const capacity of [0, 1, 2, 4]) capacities.set(await newAgent(group, capacity), capacity);
  const agents = [...capacities.keys()];
  const ids = await beginIn(group, 24);
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const oneOf = (all: readonly string[]): string => all[random(all.length)] ?? "";
  // Changes of agents are told from those of the system by their actor.
  const change = (body: object) => s.page("PUT", `/v2/conversations/${oneOf(ids)}`, { session: viewer.session, body });
  const acts: readonly (() => Promise<unknown>)[] = [
    () => change({ status: "resolved" }),
    () => change({ assigned_agent_id: "" }),
    () => change({ assigned_agent_id: oneOf(agents), assigned_group_id: group }),
    () => s.ask(oneOf(ids)),
    () => setStatus(oneOf(agents), random(2) === 0 ? "Away" : "Available"),
  ];
  // What a change meanwhile made impossible is refused.
  const act = () => acts[random(acts.length)]?.().catch(() => undefined);
  for (let round = 0; round < 150; round += 1) await Promise.all([act(), act(), act()]);
  for (const agent of agents) await setStatus(agent, "Available");
  await untilLooked();

  const open = new Map<string, string>();
  const loadOf = (agent: string) => [...open.values()].filter((each) => each === agent).length;
  let automatic = 0;
  const rows = await pool.rows<{ id: string; actor_type: string; changes: string }>(CHANGES, []);
  for (const { id, actor_type, changes } of rows) {
    const { model_changes } = JSON.parse(changes) as { model_changes: Record<string, [unknown, string | null]> };
    const [status, agent] = [model_changes["status"]?.[1], model_changes["assigned_agent_id"]?.[1]];
    if (agent && actor_type === "system" && capacities.has(agent)) {
      automatic += 1;
      expect(loadOf(agent)).toBeLessThan(capacities.get(agent) ?? 0);
    }
    if (agent) open.set(id, agent);
    if (agent === null || status === "resolved" || status === "new") open.delete(id);
  }
  expect(automatic).toBeGreaterThan(20);
  const states = await Promise.all(
    ids.map((conversation_id) => s.client.conversations.getConversation({ params: { conversation_id } })),
  );
  const waiting = states.filter(({ status }) => status === "new").length;
  const room = [...capacities].reduce((sum, [agent, capacity]) => sum + Math.max(0, capacity - loadOf(agent)), 0);
  expect(Math.min(waiting, room)).toBe(0);
});
