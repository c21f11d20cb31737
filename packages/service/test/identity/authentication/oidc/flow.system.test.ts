import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { launchBrowser } from "../../../../../framework/test/support/browser.ts";
import { SESSION_TOKEN, type Session } from "@parley/contract";
import {
  CookieJar,
  FAILED_TEXT,
  FLOW_COOKIE_NAME,
  oidcHarness,
  SESSION_COOKIE_NAME,
  sessionTokenOf,
  visitOnce,
  type VisitedPage,
} from "./oidc-harness.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const MINUTE_MS = 60_000;
const clock = { ahead: 0 };
const s = fileFixture(() => oidcHarness({ ports: { now: () => new Date(Date.now() + clock.ahead) } }));
beforeAll(async () => {
  s.provider.people.set("noah-id", { email: "noah@acme.example", email_verified: true });
  s.provider.people.set("olivia-id", { email: "olivia@acme.example", email_verified: true });
});
afterEach(() => {
  clock.ahead = 0;
});

const expectFailure = (page: VisitedPage, reason: RegExp) => {
  expect([page.status, page.text.includes(FAILED_TEXT), sessionTokenOf(page)]).toEqual([400, true, undefined]);
  expect(page.headers.getSetCookie().some((line) => line.startsWith(`${SESSION_COOKIE_NAME}=`))).toBe(false);
  expect(s.logLines.at(-1)).toMatch(reason);
};
const tokenRequests = () => s.provider.requests.filter((line) => line === "POST /token").length;

describe("the response of a provider is refused", () => {
  test("in a browser that did not begin the sign-in: nobody is signed in as an attacker", async () => {
    const attacker = new CookieJar();
    const callback = await s.callbackOf(attacker, "noah-id");
    expectFailure(await visitOnce(new CookieJar(), callback), /the browser did not begin this sign-in/);
    // The attacker's own browser can use it.
    expect(sessionTokenOf(await visitOnce(attacker, callback))).toBeDefined();
  });

  test("in a browser that began another sign-in", async () => {
    const [victim, attacker] = [new CookieJar(), new CookieJar()];
    await s.callbackOf(victim, "olivia-id");
    const callback = await s.callbackOf(attacker, "noah-id");
    const before = tokenRequests();
    expectFailure(await visitOnce(victim, callback), /the state is not that of the sign-in/);
    expect(tokenRequests()).toBe(before);
  });

  test("with a code of another sign-in, though its state is right", async () => {
    const [victim, attacker] = [new CookieJar(), new CookieJar()];
    const own = new URL(await s.callbackOf(attacker, "noah-id"));
    const stolen = new URL(await s.callbackOf(victim, "olivia-id"));
    own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    // PKCE binds a code to the browser that asked for it.
    expectFailure(await visitOnce(attacker, own.href), /the provider refused the request with invalid_grant/);
  });

  test.each([
    ["without a state", (url: URL) => url.searchParams.delete("state"), /the state is not/],
    ["with two states", (url: URL) => url.searchParams.append("state", "x"), /the state is not/],
    ["with an empty state", (url: URL) => url.searchParams.set("state", ""), /the state is not/],
    ["with two codes", (url: URL) => url.searchParams.append("code", "x"), /./],
    ["with two issuers", (url: URL) => url.searchParams.append("iss", "https://other.example"), /./],
    ["without its issuer", (url: URL) => url.searchParams.delete("iss"), /"iss"/],
    [
      "at the address of another provider",
      (url: URL) => (url.pathname = url.pathname.replace("sso", "other")),
      /another provider/,
    ],
    [
      "at the address of another account",
      (url: URL) => (url.pathname = url.pathname.replace("acme", "solo")),
      /another provider/,
    ],
    [
      "at the address without the account",
      (url: URL) => (url.pathname = url.pathname.replace("/acme", "")),
      /another provider/,
    ],
  ])("%s", async (_, change, reason) => {
    const jar = new CookieJar();
    const url = new URL(await s.callbackOf(jar, "noah-id"));
    change(url);
    expectFailure(await visitOnce(jar, url.href), reason);
  });

  test("a second time, though the browser still has the cookie", async () => {
    const jar = new CookieJar();
    const callback = await s.callbackOf(jar, "noah-id");
    const cookie = jar.get(s.origin, FLOW_COOKIE_NAME) ?? "";
    expect(sessionTokenOf(await visitOnce(jar, callback))).toBeDefined();
    expect(jar.get(s.origin, FLOW_COOKIE_NAME)).toBeUndefined();
    expectFailure(await visitOnce(jar, callback), /its cookie is gone/);
    jar.set(s.origin, FLOW_COOKIE_NAME, cookie);
    const before = tokenRequests();
    expectFailure(await visitOnce(jar, callback), /the response was used before/);
    expect(tokenRequests()).toBe(before);
  });

  test("for all but one of simultaneous requests", async () => {
    const jar = new CookieJar();
    const callback = await s.callbackOf(jar, "noah-id");
    const pages = await Promise.all(Array.from({ length: 6 }, () => visitOnce(jar, callback)));
    expect(pages.filter((page) => sessionTokenOf(page) !== undefined)).toHaveLength(1);
  });

  test("ten minutes after the sign-in began", async () => {
    const [late, timely] = [new CookieJar(), new CookieJar()];
    const [lateCallback, timelyCallback] = [await s.callbackOf(late, "noah-id"), await s.callbackOf(timely, "noah-id")];
    clock.ahead = 9 * MINUTE_MS + 50_000;
    expect(sessionTokenOf(await visitOnce(timely, timelyCallback))).toBeDefined();
    clock.ahead = 10 * MINUTE_MS + 1_000;
    expectFailure(await visitOnce(late, lateCallback), /longer than 10 minutes/);
  });

  test.each([
    ["is changed", (cookie: string) => `${cookie.slice(0, -6)}AAAA${cookie.slice(-2)}`],
    ["is no text of the service", () => Buffer.from('{"state":"x"}').toString("base64")],
    ["is empty", () => ""],
    ["is too short", () => "AAAA"],
  ])("if the cookie %s", async (_, change) => {
    const jar = new CookieJar();
    const callback = await s.callbackOf(jar, "noah-id");
    jar.set(s.origin, FLOW_COOKIE_NAME, change(jar.get(s.origin, FLOW_COOKIE_NAME) ?? ""));
    expectFailure(await visitOnce(jar, callback), /the browser did not begin this sign-in/);
  });

  test("if the browser sends the cookie twice, as another port of the host can cause it", async () => {
    const jar = new CookieJar();
    const callback = await s.callbackOf(jar, "noah-id");
    const cookie = jar.header(s.origin);
    const reply = await fetch(callback, { headers: { cookie: `${cookie}; ${cookie}` } });
    expect(reply.status).toBe(400);
  });

  test.each([
    ["removed", () => s.adminRequest("DELETE", "/admin/accounts/acme/identity-providers/sso")],
    ["changed to another issuer", () => s.putProvider({ issuer: "http://localhost:9" })],
  ])("if the provider was %s during the sign-in", async (_, change) => {
    const jar = new CookieJar();
    const callback = await s.callbackOf(jar, "noah-id");
    await change();
    expectFailure(await visitOnce(jar, callback), /changed or removed during the sign-in/);
    await s.putProvider();
  });
});

