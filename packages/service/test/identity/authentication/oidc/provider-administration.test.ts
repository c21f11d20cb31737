import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IdentityProvider } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { ADMIN_KEY } from "../../../operations/administration/endpoints/admin-harness.ts";
import { plainRequest } from "../../../plain-http.ts";
import { PASSWORD, sessionHarness, type SessionHarness } from "../session-harness.ts";

let s: SessionHarness;
let pool: Pool;
beforeAll(async () => {
  s = await sessionHarness();
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const rows = <T extends object>(text: string, parameters: readonly unknown[] = []) =>
  pool.rows<T>(statement("", text), [...parameters]);
const LIST = "/admin/accounts/acme/identity-providers";
const SECRET = "a-client-secret-of-this-test";
/** An address that is public by its text; names below .example do not resolve. */
const SETTINGS = { label: "Company", issuer: "https://login.example.com", client_id: "parley" };
const put = (name: string, more: object = {}) =>
  s.adminRequest<IdentityProvider>("PUT", `${LIST}/${name}`, { ...SETTINGS, ...more });
const list = async () =>
  (await s.adminRequest<{ identity_providers: IdentityProvider[] }>("GET", LIST)).body.identity_providers;
const remove = (name: string) => s.adminRequest("DELETE", `${LIST}/${name}`);
const audit = () =>
  rows<{ action: string; subject: string; details: string }>(
    "select action, subject, details from audit_log where action like 'identity_provider.%' order by time, id",
  );

test("PUT /admin/accounts/{account}/identity-providers/{provider} 200 adds a provider and changes it", async () => {
  const added = await put("sso", { client_secret: SECRET });
  expect([added.code, added.body]).toEqual([
    200,
    {
      name: "sso",
      ...SETTINGS,
      callback_url: `${s.origin}/sign-in/oidc/sso/callback/acme`,
      created_time: expect.any(String),
    },
  ]);
  const changed = await put("sso", { label: "Corporate" });
  expect(changed.body).toEqual({ ...added.body, label: "Corporate" });
  expect(await list()).toEqual([changed.body]);
});

test("GET /admin/accounts/{account}/identity-providers 200 lists the account's providers by label, and the callback address of a further one", async () => {
  await put("other", { label: "Another" });
  expect((await list()).map(({ name }) => name)).toEqual(["other", "sso"]);
  const solo = await s.adminRequest("GET", "/admin/accounts/solo/identity-providers");
  const callback_url_template = `${s.origin}/sign-in/oidc/{provider}/callback/solo`;
  expect([solo.code, solo.body]).toEqual([200, { identity_providers: [], callback_url_template }]);
});

test("DELETE /admin/accounts/{account}/identity-providers/{provider} 200 removes a provider", async () => {
  await put("gone");
  const { code, body } = await remove("gone");
  expect([code, body.message]).toEqual([200, "The identity provider was removed."]);
  expect((await list()).map(({ name }) => name)).not.toContain("gone");
});

test.each([
  ["GET", "/admin/accounts/nobody/identity-providers", undefined],
  ["PUT", "/admin/accounts/nobody/identity-providers/sso", SETTINGS],
  ["DELETE", "/admin/accounts/nobody/identity-providers/sso", undefined],
])("%s %s answers 404 ACCOUNT_NOT_FOUND", async (method, path, body) => {
  expect(await s.adminRequest(method, path, body)).toMatchObject({ code: 404, body: { status: "ACCOUNT_NOT_FOUND" } });
});
test("GET /admin/accounts/{account}/identity-providers 404 ACCOUNT_NOT_FOUND: also for an account's number", async () => {
  expect((await s.adminRequest("GET", "/admin/accounts/1001/identity-providers")).code).toBe(404);
});
test("PUT /admin/accounts/{account}/identity-providers/{provider} 404 ACCOUNT_NOT_FOUND: also for an account's number", async () => {
  expect((await s.adminRequest("PUT", "/admin/accounts/1001/identity-providers/sso", SETTINGS)).code).toBe(404);
});
test("DELETE /admin/accounts/{account}/identity-providers/{provider} 404 ACCOUNT_NOT_FOUND: also for an account's number", async () => {
  expect((await s.adminRequest("DELETE", "/admin/accounts/1001/identity-providers/sso")).code).toBe(404);
});
test.each(["nothing", "SSO", "%00", "a%2Fb"])(
  "DELETE /admin/accounts/{account}/identity-providers/{provider} 404 IDENTITY_PROVIDER_NOT_FOUND: %s",
  async (name) => {
    expect(await remove(name)).toMatchObject({ code: 404, body: { status: "IDENTITY_PROVIDER_NOT_FOUND" } });
  },
);

describe("PUT /admin/accounts/{account}/identity-providers/{provider} refuses", () => {
  const cases: [string, string, object, RegExp][] = [
    ["a name in upper case", "SSO", {}, /^provider: a name has/],
    ["a name with a dot", "a.b", {}, /^provider: a name has/],
    ["a name that ends with a hyphen", "a-", {}, /^provider: a name has/],
    ["a name of 64 characters", "a".repeat(64), {}, /^provider: a name has/],
    ["no label", "new", { label: undefined }, /^label is mandatory/],
    ["an empty client", "new", { client_id: "" }, /^client_id must not be empty/],
    ["an empty secret", "new", { client_secret: "" }, /^client_secret must not be empty/],
    ["an issuer by plain http", "new", { issuer: "http://login.example.com" }, /^issuer: Invalid URL - Must be HTTPS/],
    ["an issuer that is not an address", "new", { issuer: "login" }, /^issuer: Invalid URL/],
    [
      "an issuer with a user",
      "new",
      { issuer: "https://a:b@login.example.com" },
      /leave the user and the password out/,
    ],
    ["an issuer with a query", "new", { issuer: "https://login.example.com/?a=1" }, /leave the query/],
    ["an issuer with a fragment", "new", { issuer: "https://login.example.com/#a" }, /leave the query/],
    [
      "the address of the metadata",
      "new",
      { issuer: "https://login.example.com/.well-known/openid-configuration" },
      /give the issuer, without/,
    ],
    // Which addresses these are is tested with the package that checks them.
    ...["127.0.0.1", "localhost", "10.0.0.1"].map((host): [string, string, object, RegExp] => [
      `an issuer on this machine or inside the network: ${host}`,
      "new",
      { issuer: `https://${host}/` },
      /^issuer: Invalid URL - (IP is disallowed|Must be FQDN)/,
    ]),
  ];
  test.each(cases)("%s", async (_, name, more, message) => {
    const { code, body } = await put(name, more);
    expect([code, body.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await list()).map((each) => each.name)).not.toContain(name);
  });

  test("the twenty-first provider of an account", async () => {
    const present = (await list()).length;
    for (let index = present; index < 20; index++) expect((await put(`p${index}`)).code).toBe(200);
    expect(await put("p20")).toMatchObject({ code: 400, body: { message: /at most 20/ } });
    expect((await put("p19", { label: "Changed" })).code).toBe(200);
    for (let index = present; index < 20; index++) await remove(`p${index}`);
  });
});

test("an issuer on this machine is accepted for local use only", async () => {
  const local = await sessionHarness({ isLocal: true });
  const issuer = (address: string) =>
    local.adminRequest("PUT", `${LIST}/sso`, { ...SETTINGS, issuer: address }).then(({ code }) => code);
  expect(await issuer("http://localhost:8080")).toBe(200);
  expect(await issuer("http://127.0.0.1:8080/realm")).toBe(200);
  expect(await issuer("http://169.254.169.254/")).toBe(400);
  expect(await issuer("https://10.0.0.1/")).toBe(400);
  await local.close();
});

describe("the client secret", () => {
  test("is stored encrypted, and no response, log line or entry of the audit log contains it", async () => {
    await put("sso", { client_secret: SECRET });
    await put("sso", { label: "Company" });
    const [stored] = await rows<{ client_secret: string }>(
      "select client_secret from identity_providers where name = 'sso'",
    );
    expect(stored?.client_secret.length).toBeGreaterThan(40);
    const everything = JSON.stringify([stored, await list(), await audit(), s.logLines]);
    expect(everything).not.toContain(SECRET);
    expect(everything).not.toContain(Buffer.from(SECRET).toString("base64").slice(0, 20));
  });

  test("stays as it is if the request has none, and is refused to another issuer or client", async () => {
    const secret = async () =>
      (
        await rows<{ client_secret: string | null }>("select client_secret from identity_providers where name = 'sso'")
      )[0]?.client_secret;
    await put("sso", { client_secret: SECRET });
    const before = await secret();
    await put("sso", { label: "New label" });
    expect(await secret()).toBe(before);
    for (const more of [{ issuer: "https://evil.example.com" }, { client_id: "another" }])
      expect(await put("sso", more)).toMatchObject({ code: 400, body: { message: /^client_secret: give it again/ } });
    expect(await secret()).toBe(before);
    expect((await put("sso", { issuer: "https://new.example.com", client_secret: "b" })).code).toBe(200);
    expect(await secret()).not.toBe(before);
    await remove("sso");
    await put("sso");
    expect(await secret()).toBeNull();
  });
});

test("each change is in the audit log, with its author and the changed members", async () => {
  await rows("delete from audit_log");
  const session = await s.signIn("olivia@acme.example", { password: PASSWORD });
  const asAgent = await s.page("PUT", `${LIST}/audited`, { session, body: { ...SETTINGS, client_secret: SECRET } });
  expect(asAgent.code).toBe(200);
  await put("audited", { label: "Other" });
  await remove("audited");
  await put("SSO");
  const entries = await rows<object>(
    "select actor_type, actor_name, account, action, subject, details from audit_log where action like 'identity_provider.%' order by time, id",
  );
  const issuer = SETTINGS.issuer;
  const entry = (actor_type: string, actor_name: string | null, action: string, details: object) => ({
    actor_type,
    actor_name,
    account: "acme",
    action,
    subject: "audited",
    details: JSON.stringify(details),
  });
  expect(entries).toEqual([
    entry("agent", "olivia@acme.example", "identity_provider.put", {
      issuer,
      members: ["label", "issuer", "client_id", "client_secret"],
    }),
    entry("operator", null, "identity_provider.put", { issuer, members: ["label"] }),
    entry("operator", null, "identity_provider.delete", { issuer }),
  ]);
});

test("only an account admin changes providers; an admin sees them", async () => {
  const session = await s.signIn("noah@acme.example", { password: PASSWORD });
  expect((await s.page("GET", LIST, { session })).code).toBe(200);
  expect((await s.page("PUT", `${LIST}/mine`, { session, body: SETTINGS })).code).toBe(403);
  expect((await s.page("DELETE", `${LIST}/sso`, { session })).code).toBe(403);
  expect((await s.page("GET", "/admin/accounts/solo/identity-providers", { session })).code).toBe(403);
});

test("the links with agents are removed once no provider of the account has their issuer", async () => {
  const [agent] = await rows<{ account_id: number; id: string }>(
    "select account_id, id from agents where email = 'olivia@acme.example'",
  );
  const count = async () => (await rows("select 1 from identity_subjects where subject = 'kept'")).length;
  await put("one", { issuer: "https://subjects.example.com" });
  await put("two", { issuer: "https://subjects.example.com/" });
  await rows(
    `insert into identity_subjects (account_id, issuer, subject, agent_id, created_time)
     values ($1, 'https://subjects.example.com/', 'kept', $2, now())`,
    [agent?.account_id, agent?.id],
  );
  await remove("one");
  expect(await count()).toBe(1);
  await put("two", { issuer: "https://elsewhere.example.com" });
  expect(await count()).toBe(0);
});

describe("the callback address", () => {
  const callbackAt = async (service: SessionHarness, host: string, account = "acme") => {
    const path = `/admin/accounts/${account}/identity-providers/sso`;
    const { status, text } = await plainRequest(service.url, {
      method: "PUT",
      path,
      headers: { host, authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(SETTINGS),
    });
    return [status, (JSON.parse(text) as IdentityProvider & { message?: string }).callback_url];
  };

  test("is on the account's own host, on this machine with the service's port, or refused", async () => {
    const { port } = new URL(s.url);
    expect(await callbackAt(s, `acme.parley.localhost:${port}`)).toEqual([
      200,
      `http://acme.parley.localhost:${port}/sign-in/oidc/sso/callback`,
    ]);
    expect(await callbackAt(s, `localhost:${port}`)).toEqual([
      200,
      `http://localhost:${port}/sign-in/oidc/sso/callback/acme`,
    ]);
    for (const host of ["evil.example", "localhost:1", `solo.parley.localhost:${port}`, "a b.parley.localhost"])
      expect(await callbackAt(s, host)).toEqual([400, undefined]);
  });

  test("is on PARLEY_PUBLIC_URL if that is set, and the cookie of a sign-in there is Secure and has the prefix __Host-", async () => {
    const service = await sessionHarness({ isLocal: true, config: { publicUrl: "https://chat.example.com" } });
    expect(await callbackAt(service, "internal:3000")).toEqual([
      200,
      "https://chat.example.com/sign-in/oidc/sso/callback/acme",
    ]);
    const { startHostileProvider } = await import("./hostile-provider.ts");
    const provider = await startHostileProvider();
    await service.adminRequest("PUT", `${LIST}/sso`, { ...SETTINGS, issuer: provider.issuer });
    const begun = (host: string) =>
      plainRequest(service.url, { path: "/sign-in/oidc/sso?account=acme", headers: { host } });
    const { status, headers } = await begun("chat.example.com");
    expect(status).toBe(303);
    expect(String(headers["set-cookie"])).toMatch(
      /^__Host-parley_provider_sign_in=[\w+/=]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(new URL(String(headers["location"])).searchParams.get("redirect_uri")).toBe(
      "https://chat.example.com/sign-in/oidc/sso/callback/acme",
    );
    expect((await begun("evil.example")).status).toBe(400);
    await provider.close();
    await service.close();
  });
});
