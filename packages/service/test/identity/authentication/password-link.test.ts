import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IssuedLink, SignInResult } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { SIGN_IN_ATTEMPTS } from "../../../src/identity/authentication/sign-in/throttle.sql.ts";
import { cookieOf, PASSWORD, secretOfLink, sessionHarness, type SessionHarness } from "./session-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";

/** What the holder of a link can do. */

const DAY_MS = 86_400_000;
const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };

let s: SessionHarness;
let pool: Pool;
let agentId: string;
beforeAll(async () => {
  s = await sessionHarness({ ports: { now: clock.now } });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const { body } = await s.adminRequest<{ agent_id: string }>("POST", "/admin/accounts/acme/sign-in-links", {
    email: "diego@acme.example",
  });
  agentId = body.agent_id;
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const newToken = async (kind: "invitation" | "password-reset" = "password-reset") => {
  const { body } = await s.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${agentId}/${kind}`);
  return secretOfLink(body.link ?? "");
};
const newSignInToken = async () => {
  const { body } = await s.adminRequest<{ link: string }>("POST", "/admin/accounts/acme/sign-in-links", {
    email: "diego@acme.example",
  });
  return { link: body.link, token: secretOfLink(body.link) };
};
const choose = (token: string, password = PASSWORD) =>
  s.page<SignInResult>("POST", "/identity/password", { body: { token, password } });
const question = (token: string) => s.page("POST", "/identity/password-link", { body: { token } });

test("POST /identity/password-link 200 says whose password a link sets, as often as it is asked", async () => {
  for (const [kind, purpose] of [
    ["invitation", "invitation"],
    ["password-reset", "password_reset"],
  ] as const) {
    const token = await newToken(kind);
    for (let turn = 0; turn < 3; turn++) {
      const { code, body } = await question(token);
      expect({ code, body }).toEqual({
        code: 200,
        body: { account: "acme", email: "diego@acme.example", purpose, expires_time: expect.any(String) },
      });
    }
    expect((await choose(token)).code).toBe(200);
  }
});

test("POST /identity/password 200 sets the password and begins a session, once", async () => {
  const token = await newToken();
  const chosen = await choose(token);
  expect([chosen.code, chosen.body.session?.method]).toEqual([200, "password"]);
  const session = { cookie: cookieOf(chosen.headers) ?? "", token: chosen.body.session_token ?? "" };
  expect((await s.page("GET", "/identity/session", { session })).code).toBe(200);
  expect(chosen.headers.get("cache-control")).toBe("no-store");
  const replayed = await choose(token, "the attacker's password");
  expect([replayed.code, replayed.body.status, cookieOf(replayed.headers)]).toEqual([404, "LINK_NOT_VALID", undefined]);
});

test("several simultaneous uses of one link: exactly one succeeds, and its password is the agent's", async () => {
  const token = await newToken();
  const passwords = Array.from({ length: 6 }, (_, index) => `a good password, number ${index}`);
  const codes = (await Promise.all(passwords.map((password) => choose(token, password)))).map(({ code }) => code);
  expect(codes.toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
  const accepted = passwords[codes.indexOf(200)] ?? "";
  const body = { account: "acme", email: "diego@acme.example", password: accepted };
  expect((await s.page("POST", "/identity/sign-in", { body })).code).toBe(200);
});

test("POST /identity/password 400 PASSWORD_NOT_ACCEPTED for a password that is too short or contains the address; the link stays valid", async () => {
  const token = await newToken();
  for (const password of ["short", "diego@acme.example"])
    expect(await choose(token, password)).toMatchObject({ code: 400, body: { status: "PASSWORD_NOT_ACCEPTED" } });
  expect((await choose(token)).code).toBe(200);
});

describe("another secret than that of a valid link", () => {
  const routes = [
    ["POST /identity/password-link 404 LINK_NOT_VALID", question],
    ["POST /identity/password 404 LINK_NOT_VALID", choose],
  ] as const;
  test.each(routes)("%s: unknown, malformed or altered", async (_, use) => {
    const token = await newToken();
    const altered = (token.startsWith("A") ? "B" : "A") + token.slice(1);
    for (const wrong of ["x", "A".repeat(43), altered, `${token} `, `${token}A`, token.slice(0, -1)])
      expect(await use(wrong)).toMatchObject({ code: 404, body: { status: "LINK_NOT_VALID" } });
    expect((await choose(token)).code).toBe(200);
  });
  test.each(routes)("%s: of a link that signs in", async (_, use) => {
    expect(await use((await newSignInToken()).token)).toMatchObject({ code: 404, body: { status: "LINK_NOT_VALID" } });
  });
  test("a link for a password completes no sign-in", async () => {
    const token = await newToken();
    const reply = await s.page("POST", "/identity/sign-in/second-factor", {
      body: { challenge: token, code: "123456" },
    });
    expect(reply).toMatchObject({ code: 404, body: { status: "LINK_NOT_VALID" } });
    expect((await choose(token)).code).toBe(200);
  });
});

test("the page of a link does not use it, as programs that check links in messages load it", async () => {
  const { link, token } = await newSignInToken();
  const HASHES = statement("", "select count(*)::int as count from sign_in_links where hash = sha256($1::bytea)");
  const count = async () => (await pool.one<{ count: number }>(HASHES, [Buffer.from(token)]))?.count;
  const before = await count();
  expect(before).toBe(1);
  for (const method of ["HEAD", "GET", "GET"]) await s.page(method, new URL(link).pathname);
  expect(await count()).toBe(before);
  const password = await newToken();
  for (const method of ["HEAD", "GET"]) await s.page(method, "/sign-in/password");
  expect((await choose(password)).code).toBe(200);
});

test("a new password makes the agent's other links invalid", async () => {
  const [{ token: signIn }, password] = [await newSignInToken(), await newToken()];
  const HASHES = statement("", "select count(*)::int as count from sign_in_links where hash = sha256($1::bytea)");
  const count = async () => (await pool.one<{ count: number }>(HASHES, [Buffer.from(signIn)]))?.count;
  expect(await count()).toBe(1);
  expect((await choose(password)).code).toBe(200);
  expect(await count()).toBe(0);
});

test("pages of other origins can't use a link", async () => {
  const token = await newToken();
  for (const origin of ["https://evil.example", "http://localhost:1", ""])
    expect((await s.page("POST", "/identity/password", { body: { token, password: PASSWORD }, origin })).code).toBe(
      403,
    );
  expect((await choose(token)).code).toBe(200);
});

describe("an address with too many wrong secrets", () => {
  test.each([
    ["POST /identity/password-link 429 TOO_MANY_SIGN_INS", question],
    ["POST /identity/password 429 TOO_MANY_SIGN_INS", choose],
  ] as const)("%s with Retry-After, even for a valid link", async (_, use) => {
    clock.ahead = DAY_MS + untilQuarterMs();
    const token = await newToken();
    for (let turn = 0; turn < SIGN_IN_ATTEMPTS.address; turn++) await question("A".repeat(43));
    const refused = await use(token);
    expect(refused).toMatchObject({ code: 429, body: { status: "TOO_MANY_SIGN_INS" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    clock.ahead += 15 * 60_000;
    expect((await use(token)).code).toBe(200);
    clock.ahead = 0;
  });
});
