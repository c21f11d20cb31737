import { describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { egress, type Lookup } from "@parley/egress";
import { createGuardedFetch } from "../../../../src/identity/authentication/oidc/guarded-fetch.ts";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { campaignTest } from "../../../../../../test/support/campaign.ts";
import { CookieJar, FAILED_TEXT, follow } from "./oidc-harness.ts";
import { startHostileProvider } from "./hostile-provider.ts";
import { sessionHarness } from "../session-harness.ts";
import { CLIENT } from "./provider-fixture.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const provider = fileFixture(startHostileProvider);

/** -> a resolver that gives a name this address */
const resolvesTo =
  (address: string): Lookup =>
  async () => [{ address, family: address.includes(":") ? 6 : 4 }];
const get = { method: "GET", headers: {}, body: undefined, redirect: "manual" } as const;

describe("a provider whose name resolves to an address inside the network is not asked", () => {
  test("127.0.0.1, which is reached where the guard allows this machine", async () => {
    const url = `http://login.example.com:${new URL(provider.issuer).port}/jwks`;
    const open = egress({ allowLoopback: true, lookup: resolvesTo("127.0.0.1") });
    const reply = await createGuardedFetch(open)(url, get);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/json"]);
    const guarded = egress({ lookup: resolvesTo("127.0.0.1") });
    const before = provider.requests.length;
    for (const address of [url, url.replace("http:", "https:")])
      await expect(createGuardedFetch(guarded)(address, get)).rejects.toThrow(/IP is disallowed|Must be HTTPS/);
    expect(provider.requests.length).toBe(before);
    await Promise.all([open.close(), guarded.close()]);
  });
  // Which addresses these are is tested with the package that checks them.
  test.each(["169.254.169.254", "fd00::1"])("%s", async (address) => {
    const guarded = egress({ lookup: resolvesTo(address) });
    const ask = createGuardedFetch(guarded)("https://login.example.com/jwks", get);
    await expect(ask).rejects.toThrow("IP is disallowed");
    await guarded.close();
  });
});

test("a stored provider on this machine is asked by an instance for local use and by no other", async () => {
  const begin = async (isLocal: boolean, issuer = provider.issuer) => {
    const s = await sessionHarness({ isLocal });
    const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
    // As a name that resolved elsewhere when it was saved.
    await pool.rows(
      statement(
        "",
        `insert into identity_providers (account_id, name, label, issuer, client_id, created_time)
         select id, 'sso', 'Company', $1, $2, now() from accounts where name = 'acme'`,
      ),
      [issuer, CLIENT.id],
    );
    await pool.end();
    const before = provider.requests.length;
    const page = await follow(new CookieJar(), `${s.origin}/sign-in/oidc/sso?account=acme`, (url) =>
      url.startsWith(provider.issuer),
    );
    const asked = provider.requests.length - before;
    await s.close();
    return { status: page.status, asked, isRefused: page.text.includes(FAILED_TEXT), log: s.logLines.at(-1) ?? "" };
  };
  expect(await begin(true)).toMatchObject({ status: 303, asked: 1, isRefused: false });
  const byHttp = await begin(false);
  expect(byHttp).toMatchObject({ status: 400, asked: 0, isRefused: true });
  expect(byHttp.log).toMatch(/only requests to HTTPS are allowed/);
  const byHttps = await begin(false, `https://127.0.0.1:${new URL(provider.issuer).port}`);
  expect(byHttps).toMatchObject({ status: 400, asked: 0, isRefused: true });
  expect(byHttps.log).toMatch(/IP is disallowed/);
});

campaignTest(
  "a provider that never answers is given up",
  async () => {
    const s = await sessionHarness({ isLocal: true });
    provider.hostility = { responses: { "/.well-known/openid-configuration": null } };
    await s.adminRequest("PUT", "/admin/accounts/acme/identity-providers/sso", {
      label: "Company",
      issuer: provider.issuer,
      client_id: CLIENT.id,
    });
    const page = await follow(new CookieJar(), `${s.origin}/sign-in/oidc/sso?account=acme`);
    expect([page.status, page.text.includes(FAILED_TEXT)]).toEqual([400, true]);
    provider.hostility = {};
    await s.close();
  },
  30_000,
);
