import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { LINK_NOT_VALID } from "@parley/contract";
import { Secret, TOTP } from "otpauth";
import { linkHarness, type LinkHarness } from "./link-harness.ts";
import { cookieOf, PASSWORD, secretOfLink } from "./session-harness.ts";

/** What links for choosing a password do. */

const MINUTE_MS = 60_000;

let s: LinkHarness;
beforeAll(async () => {
  s = await linkHarness();
});
afterAll(() => s.close());
beforeEach(() => {
  // Attempts are limited by quarter of an hour: each test has its own.
  s.advance(15 * MINUTE_MS);
});

const minutesUntil = (time: string): number => (Date.parse(time) - s.now()) / MINUTE_MS;

describe("a link for choosing a password", () => {
  test("POST /identity/password-link 200 tells whose password it sets, and does not use it", async () => {
    const { id, email } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    for (let count = 0; count < 3; count++) {
      const { code, body } = await s.askPasswordLink(secret);
      expect([code, body.account, body.email, body.purpose]).toEqual([200, "acme", email, "invitation"]);
      expect(minutesUntil(body.expires_time)).toBeGreaterThan(7 * 24 * 60 - 1);
    }
    expect((await s.choosePassword(secret)).code).toBe(200);
    expect((await s.askPasswordLink(await s.passwordSecret(id, "password-reset"))).body.purpose).toBe("password_reset");
  });

  test("POST /identity/password 200 sets the password, signs in and ends the agent's other sessions", async () => {
    const { id, email } = await s.newAgent();
    const first = await s.choosePassword(await s.passwordSecret(id));
    const session = { cookie: cookieOf(first.headers) ?? "", token: first.body.session_token ?? "" };
    expect((await s.page("GET", "/identity/session", { session })).code).toBe(200);
    const { code, body } = await s.choosePassword(
      await s.passwordSecret(id, "password-reset"),
      "another good passphrase",
    );
    expect([code, body.session?.email, body.session?.method]).toEqual([200, email, "password"]);
    expect((await s.page("GET", "/identity/session", { session })).code).toBe(401);
    const signIn = (password: string) =>
      s.page("POST", "/identity/sign-in", { body: { account: "acme", email, password } });
    expect([(await signIn(PASSWORD)).code, (await signIn("another good passphrase")).code]).toEqual([401, 200]);
  });

  test("POST /identity/password PASSWORD_NOT_ACCEPTED for a weak password; the link stays valid", async () => {
    const { id, email } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    for (const password of ["short", "password123", "aaaaaaaaaaaa", email, "x".repeat(257)]) {
      const { code, body, headers } = await s.choosePassword(secret, password);
      expect([code, body.status, headers.getSetCookie()]).toEqual([400, "PASSWORD_NOT_ACCEPTED", []]);
    }
    expect((await s.choosePassword(secret)).code).toBe(200);
  });

  test.each([
    ["invitation", 7 * 24 * 60],
    ["password-reset", 60],
  ] as const)("of %s is valid until its expiry, and not after", async (kind, minutes) => {
    const { id } = await s.newAgent();
    const secret = await s.passwordSecret(id, kind);
    s.advance((minutes - 1) * MINUTE_MS);
    expect((await s.askPasswordLink(secret)).code).toBe(200);
    s.advance(2 * MINUTE_MS);
    expect((await s.askPasswordLink(secret)).body.status).toBe("LINK_NOT_VALID");
    expect((await s.choosePassword(secret)).body.status).toBe("LINK_NOT_VALID");
  });

  test("POST /identity/password-link LINK_NOT_VALID with the same answer for every invalid link, as POST /identity/password", async () => {
    const { id } = await s.newAgent();
    const used = await s.passwordSecret(id);
    await s.choosePassword(used);
    const replaced = await s.passwordSecret(id);
    const newest = await s.passwordSecret(id, "password-reset");
    const signIn = secretOfLink((await s.createSignInLink()).body.link);
    const invalid = [used, replaced, signIn, "x", "x".repeat(43), `${newest} `, newest.slice(1), `${newest}=`, "%00"];
    for (const ask of [s.askPasswordLink, s.choosePassword]) {
      const answers = await Promise.all(
        invalid.map(async (secret) => {
          const { code, headers, body } = await ask(secret);
          return JSON.stringify([code, headers.getSetCookie(), body]);
        }),
      );
      expect([...new Set(answers)]).toEqual([expect.stringMatching(/^\[\d{3},\[\],.*"LINK_NOT_VALID"/)]);
    }
    expect((await s.choosePassword(newest)).code).toBe(200);
  });

  test("POST /identity/password LINK_NOT_VALID for a link that was used", async () => {
    const { id } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    expect((await s.choosePassword(secret)).code).toBe(200);
    const { code, body, headers } = await s.choosePassword(secret, "another good passphrase");
    expect([code, body.status, headers.getSetCookie()]).toEqual([LINK_NOT_VALID.code, "LINK_NOT_VALID", []]);
  });

  test("used by simultaneous requests works for exactly one of them, whose password is set", async () => {
    const { id, email } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    const passwords = Array.from({ length: 8 }, (_, count) => `a good passphrase ${count}`);
    const answers = await Promise.all(passwords.map((password) => s.choosePassword(secret, password)));
    const winners = answers.flatMap(({ code }, index) => (code === 200 ? [passwords[index] ?? ""] : []));
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ body }) => body.status === "LINK_NOT_VALID")).toHaveLength(7);
    const { code } = await s.page("POST", "/identity/sign-in", {
      body: { account: "acme", email, password: winners[0] },
    });
    expect(code).toBe(200);
  });

  test("also makes the agent's sign-in links invalid once a password was chosen", async () => {
    const { id, email } = await s.newAgent();
    const secret = secretOfLink((await s.createSignInLink({ email })).body.link);
    await s.choosePassword(await s.passwordSecret(id));
    expect(cookieOf((await s.useSignInLink(secret)).headers)).toBeUndefined();
  });

  test("of a deactivated agent signs nobody in", async () => {
    const { id } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const { code, body, headers } = await s.choosePassword(secret);
    expect(code).toBeGreaterThanOrEqual(400);
    expect([body.session, headers.getSetCookie()]).toEqual([undefined, []]);
  });

  test("of a deleted agent is not valid", async () => {
    const { id } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    await s.client.agents.deleteAgent({ params: { agent_id: id } });
    expect((await s.askPasswordLink(secret)).body.status).toBe("LINK_NOT_VALID");
    expect((await s.choosePassword(secret)).body.status).toBe("LINK_NOT_VALID");
  });

  test("of an agent with a second factor asks for it", async () => {
    const { id } = await s.newAgent();
    const secret = await s.passwordSecret(id);
    const first = await s.choosePassword(secret);
    const session = { cookie: cookieOf(first.headers) ?? "", token: first.body.session_token ?? "" };
    const begun = await s.page<{ secret: string }>("POST", "/identity/second-factor", {
      session,
      body: { current_password: PASSWORD },
    });
    const appCode = new TOTP({ secret: Secret.fromBase32(begun.body.secret) }).generate({
      timestamp: s.now(),
    });
    expect((await s.page("PUT", "/identity/second-factor", { session, body: { code: appCode } })).code).toBe(200);
    const { code, body, headers } = await s.choosePassword(
      await s.passwordSecret(id, "password-reset"),
      "another good passphrase",
    );
    expect([code, body.session, headers.getSetCookie()]).toEqual([200, undefined, []]);
    expect(body.challenge).toMatch(/^[\w-]{43}$/);
  });
});
