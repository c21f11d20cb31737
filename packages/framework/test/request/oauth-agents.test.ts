import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, type Database, vault } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { egress, type Egress } from "@parley/egress";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { createOAuth, type OAuth } from "../../src/request/oauth/oauth.ts";
import { oauthTokenStore } from "../../src/state/oauth-tokens.sql.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { hostRoutes } from "../../src/request/host-maps.ts";
import { RequestRejected } from "../../src/request/request-method.ts";
import { startFakeOAuthProvider, type FakeOAuthProvider } from "../support/fake-oauth-provider.ts";
import { INTEGRATION } from "./oauth-fixture.ts";

const integrations = {
  shared: INTEGRATION,
  own: { ...INTEGRATION, display_name: "Mail", token_type: "agent" as const },
};
const BROWSER = "b".repeat(32);

let database: Database;
let provider: FakeOAuthProvider;
let out: Egress;
let ahead = 0;

beforeAll(async () => {
  database = await testDatabase({ key: "framework", run: (fresh) => migrate(fresh, APP_SCHEMA, APP_MIGRATIONS) });
  provider = await startFakeOAuthProvider();
  out = egress({ hosts: hostRoutes(new Map(), new Map([["*.provider.example", provider.origin]])) });
});
afterAll(async () => {
  await out.close();
  await Promise.all([provider.close(), database.close()]);
});

const of = (app: string, account = "acme"): OAuth =>
  createOAuth({
    config: () => ({ integrations }),
    egress: out,
    routes: hostRoutes(new Map(), new Map([["*.provider.example", provider.origin]])),
    store: oauthTokenStore(database.pool(APP_SCHEMA)),
    vault: vault(KEY, realHostPorts.random),
    ports: { ...realHostPorts, now: () => new Date(realHostPorts.now().getTime() + ahead) },
    account,
    siteOrigin: () => "http://localhost:10001",
    app,
    log: () => undefined,
  });
const KEY = randomBytes(32);

const authorise = async (one: OAuth, name: string, agent?: string) => {
  const at = one.authorization.begin(name, { browser: BROWSER, agent }, {});
  const back = new URL((await fetch(at, { redirect: "manual" })).headers.get("location") ?? "");
  return one.authorization.end(Object.fromEntries(back.searchParams), BROWSER);
};
const whose = (name: keyof typeof integrations, agent?: string) => ({
  name,
  integration: integrations[name],
  agent,
});
const refusal = async (asked: Promise<unknown>) => {
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  return error instanceof RequestRejected ? error.failure : error;
};

test("each agent has an own OAuth token, and the account a shared one", async () => {
  const mine = of("agents");
  expect(await authorise(mine, "own", "ann")).toBe("Mail");
  expect(await authorise(mine, "own", "bob")).toBe("Mail");
  expect(await authorise(mine, "shared", "ann")).toBe("Provider");
  const [ann, bob] = await Promise.all([mine.tokens.find(whose("own", "ann")), mine.tokens.find(whose("own", "bob"))]);
  expect(ann.accessToken).not.toBe(bob.accessToken);
  const all = await Promise.all(["ann", "bob", undefined].map((agent) => mine.tokens.find(whose("shared", agent))));
  expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(1);
  expect(await refusal(mine.tokens.find(whose("own", "eve")))).toMatchObject({
    status: 401,
    response: "Not authorised for Mail: authorise it again at /oauth/own/authorize?agent=eve",
  });
});

test("connections list what is authorized, for whom, and the URL of an authorization", async () => {
  const mine = of("connections");
  const listed = async (agent?: string) =>
    (await mine.connections.list(agent)).map(({ name, authorized, authorizePath }) => [
      name,
      authorized,
      authorizePath,
    ]);
  expect(await mine.connections.list()).toEqual([
    {
      name: "shared",
      displayName: "Provider",
      tokenType: "account",
      authorized: false,
      authorizePath: "/oauth/shared/authorize",
    },
    { name: "own", displayName: "Mail", tokenType: "agent", authorized: false, authorizePath: "/oauth/own/authorize" },
  ]);
  provider.behavior = { refreshes: false, expiresIn: 3600 };
  await authorise(mine, "shared");
  await authorise(mine, "own", "ann");
  expect(await listed("ann")).toEqual([
    ["shared", true, "/oauth/shared/authorize"],
    ["own", true, "/oauth/own/authorize?agent=ann"],
  ]);
  expect(await listed("bob")).toEqual([
    ["shared", true, "/oauth/shared/authorize"],
    ["own", false, "/oauth/own/authorize?agent=bob"],
  ]);
  ahead = 3_600_000;
  expect((await listed("ann")).map(([, authorized]) => authorized)).toEqual([false, false]);
  ahead = 0;
  provider.behavior = { refreshes: true };
});

test("tokens of one app or account are not returned for another", async () => {
  await authorise(of("apart"), "shared");
  expect(await refusal(of("other").tokens.find(whose("shared")))).toMatchObject({ status: 401 });
  expect(await refusal(of("apart", "solo").tokens.find(whose("shared")))).toMatchObject({ status: 401 });
});

test("an authorization that is stored without an account belongs to the first account that asks, and to no later one", async () => {
  await authorise(of("early", ""), "shared");
  const mine = of("early");
  expect((await mine.tokens.find(whose("shared"))).accessToken).toMatch(/^canary-access/);
  expect((await mine.tokens.find(whose("shared"))).accessToken).toMatch(/^canary-access/);
  expect(await refusal(of("early", "solo").tokens.find(whose("shared")))).toMatchObject({ status: 401 });
});
