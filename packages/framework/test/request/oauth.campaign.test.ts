import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { INTEGRATION, oauthFixture, type OAuthFixture } from "./oauth-fixture.ts";

let fixture: OAuthFixture;
afterEach(() => fixture.close());

const BEGIN = "/oauth/provider/authorize";
const one = (more: object = {}) => oauthFixture({ provider: { ...INTEGRATION, ...more } });
const IN = { reply: expect.objectContaining({ status: 200, response: '{"you":"are in"}' }) };
const OUT = (where = "Provider", path = BEGIN) => ({
  failure: {
    status: 401,
    response: `Not authorised for ${where}: authorise it again at ${path}`,
    headers: {},
    attempts: 0,
    errorSource: "APP",
  },
});
/** Everything that the host has written: logs, database and files. */
const traces = async () => {
  const rows = await fixture.database
    .pool(APP_SCHEMA)
    .rows(statement("", "select oauth_tokens::text as row from oauth_tokens"), []);
  return JSON.stringify([rows, fixture.lines]);
};

describe("an OAuth authorization", () => {
  test("redirects to the provider and back, and requests then carry its token", async () => {
    fixture = await one();
    expect(await fixture.call()).toEqual(OUT());
    const page = await fixture.visitor().follow(BEGIN);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Provider is authorised");
    expect(Object.fromEntries(fixture.provider.authorizations[0] ?? [])).toEqual({
      scope: "read write",
      response_type: "code",
      client_id: "client-1",
      redirect_uri: `http://localhost:${fixture.host.port}/auth/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await fixture.call()).toEqual(IN);
    expect(fixture.provider.calls).toHaveLength(1);
    expect(page.text + (await traces())).not.toContain("canary");
  });

  test.each([{ pkce: true }, { code_challenge_method: "S256" }])("proves its origin by %j", async (options) => {
    fixture = await one({ options });
    expect((await fixture.visitor().follow(BEGIN)).text).toContain("Provider is authorised");
    expect(fixture.provider.authorizations[0]?.get("code_challenge_method")).toBe("S256");
    expect(fixture.provider.authorizations[0]?.has("pkce")).toBe(false);
    expect(fixture.provider.forms[0]?.get("code_verifier")).toMatch(/^[\w-]{43}$/);
  });

  test("returns to the registered URL", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, "close");
    const registeredUrl = `http://localhost:${port}/oauth/callback`;
    const lists = ["https://elsewhere.example/oauth/callback", registeredUrl];
    fixture = await oauthFixture(
      {
        one: { ...INTEGRATION, options: { redirect_uri: registeredUrl } },
        several: { ...INTEGRATION, options: { redirect_uris: lists } },
        elsewhere: { ...INTEGRATION, options: { redirect_uri: "https://evil.example/oauth/callback" } },
      },
      {},
      port,
    );
    for (const name of ["one", "several", "elsewhere"])
      expect((await fixture.visitor().follow(`/oauth/${name}/authorize`)).status).toBe(200);
    const redirectUris = fixture.provider.authorizations.map((query) => query.get("redirect_uri"));
    expect(redirectUris).toEqual([registeredUrl, registeredUrl, `http://localhost:${port}/auth/callback`]);
  });

  test("starts under the host name that the provider redirects to", async () => {
    fixture = await one();
    const answer = await fetch(`${fixture.host.url}${BEGIN}`, { redirect: "manual" });
    expect(answer.headers.get("location")).toBe(`http://localhost:${fixture.host.port}${BEGIN}`);
    expect(fixture.provider.authorizations).toHaveLength(0);
  });

  test("accepts a token response that is a form", async () => {
    fixture = await one();
    fixture.provider.behavior.asForm = true;
    await fixture.visitor().follow(BEGIN);
    expect(await fixture.call()).toEqual(IN);
  });

  test("before the installation belongs to the installation and is deleted with it", async () => {
    fixture = await one();
    await fixture.visitor().follow(BEGIN);
    expect(await fixture.host.install({})).toEqual({ ok: true });
    expect(await fixture.call()).toEqual(IN);
    await fixture.host.uninstall();
    expect(await fixture.call()).toEqual(OUT());
  });
});

describe("an OAuth authorization is rejected", () => {
  const redirectUris = async (at: string) => {
    const { status, text } = await fixture.visitor().follow(at);
    return [status, /<section class="notice bad"[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(text)?.[1]];
  };
  const UNKNOWN = [400, "This authorisation was not begun here, or has ended. Begin it again."];

  test("if the person denies it", async () => {
    fixture = await one();
    fixture.provider.behavior.deny = true;
    expect(await redirectUris(BEGIN)).toEqual([400, "The provider did not agree: access_denied."]);
  });

  test("with a state that is unknown, used, expired, or from another browser", async () => {
    fixture = await one();
    expect(await redirectUris("/oauth/callback?code=x&state=y")).toEqual(UNKNOWN);
    expect(await redirectUris("/oauth/callback")).toEqual(UNKNOWN);

    const visitor = fixture.visitor();
    const begin = async () => {
      const toProvider = (await visitor.visit(BEGIN)).headers.get("location") ?? "";
      return (await visitor.visit(toProvider)).headers.get("location") ?? "";
    };
    const back = await begin();
    expect(await redirectUris(back)).toEqual(UNKNOWN);
    expect((await visitor.follow(back)).status).toBe(200);
    expect((await visitor.follow(back)).status).toBe(400);

    const late = await begin();
    fixture.advance(10 * 60_000);
    expect((await visitor.follow(late)).status).toBe(400);
    expect(fixture.provider.forms).toHaveLength(1);
  });

  test("with the errors of the app's own file", async () => {
    const wrong: [name: string, more: object, status: number, text: string][] = [
      ["client", { client_id: "" }, 400, "client_id of config/oauth_config.json is empty. Fill it in, then try again."],
      [
        "plain",
        { authorize_url: "http://login.provider.example/a" },
        400,
        "authorize_url: Invalid URL - Must be HTTPS.",
      ],
      ["ip", { authorize_url: "https://10.0.0.1/" }, 400, "authorize_url: Invalid URL - IP is disallowed."],
      [
        "token-ip",
        { token_url: "https://127.0.0.1/token" },
        502,
        "The provider gave no token: token_url: Invalid URL - IP is disallowed.",
      ],
      [
        "token-plain",
        { token_url: "http://login.provider.example/token" },
        502,
        "The provider gave no token: token_url: Invalid URL - Must be HTTPS.",
      ],
      ["secret", { client_secret: "wrong" }, 502, "The provider gave no token: invalid_client."],
      ["agent", { token_type: "agent" }, 400, "Each agent authorises this connection: begin on a page of the app."],
      [
        "parameter",
        { client_id: "<%= oauth_iparams.gone %>" },
        400,
        "config/oauth_config.json can&#x27;t be filled in: oauth_iparams.gone has no value.",
      ],
    ];
    fixture = await oauthFixture(Object.fromEntries(wrong.map(([name, more]) => [name, { ...INTEGRATION, ...more }])));
    for (const [name, , status, text] of wrong)
      expect(await redirectUris(`/oauth/${name}/authorize`)).toEqual([status, text]);
    for (const name of ["gone", "constructor"])
      expect(await redirectUris(`/oauth/${name}/authorize`)).toEqual([
        404,
        `config/oauth_config.json has no integration &#x27;${name}&#x27;.`,
      ]);
    expect(await traces()).not.toContain("canary");
  });
});

test("parameters of an integration are asked for and fill its URLs, its secrets and the requests", async () => {
  fixture = await oauthFixture(
    {
      provider: {
        ...INTEGRATION,
        client_id: "<%= oauth_iparams.region == 'EU' ? 'client-1' : 'none' %>",
        client_secret: "<%= oauth_iparams.secret || 'none' %>",
        authorize_url: "https://<%= oauth_iparams.name %>.provider.example/authorize",
        token_url: "https://<%= oauth_iparams.name %>.provider.example/token",
        oauth_iparams: {
          name: { display_name: "Name", type: "text", required: true },
          region: { display_name: "Region", type: "dropdown", options: ["US", "EU"] },
          secret: { display_name: "Secret", type: "text", secure: true },
        },
      },
    },
    {
      "config/requests.json": {
        call: {
          schema: {
            method: "GET",
            host: "<%= oauth_iparams.name %>.provider.example",
            headers: { Authorization: "Bearer <%= access_token %>" },
          },
          options: { isOAuth: true },
        },
        other: {
          schema: { method: "GET", host: "a.provider.example", path: "/<%= oauth_iparams.secret %>" },
          options: { isOAuth: true },
        },
      },
    },
  );
  const visitor = fixture.visitor();
  const form = await visitor.follow(BEGIN);
  expect(form.text).toContain("Before you authorise Provider");
  const fill = (values: Record<string, string>, headers = {}) =>
    visitor.follow(BEGIN, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams(values).toString(),
    });
  const missing = await fill({ name: " ", region: "EU", secret: "canary-client-secret" });
  expect(missing).toMatchObject({ status: 400, text: expect.stringContaining("This field is required!") });
  expect(missing.text).not.toContain("canary");
  const values = { name: "shop", region: "EU", secret: "canary-client-secret" };
  expect(await fill(values, { origin: "https://evil.example" })).toMatchObject({ status: 403 });
  expect((await fill(values)).text).toContain("Provider is authorised");
  expect(await fixture.call()).toEqual(IN);
  expect(await fixture.call("other")).toMatchObject({
    failure: { response: "Error while substituting the templates: oauth_iparams.secret has no value" },
  });
  expect(await traces()).not.toContain("canary");
});