test("the cookie is unreadable, for this host, and shows no verifier, state or nonce", async () => {
  const page = await visitOnce(new CookieJar(), s.startUrl());
  const [cookie = ""] = page.headers.getSetCookie();
  expect(cookie).toMatch(/^parley_provider_sign_in=[\w+/=]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
  expect([page.status, page.headers.get("cache-control")]).toEqual([303, "no-store"]);
  const query = new URL(page.headers.get("location") ?? "").searchParams;
  for (const name of ["state", "nonce"]) expect(cookie).not.toContain(query.get(name));
  expect(Buffer.from(cookie.slice(cookie.indexOf("=") + 1), "base64").toString("latin1")).not.toMatch(/state|acme/);
});

test.each([
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example/",
  "javascript:alert(1)",
  "/\t/evil.example",
  "/\n/evil.example",
  "evil.example",
  "/\0",
  "",
  `/${"x".repeat(2_000)}`,
])("a sign-in goes on to the console and not to %j", async (next) => {
  const jar = new CookieJar();
  const page = await s.signInBy("noah-id", { jar, next });
  expect(page.text).toMatch(/<meta name="next" content="\/console"/);
});

test("a request with another method than GET is refused", async () => {
  for (const path of ["/sign-in/oidc/sso?account=acme", "/sign-in/oidc/sso/callback/acme"])
    for (const method of ["POST", "HEAD"]) expect((await fetch(s.origin + path, { method })).status).toBe(405);
});

test("in a browser, the provider's button on the sign-in page and a click at the provider sign the agent in", async () => {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    s.provider.next = "olivia-id";
    // The sign-in page offers the provider once it knows the account.
    await page.goto(`${s.origin}/sign-in?account=acme&next=/profile`);
    await page.locator("a[href^='/sign-in/oidc/']").click();
    await page.waitForURL(`${s.provider.issuer}/interaction/**`);
    await page.getByRole("button", { name: "Sign in at the provider" }).click();
    await page.waitForURL(`${s.origin}/profile`);
    const token = await page.evaluate<string>("localStorage['parley-session-token']");
    await page.getByText("olivia@acme.example").first().waitFor();
    // The page with the token is not in the history.
    await page.goBack();
    expect(page.url()).not.toContain("callback");
    const session = await context.request.get(`${s.origin}/identity/session`, { headers: { [SESSION_TOKEN]: token } });
    expect([session.status(), ((await session.json()) as Session).email]).toEqual([200, "olivia@acme.example"]);
    const cookies = await context.cookies(s.origin);
    expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
      [SESSION_COOKIE_NAME, true, "Lax"],
    ]);
    expect(await page.evaluate("document.cookie")).toBe("");
  } finally {
    await browser.close();
  }
});
