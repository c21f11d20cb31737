import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  appInstallations,
  DELEGATION_HEADER,
  delegatedRequestText,
  type AgentRole,
  type Delegation,
  type SessionAgent,
} from "@parley/contract";
import { migrate, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { signWebhook, webhookSecret } from "@parley/egress";
import Fastify, { type FastifyInstance, type InjectOptions } from "fastify";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import type { ChangeAuthor } from "../../src/identity/change-reports.ts";
import { createAuthorizeRow } from "../../src/platform/api/authorize.ts";
import { refusalErrorHandler, serveRows } from "../../src/platform/api/serve-rows.ts";
import { delegationRules, digestOfBody, type DelegationRules } from "../../src/platform/delegation/delegation.ts";
import { delegatedRequestStore } from "../../src/platform/delegation/store.ts";

/**
 * Requests that the service sends to the platform for signed-in agents. Each attack is made twice: against the platform's rules, which refuse
 * it, and without the one rule that it is directed against, where it succeeds.
 */

const ADMIN_KEY = "parley_admin_of-a-delegation-test";
const rows = { upgradeApp: appInstallations.upgradeApp, uninstallApp: appInstallations.uninstallApp };
const APP = "/platform/accounts/acme/apps/greeter";

let database: Database;
let rules: DelegationRules;
const served: { readonly author: ChangeAuthor; readonly account: string; readonly version?: string }[] = [];
const platforms: FastifyInstance[] = [];
beforeAll(async () => {
  database = await testDatabase();
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
  const store = delegatedRequestStore(database.pool(APP_SCHEMA));
  rules = delegationRules({ adminKey: ADMIN_KEY, store, now: () => new Date() });
});
beforeEach(() => void served.splice(0));
afterAll(async () => {
  await Promise.all(platforms.map((app) => app.close()));
  await database.close();
});

/** Rows of the platform with some of its rules replaced. */
const platformWith = (replaced: Partial<DelegationRules> = {}): FastifyInstance => {
  const app = Fastify();
  app.setErrorHandler(refusalErrorHandler(() => undefined));
  const installed = (account: string, version: string) => ({
    id: "1",
    name: "greeter",
    version,
    account,
    state: "active" as const,
  });
  serveRows(
    app,
    rows,
    {
      async upgradeApp({ params: { account }, body: { version = "" } }, author) {
        served.push({ author, account, version });
        return installed(account, version);
      },
      async uninstallApp({ params: { account } }, author) {
        served.push({ author, account });
        return installed(account, "1");
      },
    },
    {
      authorize: createAuthorizeRow({
        adminKey: ADMIN_KEY,
        delegation: { ...rules, ...replaced },
      }),
    },
  );
  platforms.push(app);
  return app;
};

const agentOf = (role: AgentRole, account = "acme"): SessionAgent => ({
  account,
  agent_id: `agent-${role}`,
  email: "noah@acme.example",
  role_id: role,
  role,
  scope: "Global",
  groups: [],
});

type Signed = Omit<InjectOptions, "url" | "headers"> & {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};
let lastId = 0;

/** A request as the service signs it. */
const signed = (
  method: "POST" | "DELETE",
  url: string,
  { agent = agentOf("ADMIN"), body, key = ADMIN_KEY }: { agent?: SessionAgent; body?: object; key?: string } = {},
): Signed => {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const claims: Delegation = { agent, address: "203.0.113.7", body_digest: digestOfBody(Buffer.from(payload)) };
  const delegation = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return {
    method,
    url,
    headers: {
      ...signWebhook({
        id: `request-${(lastId += 1)}`,
        timestampSeconds: Math.floor(Date.now() / 1_000),
        body: delegatedRequestText({ method, target: url, delegation }),
        secret: webhookSecret(Buffer.from(key)),
      }),
      [DELEGATION_HEADER]: delegation,
      ...(payload !== "" && { "content-type": "application/json" }),
    },
    ...(payload !== "" && { payload }),
  };
};
const withAgent = (request: Signed, agent: SessionAgent): Signed => {
  const claims = JSON.parse(Buffer.from(request.headers[DELEGATION_HEADER] ?? "", "base64url").toString()) as object;
  const delegation = Buffer.from(JSON.stringify({ ...claims, agent })).toString("base64url");
  return { ...request, headers: { ...request.headers, [DELEGATION_HEADER]: delegation } };
};
const upgrade = (options: Parameters<typeof signed>[2] = {}) =>
  signed("POST", `${APP}/upgrade`, { body: { version: "2" }, ...options });

test("a signed request is answered, in the name of its agent and with the agent's address", async () => {
  const reply = await platformWith().inject(upgrade());
  expect(reply.statusCode).toBe(200);
  expect(served).toEqual([
    {
      author: expect.objectContaining({ agent: agentOf("ADMIN"), address: "203.0.113.7" }),
      account: "acme",
      version: "2",
    },
  ]);
});

/** The attack, the rule against it, and the status of its refusal. @shape requests: all but the last one are sent before, and answered */
const ATTACKS: readonly {
  readonly title: string;
  readonly requests: () => readonly Signed[];
  readonly without: Partial<DelegationRules>;
  readonly status: number;
}[] = [
  {
    title: "an admin of another account",
    requests: () => [upgrade({ agent: agentOf("ACCOUNT_ADMIN", "globex") })],
    without: { mayAsk: () => true },
    status: 403,
  },
  {
    title: "an agent with a lower role",
    requests: () => [upgrade({ agent: agentOf("SUPER_USER") })],
    without: { mayAsk: () => true },
    status: 403,
  },
  {
    title: "an agent who is put in the place of the signed one",
    requests: () => [withAgent(upgrade({ agent: agentOf("AGENT") }), agentOf("ACCOUNT_ADMIN"))],
    without: { isSigned: () => true },
    status: 401,
  },
  {
    title: "a sender who does not have the admin key",
    requests: () => [upgrade({ key: "parley_admin_of-somebody-else" })],
    without: { isSigned: () => true },
    status: 401,
  },
  {
    title: "a signature for another path",
    requests: () => [{ ...signed("POST", "/platform/accounts/globex/apps/greeter/upgrade"), url: `${APP}/upgrade` }],
    without: { isSigned: () => true, isSignedBody: () => true },
    status: 401,
  },
  {
    title: "a signature for another method",
    requests: () => [{ ...signed("POST", APP), method: "DELETE" }],
    without: { isSigned: () => true },
    status: 401,
  },
  {
    title: "a request that was received before",
    requests: () => {
      const request = upgrade();
      return [request, request];
    },
    without: { isFirst: async () => true },
    status: 401,
  },
  {
    title: "another body",
    requests: () => [{ ...upgrade(), payload: JSON.stringify({ version: "3" }) }],
    without: { isSignedBody: () => true },
    status: 401,
  },
];

describe.each(ATTACKS)("$title", ({ requests, without, status }) => {
  const outcome = async (app: FastifyInstance): Promise<number> => {
    const sent = requests();
    for (const earlier of sent.slice(0, -1)) expect((await app.inject(earlier)).statusCode).toBe(200);
    served.splice(0);
    return (await app.inject(sent.at(-1) ?? "")).statusCode;
  };
  test("is refused, and nothing happens", async () => {
    expect(await outcome(platformWith())).toBe(status);
    expect(served).toEqual([]);
  });
  test("succeeds without the rule against it", async () => {
    expect(await outcome(platformWith(without))).toBe(200);
    expect(served).toHaveLength(1);
  });
});

test("a signature of ten minutes ago is refused", async () => {
  const old = { ...rules, isSigned: delegationRulesAt(new Date(Date.now() + 600_000)).isSigned };
  expect((await platformWith(old).inject(upgrade())).statusCode).toBe(401);
});
const delegationRulesAt = (time: Date): DelegationRules =>
  delegationRules({
    adminKey: ADMIN_KEY,
    store: delegatedRequestStore(database.pool(APP_SCHEMA)),
    now: () => time,
  });

test.each([
  ["nothing", ""],
  ["no base64url", "{}"],
  ["no JSON", Buffer.from("agent").toString("base64url")],
  ["another form", Buffer.from(JSON.stringify({ agent: "olivia" })).toString("base64url")],
])("a delegation that is %s is refused as unauthenticated", async (_title, delegation) => {
  const request = upgrade();
  const headers = { ...request.headers, [DELEGATION_HEADER]: delegation };
  expect((await platformWith().inject({ ...request, headers })).statusCode).toBe(401);
});

test("two processes of the platform answer a request once together", async () => {
  const request = upgrade();
  const replies = await Promise.all([platformWith().inject(request), platformWith().inject(request)]);
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
});
