import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import type { AuditEntry, SignInResult } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { cookieOf, secretOfLink } from "../../../identity/authentication/session-harness.ts";
import { lifecycleHarness, type LifecycleHarness } from "./lifecycle-harness.ts";

let s: LifecycleHarness;
let pool: Pool;
beforeAll(async () => {
  s = await lifecycleHarness();
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const ENTRIES = statement("", "select action, actor_type, details from audit_log where account = $1 order by time");
const auditOf = (account: string) =>
  pool.rows<{ action: AuditEntry["action"]; actor_type: string; details: string }>(ENTRIES, [account]);

test("POST /admin/accounts 201 makes an account in which the owner signs in by the link and takes a conversation", async () => {
  const owner = { email: "Ada@lumen.example", first_name: "Ada", last_name: "Lovelace" };
  const { code, body } = await s.create("lumen", { owner, plan_type: "Growth" });
  expect([code, body.account, body.email]).toEqual([201, "lumen", owner.email]);
  expect(body.link).toMatch(new RegExp(`^${s.origin}/sign-in/password#[\\w-]{43}$`));
  expect(await s.summaryOf("lumen")).toMatchObject({ plan_type: "Growth", base_path: "/v2" });

  const chosen = await s.page<SignInResult>("POST", "/identity/password", {
    body: { token: secretOfLink(body.link), password: "a long enough password" },
  });
  const session = { cookie: cookieOf(chosen.headers) ?? "", token: chosen.body.session_token ?? "" };
  expect(chosen.body.session).toMatchObject({ account: "lumen", role: "ACCOUNT_ADMIN", scope: "Global" });
  expect(
    (await s.page<{ users: object[] }>("GET", "/v2/users?created_from=2020-01-01T00:00:00Z", { session })).body.users,
  ).toEqual([]);

  const { token } = await s.admin.issueToken({ account: "lumen", name: "chat" });
  const client = parleyClient({ url: s.url, token });
  const [{ channels }, { groups }, { agents }, { roles }] = await Promise.all([
    client.channels.listChannels(),
    client.groups.listGroups(),
    client.agents.listAgents(),
    client.roles.listRoles(),
  ]);
  expect([channels.length, groups.length, agents.length]).toEqual([1, 1, 1]);
  expect(agents[0]).toMatchObject({ id: body.owner_id, first_name: "Ada", groups: [groups[0]?.id] });
  const { statuses = [] } = await s.exportDocument("lumen");
  expect(statuses.map(({ availability_status }) => availability_status).sort()).toEqual(["AVAILABLE", "UNAVAILABLE"]);
  expect(roles.map(({ id }) => id).sort()).toEqual(["ACCOUNT_ADMIN", "ADMIN", "AGENT", "SUPER_USER"]);
  const user = await client.users.createUser({ body: { first_name: "Uma" } });
  const message = { actor_type: "user" as const, actor_id: user.id, message_parts: [{ text: { content: "Hi" } }] };
  const { conversation_id } = await client.conversations.createConversation({
    body: { channel_id: channels[0]?.id ?? "", users: [{ id: user.id }], messages: [message] },
  });
  const assigned = await s.page<{ assigned_agent_id?: string }>("PUT", `/v2/conversations/${conversation_id}`, {
    session,
    body: { status: "assigned", assigned_agent_id: body.owner_id, assigned_group_id: groups[0]?.id },
  });
  expect([assigned.code, assigned.body.assigned_agent_id]).toEqual([200, body.owner_id]);

  const [entry] = await auditOf("lumen");
  expect(entry).toMatchObject({ action: "account.create", actor_type: "operator" });
  expect(entry?.details).not.toContain(secretOfLink(body.link));
  expect(s.logLines.join("\n")).not.toContain(secretOfLink(body.link));
});

test("POST /admin/accounts ACCOUNT_EXISTS for the name of an open or a closed account, whose documents stay as they are", async () => {
  const before = await s.exportDocument("acme");
  expect(await s.create("acme")).toMatchObject({ code: 409, body: { status: "ACCOUNT_EXISTS" } });
  expect(await s.exportDocument("acme")).toEqual(before);
  await s.create("dusk");
  await s.closeAccount("dusk");
  const again = await s.create("dusk");
  expect([again.code, again.body.status]).toEqual([409, "ACCOUNT_EXISTS"]);
  expect(again.body.message).toContain("closed");
});

test("POST /admin/accounts creates one account of several requests at once with one name", async () => {
  const other = await lifecycleHarness({ database: s.database });
  const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? s : other).create("race")));
  expect(replies.map(({ code }) => code).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  const AGENTS = statement(
    "",
    `select (select count(*)::integer from agents where account_id = a.id) as agents,
            (select count(*)::integer from sign_in_links where account_id = a.id) as links
       from accounts a where name = 'race'`,
  );
  expect(await pool.rows(AGENTS, [])).toEqual([{ agents: 1, links: 1 }]);
  expect(await auditOf("race")).toHaveLength(1);
  await other.close();
});

const invalid: [string, object, string][] = [
  ["an invalid name", { name: "No Name" }, "name"],
  ["an address without @", { owner: { email: "nobody" } }, "email"],
  ["no owner", { owner: undefined }, "owner"],
  ["an unknown plan", { plan_type: "Gold" }, "plan_type"],
];
test.each(invalid)("POST /admin/accounts refuses %s and creates nothing", async (_, more, member) => {
  const { code, body } = await s.create("wrong", more);
  expect(code).toBe(400);
  expect(body.message).toContain(member);
  expect(await s.summaryOf("wrong")).toBeUndefined();
});
