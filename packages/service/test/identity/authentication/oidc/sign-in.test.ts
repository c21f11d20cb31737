import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AuditEntry, Session } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { plainRequest } from "../../../plain-http.ts";
import {
  CookieJar,
  FAILED_TEXT,
  follow,
  NO_AGENT_TEXT,
  oidcHarness,
  SESSION_COOKIE_NAME,
  sessionTokenOf,
  type OidcHarness,
  type VisitedPage,
} from "./oidc-harness.ts";
import { CLIENT } from "./provider-fixture.ts";
import { untilQuarterMs } from "../../../quarter-hour.ts";

let s: OidcHarness;
let pool: Pool;
beforeAll(async () => {
  s = await oidcHarness();
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const rows = <T extends object>(text: string, parameters: readonly unknown[] = []) =>
  pool.rows<T>(statement("", text), [...parameters]);
const person = (subject: string, email: string, email_verified = true) =>
  s.provider.people.set(subject, { email, email_verified });
const sessionOf = async (jar: CookieJar, page: VisitedPage) => {
  const cookie = `${SESSION_COOKIE_NAME}=${jar.get(s.origin, SESSION_COOKIE_NAME) ?? ""}`;
  const token = sessionTokenOf(page);
  return s.page<Session>("GET", "/identity/session", { session: { cookie, ...(token !== undefined && { token }) } });
};
const signedInAs = async (subject: string, options: { readonly account?: string } = {}) => {
  const jar = new CookieJar();
  const page = await s.signInBy(subject, { jar, ...options });
  const { body } = await sessionOf(jar, page);
  return { page, email: body.email, account: body.account, method: body.method };
};
const expectRefusal = (page: VisitedPage, status: number, text: string) => {
  expect([page.status, page.text.includes(text), sessionTokenOf(page)]).toEqual([status, true, undefined]);
  expect(page.headers.getSetCookie().filter((line) => line.startsWith(`${SESSION_COOKIE_NAME}=`))).toEqual([]);
};
const lastLog = () => s.logLines.at(-1) ?? "";

describe("a sign-in by an identity provider", () => {
  test("signs in the agent with the verified address, in any case of letters, and hands the session over", async () => {
    person("olivia-id", "OLIVIA@acme.example");
    const jar = new CookieJar();
    const page = await s.signInBy("olivia-id", { jar, next: "/profile?tab=1" });
    const { code, body } = await sessionOf(jar, page);
    expect([code, body.email, body.method]).toEqual([200, "olivia@acme.example", "identity_provider"]);
    expect(page.text).toContain('<meta name="next" content="/profile?tab=1"');
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const [cleared, cookie] = page.headers.getSetCookie();
    expect(cleared).toContain("Max-Age=0");
    expect(cookie).toMatch(/^parley_session=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/);
  });

  test("asks for the code with PKCE, a state and a nonce, each new", async () => {
    const queries = await Promise.all(
      [1, 2].map(async () => {
        const { url } = await follow(new CookieJar(), s.startUrl(), (address) => address.startsWith(s.provider.issuer));
        return new URL(url).searchParams;
      }),
    );
    const [query] = queries;
    expect(Object.fromEntries(query ?? [])).toEqual({
      client_id: CLIENT.id,
      response_type: "code",
      scope: "openid email",
      redirect_uri: `${s.origin}/sign-in/oidc/sso/callback/acme`,
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    for (const name of ["code_challenge", "state", "nonce"])
      expect(new Set(queries.map((each) => each.get(name))).size).toBe(2);
  });

  test("the same identity signs in the same agent after its address changed at the provider", async () => {
    person("noah-id", "noah@acme.example");
    expect((await signedInAs("noah-id")).email).toBe("noah@acme.example");
    person("noah-id", "someone.else@elsewhere.example", false);
    expect((await signedInAs("noah-id")).email).toBe("noah@acme.example");
    person("noah-id", "olivia@acme.example");
    expect((await signedInAs("noah-id")).email).toBe("noah@acme.example");
  });

  test("links an identity once, though it signs in for the first time in several browsers at once", async () => {
    person("aisha-id", "aisha@acme.example");
    const jars = [1, 2, 3, 4].map(() => new CookieJar());
    const callbacks = await Promise.all(jars.map((jar) => s.callbackOf(jar, "aisha-id")));
    const pages = await Promise.all(callbacks.map((url, index) => follow(jars[index] ?? new CookieJar(), url)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await rows("select 1 from identity_subjects where subject = 'aisha-id'")).toHaveLength(1);
  });

  test("ends the earlier session of the browser", async () => {
    person("olivia-id", "olivia@acme.example");
    const jar = new CookieJar();
    const first = await s.signInBy("olivia-id", { jar });
    const cookie = `${SESSION_COOKIE_NAME}=${jar.get(s.origin, SESSION_COOKIE_NAME) ?? ""}`;
    const session = { cookie, token: sessionTokenOf(first) ?? "" };
    expect((await s.page("GET", "/v2/agents", { session })).code).toBe(200);
    await s.signInBy("olivia-id", { jar });
    // Every process refuses an ended session within a second.
    s.expireCaches();
    expect((await s.page("GET", "/v2/agents", { session })).code).toBe(401);
  });

  test("is recorded in the audit log, and the log names no person", async () => {
    person("maya-id", "maya@acme.example");
    const { email } = await signedInAs("maya-id");
    expect(email).toBe("maya@acme.example");
    const [entry] = await rows<AuditEntry & { details: string }>(
      "select action, details from audit_log where action = 'agent.sign_in' order by time desc, id desc limit 1",
    );
    expect(entry).toEqual({ action: "agent.sign_in", details: '{"method":"identity_provider"}' });
    expect(lastLog()).toMatch(
      /^The agent [0-9a-f-]{36} of acme is linked with an identity of the identity provider sso\.$/,
    );
    expect(s.logLines.join("\n")).not.toMatch(/@acme\.example|maya-id/);
  });

  test("is a way to sign in that the sign-in page lists", async () => {
    const methods = (account: string) =>
      s.page<{ identity_providers: object[] }>("GET", `/identity/sign-in-methods?account=${account}`);
    expect((await methods("acme")).body.identity_providers).toEqual([{ name: "sso", label: "Company" }]);
    expect((await methods("nobody")).body.identity_providers).toEqual([]);
  });

  test("on the account's own host has an address without the account", async () => {
    const { port } = new URL(s.url);
    const host = `acme.parley.localhost:${port}`;
    const { code, body } = await s.page<{ identity_providers: { callback_url: string }[] }>(
      "GET",
      "/admin/accounts/acme/identity-providers",
      { headers: { authorization: "Bearer parley_admin_of-this-test" } },
    );
    expect([code, body.identity_providers[0]?.callback_url]).toEqual([
      200,
      `${s.origin}/sign-in/oidc/sso/callback/acme`,
    ]);
    const begun = await plainRequest(s.url, { path: "/sign-in/oidc/sso?account=solo", headers: { host } });
    expect(begun.status).toBe(303);
    expect(new URL(String(begun.headers["location"])).searchParams.get("redirect_uri")).toBe(
      `http://${host}/sign-in/oidc/sso/callback`,
    );
    const foreign = await plainRequest(s.url, {
      path: "/sign-in/oidc/sso?account=acme",
      headers: { host: "evil.example" },
    });
    expect(foreign.status).toBe(400);
    expect(lastLog()).not.toContain("evil.example");
  });
});

describe("a sign-in by an identity provider refuses", () => {
  const confirmed: [string, string, () => void, RegExp][] = [
    [
      "an address that is not verified",
      "u-unverified",
      () => person("u-unverified", "diego@acme.example", false),
      /no verified/,
    ],
    ["an unknown address", "u-unknown", () => person("u-unknown", "nobody@acme.example"), /no agent has its verified/],
    [
      "an address of another account's agent",
      "u-solo",
      () => person("u-solo", "sam@solo.example"),
      /no agent has its verified/,
    ],
    [
      "an address with the letter \u212a, which is k in lower case",
      "u-kelvin",
      () => person("u-kelvin", "\u212aenji@acme.example"),
      /no agent has its verified/,
    ],
  ];
  test.each(confirmed)("%s: no agent of the account has this identity", async (_, subject, prepare, reason) => {
    prepare();
    expectRefusal(await s.signInBy(subject), 403, NO_AGENT_TEXT);
    expect(lastLog()).toMatch(/^error: A sign-in by the identity provider sso of acme failed: /);
    expect(lastLog()).toMatch(reason);
    expect(await rows("select 1 from identity_subjects where subject = $1", [subject])).toEqual([]);
  });

  test("such an address although the database finds the agent by it", async () => {
    const found = await rows("select 1 from agents where lower(email) = lower($1)", ["\u212aenji@acme.example"]);
    expect(found).toHaveLength(1);
  });

  test("an agent that is linked with another identity of the same issuer", async () => {
    const email = "hannah@acme.example";
    person("first-id", email);
    expect((await signedInAs("first-id")).email).toBe(email);
    person("second-id", email);
    expectRefusal(await s.signInBy("second-id"), 403, NO_AGENT_TEXT);
    expect(lastLog()).toMatch(/linked with another identity/);
    expect((await signedInAs("first-id")).email).toBe(email);
  });

  test("all but one of several identities with one address that sign in at the same time", async () => {
    const email = "kenji@acme.example";
    const subjects = [1, 2, 3, 4].map((index) => `same-address-${index}`);
    for (const subject of subjects) person(subject, email);
    const jars = subjects.map(() => new CookieJar());
    // The provider signs in one person after the other.
    const callbacks: string[] = [];
    for (const [index, subject] of subjects.entries())
      callbacks.push(await s.callbackOf(jars[index] ?? new CookieJar(), subject));
    const pages = await Promise.all(callbacks.map((url, index) => follow(jars[index] ?? new CookieJar(), url)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    expect(await rows("select 1 from identity_subjects where subject like 'same-address-%'")).toHaveLength(1);
  });

  test("a deactivated agent, linked or not", async () => {
    const set = (is: boolean) =>
      rows("update agents set is_deactivated = $1 where lower(email) = 'olivia@acme.example'", [is]);
    person("olivia-id", "olivia@acme.example");
    expect((await signedInAs("olivia-id")).email).toBe("olivia@acme.example");
    await set(true);
    expectRefusal(await s.signInBy("olivia-id"), 403, NO_AGENT_TEXT);
    expect(lastLog()).toMatch(/the agent is deactivated/);
    await rows("delete from identity_subjects where subject = 'olivia-id'");
    expectRefusal(await s.signInBy("olivia-id"), 403, NO_AGENT_TEXT);
    await set(false);
    expect((await signedInAs("olivia-id")).email).toBe("olivia@acme.example");
  });

  test("an identity at another account, though it is linked at its own", async () => {
    person("noah-id", "noah@acme.example");
    expect(await signedInAs("noah-id")).toMatchObject({ account: "acme" });
    expectRefusal(await s.signInBy("noah-id", { account: "solo" }), 403, NO_AGENT_TEXT);
  });

  test.each([
    ["an unknown account", { account: "nobody" }],
    ["an unknown provider", { name: "nothing" }],
    ["a name with a zero byte", { name: "%00" }],
  ])("%s with the text of every failure", async (_, options) => {
    expectRefusal(await follow(new CookieJar(), s.startUrl(options)), 400, FAILED_TEXT);
  });

  test("a person who cancels at the provider", async () => {
    const jar = new CookieJar();
    const callback = new URL(await s.callbackOf(jar, "olivia-id"));
    const cancelled = new URL(callback.pathname, callback);
    cancelled.search = new URLSearchParams({
      error: "access_denied",
      state: callback.searchParams.get("state") ?? "",
      iss: s.provider.issuer,
    }).toString();
    expectRefusal(await follow(jar, cancelled.href), 400, FAILED_TEXT);
    expect(lastLog()).toMatch(/the provider answered access_denied/);
  });

  test("more than 100 failures of one address in a quarter of an hour", async () => {
    const aheadMs = untilQuarterMs();
    const own = await oidcHarness({ ports: { now: () => new Date(Date.now() + aheadMs) } });
    const attempt = () => follow(new CookieJar(), own.startUrl({ name: "nothing" }));
    for (let batch = 0; batch < 10; batch++) await Promise.all(Array.from({ length: 10 }, attempt));
    const page = await attempt();
    expect([page.status, Number(page.headers.get("retry-after")) > 0]).toEqual([429, true]);
    await own.close();
  });
});
