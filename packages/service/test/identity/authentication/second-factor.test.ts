import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Session, SignInResult } from "@parley/contract";
import { statement } from "@parley/database";
import { Secret, TOTP } from "otpauth";
import { realPorts } from "../../../src/index.ts";
import { cookieOf, PASSWORD, sessionHarness, type BrowserSession } from "./session-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const ALL_CREDENTIALS = statement("", "select row_to_json(c)::text as text from agent_credentials c");
const PERIOD_MS = 30_000;

let offsetMs = untilQuarterMs();
const now = () => realPorts.now().getTime() + offsetMs;
const s = fileFixture(() => sessionHarness({ ports: { now: () => new Date(now()) } }));
beforeEach(() => {
  // Attempts are limited by quarter of an hour: each test has its own.
  offsetMs += 15 * 60_000;
});

let count = 0;
/** A new agent, signed in. */
const signedIn = async () => {
  const email = `factor${++count}@acme.example`;
  const { id } = await s.client.agents.createAgent({ body: { email } });
  return { id, email, session: await s.signIn(email) };
};

/** The code that an authenticator app shows. @units milliseconds: after now */
const codeOf = (secret: string, ms = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now() + ms });

const begin = async (session: BrowserSession, current_password: string | undefined = PASSWORD) =>
  s.page<{ secret: string; uri: string; qr_code: string }>("POST", "/identity/second-factor", {
    session,
    body: { current_password },
  });
const confirm = (session: BrowserSession, code: string) =>
  s.page<{ recovery_codes: string[] }>("PUT", "/identity/second-factor", { session, body: { code } });

/** A new agent with a second factor. */
const protectedAgent = async () => {
  const agent = await signedIn();
  const { secret } = (await begin(agent.session)).body;
  const { recovery_codes } = (await confirm(agent.session, codeOf(secret))).body;
  offsetMs += PERIOD_MS;
  return { ...agent, secret, recovery_codes };
};
const byPassword = (email: string) =>
  s.page<SignInResult>("POST", "/identity/sign-in", { body: { account: "acme", email, password: PASSWORD } });
const byCode = (challenge: string | undefined, code: string) =>
  s.page<SignInResult>("POST", "/identity/sign-in/second-factor", { body: { challenge, code } });

describe("setting up a second factor", () => {
  test("POST /identity/second-factor 200 gives a secret for an authenticator app, also as a QR code", async () => {
    const { session, email } = await signedIn();
    const { code, body } = await begin(session);
    expect(code).toBe(200);
    const uri = new URL(body.uri);
    expect([uri.protocol, uri.searchParams.get("secret"), decodeURIComponent(uri.pathname)]).toEqual([
      "otpauth:",
      body.secret,
      `/Parley (acme):${email}`,
    ]);
    expect(body.qr_code).toMatch(/^<svg [\s\S]*<\/svg>$/);
  });

  test("PUT /identity/second-factor 200 activates it by a code and gives ten recovery codes; other sessions end", async () => {
    const { session, email } = await signedIn();
    const other = await byPassword(email);
    const { secret } = (await begin(session)).body;
    const { code, body } = await confirm(session, codeOf(secret));
    expect([code, body.recovery_codes.length, new Set(body.recovery_codes).size]).toEqual([200, 10, 10]);
    expect(body.recovery_codes[0]).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    const { body: state } = await s.page<Session>("GET", "/identity/session", { session });
    expect([state.has_second_factor, state.recovery_codes_left]).toEqual([true, 10]);
    s.expireCaches();
    const ended = { cookie: cookieOf(other.headers) ?? "", token: other.body.session_token ?? "" };
    expect((await s.page("GET", "/identity/session", { session: ended })).code).toBe(401);
  });

  test("POST /identity/second-factor SIGN_IN_FAILED without the right current password", async () => {
    const { session } = await signedIn();
    for (const password of ["wrong password", ""])
      expect((await begin(session, password)).body.status).toBe("SIGN_IN_FAILED");
  });

  test("POST /identity/second-factor SECOND_FACTOR_STATE when there is one", async () => {
    const { session } = await protectedAgent();
    expect((await begin(session)).body.status).toBe("SECOND_FACTOR_STATE");
  });

  test("PUT /identity/second-factor WRONG_CODE for a wrong code; the agent signs in without one as before", async () => {
    const { session, email } = await signedIn();
    await begin(session);
    expect((await confirm(session, "000000")).body.status).toBe("WRONG_CODE");
    expect((await byPassword(email)).body.challenge).toBeUndefined();
  });

  test("PUT /identity/second-factor SECOND_FACTOR_STATE before it was begun, and after it was confirmed", async () => {
    const { session } = await signedIn();
    expect((await confirm(session, "123456")).body.status).toBe("SECOND_FACTOR_STATE");
    const { secret } = (await begin(session)).body;
    expect((await confirm(session, codeOf(secret))).code).toBe(200);
    expect((await confirm(session, codeOf(secret))).body.status).toBe("SECOND_FACTOR_STATE");
  });
});

