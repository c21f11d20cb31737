import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { sampleRows } from "../../../../../../test/support/campaign.ts";
import {
  CookieJar,
  FAILED_TEXT,
  follow,
  oidcHarness,
  SESSION_COOKIE_NAME,
  sessionTokenOf,
  type OidcHarness,
} from "./oidc-harness.ts";
import { signedToken, startHostileProvider, type HostileProvider, type Hostility } from "./hostile-provider.ts";
import { CLIENT, listenOnLoopback } from "./provider-fixture.ts";

let s: OidcHarness;
let hostile: HostileProvider;
/** A new name for each test: metadata and keys of a provider are cached. */
let name = "";
let count = 0;
beforeAll(async () => {
  s = await oidcHarness();
  hostile = await startHostileProvider();
});
afterAll(async () => {
  await s.close();
  await hostile.close();
});
afterEach(() => {
  hostile.hostility = {};
});

const remove = () => s.adminRequest("DELETE", `/admin/accounts/acme/identity-providers/${name}`);
const attempt = async (hostility: Hostility) => {
  hostile.hostility = hostility;
  name = `hostile-${++count}`;
  await s.putProvider({ name, issuer: hostile.issuer });
  const jar = new CookieJar();
  const page = await follow(jar, s.startUrl({ name }));
  await remove();
  return { page, cookie: jar.get(s.origin, SESSION_COOKIE_NAME), log: s.logLines.at(-1) ?? "" };
};

