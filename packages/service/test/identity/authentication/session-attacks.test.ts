import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SESSION_TOKEN, type SignInResult } from "@parley/contract";
import { plainRequest } from "../../plain-http.ts";
import { cookieOf, PASSWORD, sessionHarness, type BrowserSession, type SessionHarness } from "./session-harness.ts";

let s: SessionHarness;
let session: BrowserSession;
beforeAll(async () => {
  s = await sessionHarness({ config: { domain: "chat.example.com" } });
  session = await s.signIn("olivia@acme.example");
});
afterAll(() => s.close());

const signInBody = JSON.stringify({ account: "acme", email: "olivia@acme.example", password: PASSWORD });
/** A sign-in as a browser sends it to a host, which a proxy passes on. */
const signInAt = (host: string, headers: Readonly<Record<string, string>>) =>
  plainRequest(s.url, {
    method: "POST",
    path: "/identity/sign-in",
    headers: { host, "content-type": "application/json", ...headers },
    body: signInBody,
  });

describe("session fixation", () => {
  test("a session cookie that an attacker planted before the sign-in does not become the agent's", async () => {
    const planted = { cookie: `parley_session=${"A".repeat(43)}`, token: "B".repeat(43) };
    const { headers, body } = await s.page<SignInResult>("POST", "/identity/sign-in", {
      session: planted,
      body: JSON.parse(signInBody),
    });
    expect(cookieOf(headers)).not.toBe(planted.cookie);
    const attacker = { cookie: planted.cookie, token: body.session_token ?? "" };
    expect((await s.page("GET", "/identity/session", { session: attacker })).code).toBe(401);
  });

  test("a session of the attacker's own, planted before the sign-in, is ended by it", async () => {
    const attacker = await s.signIn("diego@acme.example");
    await s.page("POST", "/identity/sign-in", { session: { cookie: attacker.cookie }, body: JSON.parse(signInBody) });
    s.expireCaches();
    expect((await s.page("GET", "/identity/session", { session: attacker })).code).toBe(401);
  });

  test("two session cookies in one request, as another port or host can add one, admit nobody", async () => {
    const other = await s.signIn("diego@acme.example");
    // The token belongs to the cookie that comes first, then to the one that comes last.
    for (const cookie of [`${session.cookie}; ${other.cookie}`, `${other.cookie}; ${session.cookie}`])
      expect((await s.page("GET", "/identity/session", { session: { ...session, cookie } })).code).toBe(401);
  });

  test("off this machine only the cookie with the prefix __Host- counts, which no other host can set", async () => {
    const host = "acme.chat.example.com";
    const signedIn = await signInAt(host, { origin: `https://${host}` });
    const [cookie = ""] = signedIn.headers["set-cookie"] as unknown as string[];
    expect(cookie).toMatch(/^__Host-parley_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
    const token = (JSON.parse(signedIn.text) as SignInResult).session_token ?? "";
    const ask = async (text: string) =>
      (
        await plainRequest(s.url, {
          path: "/identity/session",
          headers: { host, cookie: text, [SESSION_TOKEN]: token },
        })
      ).status;
    const [value = ""] = cookie.split(";");
    expect(await ask(value)).toBe(200);
    // The attack: another host of the domain sets a cookie for the whole domain. It can't have the prefix.
    expect(await ask(value.replace("__Host-", ""))).toBe(401);
  });
});

describe("theft of a session", () => {
  test("the cookie without the token, as a server on another port receives it, reads and changes nothing", async () => {
    const { cookie } = session;
    for (const [method, path] of [
      ["GET", "/v2/agents"],
      ["GET", "/identity/session"],
      ["GET", "/identity/sessions"],
      ["GET", "/admin/accounts/acme/tokens"],
      ["DELETE", "/identity/session"],
      ["POST", "/admin/accounts/acme/tokens"],
    ] as const)
      expect((await s.page(method, path, { session: { cookie } })).code).toBe(401);
    // With the token the same requests are admitted: the token is what keeps the thief out.
    expect((await s.page("GET", "/v2/agents", { session })).code).toBe(200);
  });

  test("the token can't be had with the cookie: no response but that of a sign-in contains it", async () => {
    for (const path of ["/identity/session", "/identity/sessions", "/v2/agents"]) {
      const { headers, body } = await s.page("GET", path, { session });
      expect(JSON.stringify([body, [...headers]])).not.toContain(session.token);
      expect(JSON.stringify([body, [...headers]])).not.toContain(session.cookie.split("=")[1]);
    }
  });

  test("the token of one session is not valid with the cookie of another", async () => {
    const other = await s.signIn("noah@acme.example");
    expect((await s.page("GET", "/v2/agents", { session: { ...session, token: other.token } })).code).toBe(401);
  });

  test("no page of another origin may send the header with the token: preflight requests are not answered", async () => {
    const reply = await s.page("OPTIONS", "/v2/agents", {
      origin: "http://localhost:1",
      headers: { "access-control-request-method": "GET", "access-control-request-headers": SESSION_TOKEN },
    });
    expect([reply.code, reply.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });

  test("origins that may call the API by token may not use cookies", async () => {
    const open = await sessionHarness({ config: { corsOrigins: ["https://app.example.com"] } });
    try {
      const { headers } = await open.page("OPTIONS", "/v2/agents", {
        origin: "https://app.example.com",
        headers: { "access-control-request-method": "GET", "access-control-request-headers": SESSION_TOKEN },
      });
      expect(headers.get("access-control-allow-origin")).toBe("https://app.example.com");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("access-control-allow-headers")?.toLowerCase()).not.toContain("session");
    } finally {
      await open.close();
    }
  });

  test("an Authorization header is never completed by the cookie", async () => {
    for (const authorization of ["Bearer none", "", "Basic x"]) {
      const { code } = await s.page("GET", "/v2/agents", { session, headers: { authorization } });
      expect(code).toBe(401);
    }
  });
});

describe("signing in from elsewhere", () => {
  test.each([
    ["another origin", "acme.chat.example.com", "https://evil.example"],
    ["the same host without TLS", "acme.chat.example.com", "http://acme.chat.example.com"],
    ["another port of localhost", "localhost:10002", "http://localhost:3000"],
    ["another host below localhost", "localhost:10002", "http://frame.app-x.localhost:10002"],
    ["a page without an origin", "localhost:10002", "null"],
  ])("a page of %s can't sign its visitor in", async (_, host, origin) => {
    const reply = await signInAt(host, { origin });
    expect([reply.status, reply.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test("a request without an Origin header, as no browser sends it, is refused with the expected value", async () => {
    const reply = await signInAt("acme.chat.example.com", {});
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
      403,
      { message: "The request must have the header 'Origin: https://acme.chat.example.com'." },
    ]);
  });

  test("the host names the account: the one in the body does not count there", async () => {
    const host = "solo.chat.example.com";
    const reply = await signInAt(host, { origin: `https://${host}` });
    expect(JSON.parse(reply.text)).toMatchObject({ status: "SIGN_IN_FAILED" });
  });

  test("a session of one account is refused on the host of another account", async () => {
    const host = "acme.chat.example.com";
    const signedIn = await signInAt(host, { origin: `https://${host}` });
    const [cookie = ""] = (signedIn.headers["set-cookie"] as unknown as string[]).map((each) => each.split(";")[0]);
    const token = (JSON.parse(signedIn.text) as SignInResult).session_token ?? "";
    const at = async (name: string) =>
      (await plainRequest(s.url, { path: "/v2/agents", headers: { host: name, cookie, [SESSION_TOKEN]: token } }))
        .status;
    expect([await at(host), await at("solo.chat.example.com")]).toEqual([200, 403]);
  });
});

test("no response, log line or error contains a secret of a sign-in", async () => {
  const secrets = [session.token, session.cookie.split("=")[1] ?? "", PASSWORD];
  for (const line of s.logLines) for (const secret of secrets) expect(line).not.toContain(secret);
  const wrong = await s.page("POST", "/identity/sign-in", { body: { ...JSON.parse(signInBody), email: "x@x" } });
  expect(JSON.stringify(wrong.body)).not.toContain(PASSWORD);
});
