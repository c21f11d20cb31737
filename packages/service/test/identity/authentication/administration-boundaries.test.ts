import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AGENT_ROLES, type Agent, type AgentRole } from "@parley/contract";
import { secretOfLink, sessionHarness, type BrowserSession, type SessionHarness } from "./session-harness.ts";

/**
 * What a session may do to an agent through the administration: a table of the session's role, the agent's role, and the operation. The rule
 * is written here once more, independently of the service.
 */

let s: SessionHarness;
/** The session of one agent of each role. */
const actors = new Map<AgentRole, { readonly id: string; readonly session: BrowserSession }>();
let count = 0;

const newAgent = (role: AgentRole): Promise<Agent> =>
  s.client.agents.createAgent({
    body: { email: `target${(count += 1)}@acme.example`, role_id: role, first_name: "Tara" },
  });

beforeAll(async () => {
  s = await sessionHarness();
  for (const role of AGENT_ROLES) {
    const { id, email } = await newAgent(role);
    actors.set(role, { id, session: await s.signIn(email) });
  }
});
afterAll(() => s.close());

interface Operation {
  readonly request: readonly [method: string, path: string, body?: object];
  /** Code of the reply to who may do it. */
  readonly done: number;
  /** Whether a session may do it to its own agent. Absent: it may not. */
  readonly own?: true;
}

const ADMIN = "/admin/accounts/acme/agents/{id}";
const AGENT = "/v2/agents/{id}";
const OPERATIONS: Readonly<Record<string, Operation>> = {
  "invite: a link for a first password": { request: ["POST", `${ADMIN}/invitation`], done: 201 },
  "reset the password": { request: ["POST", `${ADMIN}/password-reset`], done: 201 },
  "remove the second factor": { request: ["DELETE", `${ADMIN}/second-factor`], done: 200 },
  "list the sessions": { request: ["GET", `${ADMIN}/sessions`], done: 200, own: true },
  "change the capacity": { request: ["PUT", ADMIN, { agent_capacity: 3 }], done: 200, own: true },
  "change the scope": { request: ["PUT", ADMIN, { scope: "None" }], done: 200 },
  deactivate: { request: ["PUT", ADMIN, { is_deactivated: true }], done: 200 },
  "change the e-mail address": { request: ["PUT", AGENT, { email: "mallory{id}@acme.example" }], done: 200 },
  "give the role AGENT": { request: ["PUT", AGENT, { role_id: "AGENT" }], done: 200 },
  "change the name": { request: ["PUT", AGENT, { first_name: "Mallory" }], done: 200, own: true },
  "change the status": { request: ["PATCH", AGENT, { agent_status: {} }], done: 200, own: true },
  delete: { request: ["DELETE", AGENT], done: 202 },
  // The own sessions end, as on the own profile, which needs no password for it.
  "end the sessions": { request: ["DELETE", `${ADMIN}/sessions`], done: 200, own: true },
};
/** Operations that every agent may do on its own objects. */
const OF_EVERYBODY = ["change the name", "change the status"];

const rank = (role: AgentRole): number => ["AGENT", "SUPER_USER", "ADMIN", "ACCOUNT_ADMIN"].indexOf(role);
const expected = (operation: string, actor: AgentRole, target: AgentRole | "own"): number => {
  const { done, own } = OPERATIONS[operation] as Operation;
  const isAdmin = actor === "ADMIN" || actor === "ACCOUNT_ADMIN";
  if (target === "own") return own && (isAdmin || OF_EVERYBODY.includes(operation)) ? done : 403;
  return isAdmin && rank(actor) >= rank(target) ? done : 403;
};

const fill = (text: string, id: string) => text.replaceAll("{id}", id);

describe("what a session may do to an agent:", () => {
  test.each(Object.entries(OPERATIONS))("%s", async (name, { request: [method, path, body] }) => {
    const [found, wanted]: [Record<string, number>, Record<string, number>] = [{}, {}];
    for (const [role, { id: ownId, session }] of actors)
      for (const target of [...AGENT_ROLES, "own"] as const) {
        // The role of an agent with the role AGENT does not change: nothing is done to the own agent then.
        if (name === "give the role AGENT" && role === "AGENT") continue;
        if (name === "end the sessions" && target === "own") continue;
        const id = target === "own" ? ownId : (await newAgent(target)).id;
        const before = await s.client.agents.getAgent({ params: { agent_id: id } });
        const sent = body && (JSON.parse(fill(JSON.stringify(body), id)) as object);
        const reply = await s.page(method, fill(path, id), { session, ...(sent && { body: sent }) });
        found[`${role} → ${target}`] = reply.code;
        wanted[`${role} → ${target}`] = expected(name, role, target);
        if (reply.code !== 403) continue;
        // A refusal changes nothing, and returns no link.
        expect(reply.body).not.toHaveProperty("link");
        expect(await s.client.agents.getAgent({ params: { agent_id: id } })).toEqual(before);
      }
    expect(found).toEqual(wanted);
  });

  test("a session may give up to its own role", async () => {
    const outcomes: Record<string, number> = {};
    for (const actor of ["ADMIN", "ACCOUNT_ADMIN"] as const)
      for (const role of AGENT_ROLES) {
        const session = actors.get(actor)?.session ?? { cookie: "", token: "" };
        const email = `given${(count += 1)}@acme.example`;
        const made = await s.page("POST", "/v2/agents", { session, body: { email, role_id: role } });
        const { id } = await newAgent("AGENT");
        const raised = await s.page("PUT", `/v2/agents/${id}`, { session, body: { role_id: role } });
        outcomes[`${actor} gives ${role}`] = made.code;
        expect(raised.code).toBe(made.code === 201 ? 200 : 403);
      }
    expect(outcomes).toEqual({
      ...{ "ADMIN gives AGENT": 201, "ADMIN gives SUPER_USER": 201, "ADMIN gives ADMIN": 201 },
      "ADMIN gives ACCOUNT_ADMIN": 403,
      ...{ "ACCOUNT_ADMIN gives AGENT": 201, "ACCOUNT_ADMIN gives SUPER_USER": 201, "ACCOUNT_ADMIN gives ADMIN": 201 },
      "ACCOUNT_ADMIN gives ACCOUNT_ADMIN": 201,
    });
  });
});