/** Replaces the signature by one of another key, or none. */
const resigned = (token: string, header: object): string => {
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as object;
  return signedToken(header, claims, hostile.otherKey);
};
const withClaims = (token: string, claims: object): string => {
  const [head, body, signature] = token.split(".");
  const right = JSON.parse(Buffer.from(body ?? "", "base64url").toString()) as object;
  return [head, Buffer.from(JSON.stringify({ ...right, ...claims })).toString("base64url"), signature].join(".");
};
const unsigned = (token: string): string =>
  [Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url"), token.split(".")[1], ""].join(".");

test("the hostile provider signs an agent in when it does nothing wrong", async () => {
  const { page, cookie } = await attempt({});
  expect([page.status, sessionTokenOf(page)?.length, cookie?.length]).toEqual([200, 43, 43]);
});

describe("a sign-in by an identity provider refuses a response", () => {
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const cases: [string, Hostility, RegExp][] = [
    ["with the nonce of another sign-in", { claims: { nonce: "x".repeat(43) } }, /claim value encountered.*nonce/],
    ["without a nonce", { claims: { nonce: undefined } }, /nonce/],
    ["with an ID token of another issuer", { claims: { iss: "https://other.example" } }, /"iss"/],
    ["with an ID token for another client", { claims: { aud: "another client" } }, /"aud"/],
    ["with an ID token that has expired", { claims: { exp: past } }, /timestamp/],
    ["with an ID token from the future", { claims: { nbf: past + 7_200 } }, /timestamp/],
    ["with an empty subject", { claims: { sub: "" } }, /./],
    ["with a subject of another type", { claims: { sub: 7 } }, /./],
    ["with a subject of more than 255 characters", { claims: { sub: "x".repeat(256) } }, /the subject is not one/],
    ["with a subject that contains a zero byte", { claims: { sub: "noah\0" } }, /the subject is not one/],
    [
      "whose ID token was changed after it was signed",
      { tamper: (t) => withClaims(t, { sub: "other-id" }) },
      /signature/,
    ],
    [
      "whose ID token is signed with another key",
      { tamper: (t) => resigned(t, { alg: "RS256", kid: "1" }) },
      /signature/,
    ],
    ["whose ID token is signed with an unknown key", { tamper: (t) => resigned(t, { alg: "RS256", kid: "2" }) }, /./],
    ["whose ID token is not signed", { tamper: unsigned }, /./],
    [
      "whose ID token is not signed, though its metadata permits that",
      { tamper: unsigned, metadata: { id_token_signing_alg_values_supported: ["none", "RS256"] } },
      /./,
    ],
    [
      "without an ID token",
      { responses: { "/token": { body: { access_token: "a", token_type: "Bearer" } } } },
      /id_token/,
    ],
    ["with the issuer of another provider (RFC 9207)", { callback: { iss: "https://other.example" } }, /"iss"/],
    ["without an issuer, though its metadata promises one (RFC 9207)", { callback: { iss: undefined } }, /"iss"/],
    ["without a code", { callback: { code: undefined } }, /./],
    ["with another state", { callback: { state: "x".repeat(43) } }, /the state is not that/],
    ["without a state", { callback: { state: undefined } }, /the state is not that/],
    [
      "with an error that is not a word of OAuth",
      { callback: { error: "<script>alert(1)</script>\nnoah@acme.example" } },
      /^[^\n<@]*an error without a valid code[^\n<@]*$/,
    ],
    [
      "of the token endpoint that is an error of an unknown form",
      { responses: { "/token": { status: 400, body: { error: "no\nah", error_description: "noah@acme.example" } } } },
      /^[^\n@]*without a valid code[^\n@]*$/,
    ],
    [
      "that is not JSON",
      { responses: { "/token": { body: "<html>", headers: { "content-type": "text/html" } } } },
      /./,
    ],
    ["of 204 without a body", { responses: { "/token": { status: 204, body: "" } } }, /./],
  ];
  test.each(cases)("%s", async (_, hostility, reason) => {
    const { page, cookie, log } = await attempt(hostility);
    expect([page.status, page.text.includes(FAILED_TEXT), cookie]).toEqual([400, true, undefined]);
    expect(log).toMatch(/^error: A sign-in by the identity provider hostile-\d+ of acme failed: /);
    expect(log).toMatch(reason);
    expect(page.text + log).not.toMatch(/noah|alert|a code|access token/);
  });
});

describe("the beginning of a sign-in refuses a provider", () => {
  const cases: [string, Hostility, RegExp][] = [
    [
      "whose metadata names another issuer",
      { metadata: { issuer: "https://other.example" } },
      /another issuer|does not match/,
    ],
    ["whose page is not a web address", { metadata: { authorization_endpoint: "javascript:alert(1)" } }, /./],
    [
      "whose metadata is redirected",
      { responses: { "/.well-known/openid-configuration": { status: 302, headers: { location: "/other" } } } },
      /./,
    ],
    [
      "whose metadata is larger than half a mebibyte",
      { metadata: { more: "x".repeat(600_000) } },
      /Response is too large/,
    ],
    ["whose metadata is not an object", { responses: { "/.well-known/openid-configuration": { body: "[]" } } }, /./],
    ["that fails", { responses: { "/.well-known/openid-configuration": { status: 500, body: {} } } }, /./],
  ];
  test.each(cases)("%s", async (_, hostility, reason) => {
    const { page, cookie, log } = await attempt(hostility);
    expect([page.url.startsWith(s.origin), page.status, cookie]).toEqual([true, 400, undefined]);
    expect(page.text).toContain(FAILED_TEXT);
    expect(log).toMatch(reason);
  });

  test("that is down, and asks it at most once in five seconds", async () => {
    const server = await listenOnLoopback((_, response) => response.end());
    await server.close();
    name = "down";
    await s.putProvider({ name, issuer: `http://localhost:${server.port}` });
    const pages = await Promise.all([1, 2, 3].map(() => follow(new CookieJar(), s.startUrl({ name }))));
    expect(pages.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(s.logLines.at(-1)).toMatch(
      /its configuration can't be read: a request to the provider failed: Error in establishing connection/,
    );
    hostile.hostility = { responses: { "/.well-known/openid-configuration": { status: 500, body: {} } } };
    await s.putProvider({ name, issuer: hostile.issuer });
    const before = hostile.requests.length;
    await Promise.all([1, 2, 3].map(() => follow(new CookieJar(), s.startUrl({ name }))));
    await follow(new CookieJar(), s.startUrl({ name }));
    expect(hostile.requests.length - before).toBe(1);
    await remove();
  });
});

test("a wrong client secret is refused by the provider, and neither the log nor the page contains it", async () => {
  const secret = "a wrong secret of the client";
  await s.putProvider({ name: "sso", client_secret: secret });
  s.provider.people.set("noah-id", { email: "noah@acme.example", email_verified: true });
  const page = await s.signInBy("noah-id");
  expect([page.status, page.text.includes(FAILED_TEXT)]).toEqual([400, true]);
  expect(s.logLines.at(-1)).toMatch(/the provider refused the request with invalid_client/);
  expect(s.logLines.join("\n") + page.text).not.toMatch(new RegExp(`${secret}|${CLIENT.secret}`));
  await s.putProvider({ name: "sso" });
  expect(sessionTokenOf(await s.signInBy("noah-id"))).toBeDefined();
});

describe("requests to a provider that names addresses inside the network", () => {
  const inside = [
    "http://169.254.169.254/token",
    "http://10.0.0.1/token",
    "https://192.168.1.1/token",
    "http://[fd00::1]/token",
  ];
  test.each(sampleRows(inside, 4))("are not sent: %s", async (address) => {
    const { page, log } = await attempt({ metadata: { token_endpoint: address } });
    expect(page.status).toBe(400);
    expect(log).toMatch(/a request to the provider failed: Invalid URL - (IP is disallowed|Must be HTTPS)/);
  });
  test("are not sent for its keys", async () => {
    const { log } = await attempt({ metadata: { jwks_uri: "http://169.254.169.254/keys" } });
    expect(log).toMatch(/IP is disallowed/);
  });
  test("are not sent by a redirect of its token endpoint", async () => {
    const reached: string[] = [];
    const target = await listenOnLoopback((request, response) => {
      reached.push(request.url ?? "");
      response.end("{}");
    });
    const location = `http://localhost:${target.port}/inside`;
    // Without the rule the address can be reached.
    await fetch(location);
    expect(reached).toEqual(["/inside"]);
    for (const status of [302, 307, 308]) {
      const { page } = await attempt({ responses: { "/token": { status, headers: { location }, body: "" } } });
      expect(page.status).toBe(400);
    }
    expect(reached).toEqual(["/inside"]);
    await target.close();
  });
});