describe("signing in with a second factor", () => {
  test("POST /identity/sign-in 200 gives a challenge and no session", async () => {
    const { email } = await protectedAgent();
    const { code, headers, body } = await byPassword(email);
    expect([code, headers.getSetCookie(), body.session, body.session_token]).toEqual([200, [], undefined, undefined]);
    expect(body.challenge).toMatch(/^[\w-]{43}$/);
  });

  test("POST /identity/sign-in/second-factor 200 begins the session with the code of the app", async () => {
    const { email, secret } = await protectedAgent();
    const { challenge } = (await byPassword(email)).body;
    const { code, headers, body } = await byCode(challenge, ` ${codeOf(secret).replace(/^(...)/, "$1 ")}`);
    expect([code, body.session?.email]).toEqual([200, email]);
    expect(cookieOf(headers)).toMatch(/^parley_session=/);
  });

  test("POST /identity/sign-in/second-factor WRONG_CODE for a code that was used, and the challenge stays valid", async () => {
    const { email, secret } = await protectedAgent();
    const code = codeOf(secret);
    const first = (await byPassword(email)).body.challenge;
    const second = (await byPassword(email)).body.challenge;
    expect((await byCode(first, code)).code).toBe(200);
    expect((await byCode(second, code)).body.status).toBe("WRONG_CODE");
    // The code of the period before the used one is refused too.
    expect((await byCode(second, codeOf(secret, -PERIOD_MS))).body.status).toBe("WRONG_CODE");
    expect((await byCode(second, codeOf(secret, PERIOD_MS))).code).toBe(200);
  });

  test("accepts the codes of clocks that differ by half a minute, and no others", async () => {
    const { email, secret } = await protectedAgent();
    offsetMs += 10 * PERIOD_MS;
    const { challenge } = (await byPassword(email)).body;
    for (const ms of [-3 * PERIOD_MS, 3 * PERIOD_MS])
      expect((await byCode(challenge, codeOf(secret, ms))).body.status).toBe("WRONG_CODE");
    expect((await byCode(challenge, codeOf(secret, -PERIOD_MS))).code).toBe(200);
  });

  test("accepts each recovery code once, in any spelling", async () => {
    const { email, session, recovery_codes } = await protectedAgent();
    const [first = "", second = ""] = recovery_codes;
    const challenge = async () => (await byPassword(email)).body.challenge;
    expect((await byCode(await challenge(), first)).code).toBe(200);
    expect((await byCode(await challenge(), first)).body.status).toBe("WRONG_CODE");
    expect((await byCode(await challenge(), second.toLowerCase().replaceAll("-", " "))).code).toBe(200);
    const { body } = await s.page<Session>("GET", "/identity/session", { session });
    expect(body.recovery_codes_left).toBe(8);
  });

  test("uses one code only once, also in simultaneous requests", async () => {
    const { email, secret } = await protectedAgent();
    const challenges = await Promise.all([1, 2, 3, 4].map(async () => (await byPassword(email)).body.challenge));
    const code = codeOf(secret);
    const codes = (await Promise.all(challenges.map((challenge) => byCode(challenge, code)))).map((each) => each.code);
    expect(codes.sort()).toEqual([200, 401, 401, 401]);
  });

  test("POST /identity/sign-in/second-factor LINK_NOT_VALID for a challenge that is unknown, used or older than five minutes", async () => {
    const { email, secret } = await protectedAgent();
    const { challenge } = (await byPassword(email)).body;
    expect((await byCode(challenge, codeOf(secret))).code).toBe(200);
    expect((await byCode(challenge, codeOf(secret))).body.status).toBe("LINK_NOT_VALID");
    expect((await byCode("A".repeat(43), codeOf(secret))).body.status).toBe("LINK_NOT_VALID");
    expect((await byCode("none", codeOf(secret))).body.status).toBe("LINK_NOT_VALID");
    const { challenge: old } = (await byPassword(email)).body;
    offsetMs += 5 * 60_000 + 1_000;
    expect((await byCode(old, codeOf(secret))).body.status).toBe("LINK_NOT_VALID");
  });

  test("POST /identity/sign-in/second-factor TOO_MANY_SIGN_INS after twenty wrong codes of one agent, with any challenges", async () => {
    const { email, secret } = await protectedAgent();
    const statuses: (string | undefined)[] = [];
    // Attempts are counted by quarter of an hour: a slow loop could pass into the next one, in which the count begins again.
    const begun = now();
    for (let attempt = 0; attempt < 21; attempt++) {
      offsetMs -= now() - begun;
      const { challenge } = (await byPassword(email)).body;
      statuses.push((await byCode(challenge, "000000")).body.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => "WRONG_CODE"), "TOO_MANY_SIGN_INS"]);
    const { challenge } = (await byPassword(email)).body;
    const right = await byCode(challenge, codeOf(secret));
    expect([right.code, Number(right.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    offsetMs += 15 * 60_000;
    expect((await byCode((await byPassword(email)).body.challenge, codeOf(secret))).code).toBe(200);
  });
});

describe("an agent with a second factor", () => {
  test("POST /identity/recovery-codes 200 replaces the recovery codes", async () => {
    const { email, session, secret, recovery_codes } = await protectedAgent();
    const renewed = await s.page<{ recovery_codes: string[] }>("POST", "/identity/recovery-codes", {
      session,
      body: { code: codeOf(secret) },
    });
    expect([renewed.code, renewed.body.recovery_codes.length]).toEqual([200, 10]);
    const { challenge } = (await byPassword(email)).body;
    expect((await byCode(challenge, recovery_codes[0] ?? "")).body.status).toBe("WRONG_CODE");
    expect((await byCode(challenge, renewed.body.recovery_codes[0] ?? "")).code).toBe(200);
  });

  test("POST /identity/second-factor/removal 200 removes it by one of its codes", async () => {
    const { email, session, recovery_codes } = await protectedAgent();
    const body = { code: recovery_codes[0] };
    expect((await s.page("POST", "/identity/second-factor/removal", { session, body })).code).toBe(200);
    expect((await byPassword(email)).body.session?.email).toBe(email);
  });

  test.each([
    ["POST /identity/recovery-codes WRONG_CODE, SECOND_FACTOR_STATE", "/identity/recovery-codes"],
    ["POST /identity/second-factor/removal WRONG_CODE, SECOND_FACTOR_STATE", "/identity/second-factor/removal"],
  ])("%s", async (_, path) => {
    const { session } = await protectedAgent();
    const wrong = await s.page("POST", path, { session, body: { code: "000000" } });
    expect([wrong.code, wrong.body.status]).toEqual([401, "WRONG_CODE"]);
    const { session: plain } = await signedIn();
    const none = await s.page("POST", path, { session: plain, body: { code: "000000" } });
    expect([none.code, none.body.status]).toEqual([409, "SECOND_FACTOR_STATE"]);
  });

  test.each([
    ["POST /identity/recovery-codes TOO_MANY_SIGN_INS", "POST", "/identity/recovery-codes"],
    ["POST /identity/second-factor/removal TOO_MANY_SIGN_INS", "POST", "/identity/second-factor/removal"],
    ["PUT /identity/second-factor TOO_MANY_SIGN_INS", "PUT", "/identity/second-factor"],
  ])("%s after twenty wrong codes", async (_, method, path) => {
    const { session } = await protectedAgent();
    let last: string | undefined;
    for (let attempt = 0; attempt < 21; attempt++)
      last = (await s.page(method, path, { session, body: { code: "000000" } })).body.status;
    expect(last).toBe("TOO_MANY_SIGN_INS");
  });

  test("DELETE /admin/accounts/{account}/agents/{agent_id}/second-factor 200 helps an agent who lost it, and ends the sessions", async () => {
    const { id, email, session } = await protectedAgent();
    expect((await s.adminRequest("DELETE", `/admin/accounts/acme/agents/${id}/second-factor`)).code).toBe(200);
    expect((await byPassword(email)).body.session?.email).toBe(email);
    s.expireCaches();
    expect((await s.page("GET", "/identity/session", { session })).code).toBe(401);
  });

  test("DELETE /admin/accounts/{account}/agents/{agent_id}/second-factor ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND", async () => {
    const unknown = "3d6f3f7e-0000-4000-8000-000000000000";
    const at = async (account: string) =>
      (await s.adminRequest("DELETE", `/admin/accounts/${account}/agents/${unknown}/second-factor`)).body.status;
    expect([await at("none"), await at("acme")]).toEqual(["ACCOUNT_NOT_FOUND", "AGENT_NOT_FOUND"]);
  });

  test("has its secret encrypted in the database", async () => {
    const { secret, recovery_codes } = await protectedAgent();
    const pool = s.database.pool("parley_service", { max: 1 });
    const rows = await pool.rows<{ text: string }>(ALL_CREDENTIALS, []);
    await pool.end();
    const all = rows.map(({ text }) => text).join("\n");
    expect(all).toContain("totp_secret");
    for (const text of [secret, ...recovery_codes]) expect(all).not.toContain(text);
  });
});