test("who has an admin's session can't choose a password without the present one", async () => {
  const { id, email } = await newAgent("ADMIN");
  const session = await s.signIn(email);
  for (const name of ["password-reset", "invitation"]) {
    const { code, body } = await s.page<{ link?: string }>("POST", `/admin/accounts/acme/agents/${id}/${name}`, {
      session,
    });
    const token = secretOfLink(body.link ?? "");
    const password = "a sentence of an attacker";
    const chosen = await s.page("POST", "/identity/password", { body: { token, password } });
    expect({ name, code, body: body.message, chosen: chosen.code }).toEqual({
      ...{ name, code: 403, chosen: 400 },
      body: expect.stringContaining("/profile"),
    });
  }
  const wrong = { current_password: "a guess of an attacker", password: "a sentence of an attacker" };
  expect((await s.page("PUT", "/identity/password", { session, body: wrong })).code).toBe(401);
});

test("nobody reads the secret of a token, a webhook, a key or a provider after it was made", async () => {
  const { session } = actors.get("ACCOUNT_ADMIN") ?? {};
  if (!session) throw new Error("There is no account admin.");
  const token = await s.page<{ token: string }>("POST", "/admin/accounts/acme/tokens", {
    session,
    body: { name: "canary", permissions: ["group:read"] },
  });
  const webhook = await s.page<{ secret: string }>("POST", "/admin/accounts/acme/webhooks", {
    session,
    body: { url: "https://hooks.example.com/in" },
  });
  const provider = { label: "Canary", issuer: "https://idp.example.com", client_id: "c", client_secret: "idp-canary" };
  await s.page("PUT", "/admin/accounts/acme/identity-providers/canary", { session, body: provider });
  const secrets = [token.body.token, webhook.body.secret, provider.client_secret, "PRIVATE KEY"];
  expect(secrets.every((secret) => typeof secret === "string" && secret.length > 5)).toBe(true);
  for (const role of ["ADMIN", "ACCOUNT_ADMIN"] as const)
    for (const path of ["tokens", "webhooks", "webhook-keys", "subscriptions", "identity-providers", "audit-log", ""]) {
      const reader = actors.get(role)?.session;
      const { code, body } = await s.page("GET", `/admin/accounts/acme/${path}`.replace(/\/$/, ""), {
        ...(reader && { session: reader }),
      });
      const disclosed = secrets.filter((secret) => JSON.stringify(body).includes(secret));
      expect({ role, path, code, disclosed }).toEqual({ role, path, code: 200, disclosed: [] });
    }
});

test("two account admins who take each other's access away at the same moment leave one of them", async () => {
  // A token may take the role from the last one.
  const accountAdmins = async () => {
    const found: string[] = [];
    const query = { is_deactivated: false, items_per_page: 100 };
    for await (const { id, role_id } of s.client.agents.listAgents.items({ query }))
      if (role_id === "ACCOUNT_ADMIN") found.push(id);
    return found;
  };
  const removeAll = async () => {
    for (const agent_id of await accountAdmins())
      await s.client.agents.updateAgent({ params: { agent_id }, body: { role_id: "AGENT" } });
  };
  const ways: readonly ((id: string) => readonly [string, string, object?])[] = [
    (id) => ["PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true }],
    (id) => ["PUT", `/v2/agents/${id}`, { role_id: "ADMIN" }],
    (id) => ["DELETE", `/v2/agents/${id}`],
  ];
  for (const way of ways) {
    await removeAll();
    const [one, other] = [await newAgent("ACCOUNT_ADMIN"), await newAgent("ACCOUNT_ADMIN")];
    const sessions = [await s.signIn(one.email), await s.signIn(other.email)];
    const codes = await Promise.all(
      [other, one].map(async ({ id }, index) => {
        const [method, path, body] = way(id);
        const session = sessions[index];
        return (await s.page(method, path, { ...(session && { session }), ...(body && { body }) })).code;
      }),
    );
    expect(codes.filter((code) => code < 300)).toHaveLength(1);
    expect(await accountAdmins()).toHaveLength(1);
  }
});
