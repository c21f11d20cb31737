import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { LINK_NOT_VALID, type Agent, type IssuedLink, type SignInResult } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { Secret, TOTP } from "otpauth";
import { realPorts, SERVICE_SCHEMA } from "../../src/index.ts";
import {
  cookieOf,
  PASSWORD,
  secretOfLink,
  sessionHarness,
  type PageRequest,
  type SessionHarness,
} from "./session-harness.ts";

/** Links for choosing a password and for signing in, without a mail server. */

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;

const AUDIT_ENTRIES = statement("", "select action, l::text as entry from audit_log l where subject = $1");

let s: SessionHarness;
let offsetMs = 0;
beforeAll(async () => {
  s = await sessionHarness({
    ports: { now: () => new Date(realPorts.now().getTime() + offsetMs) },
    config: { trustedProxies: ["127.0.0.1"] },
  });
});
afterAll(() => s.close());
beforeEach(() => {
  offsetMs += WINDOW_MS;
});

let agentCount = 0;
const newAgent = (): Promise<Agent> =>
  s.client.agents.createAgent({ body: { email: `agent${agentCount++}@acme.example` } }) as Promise<Agent>;

type LinkKind = "invitation" | "password-reset";
const issue = (id: string, kind: LinkKind = "invitation", account = "acme") =>
  s.adminRequest<IssuedLink & { link: string }>("POST", `/admin/accounts/${account}/agents/${id}/${kind}`);
const secretFor = async (id: string, kind: LinkKind = "invitation"): Promise<string> =>
  secretOfLink((await issue(id, kind)).body.link);
const signInLink = (body: object = {}, account = "acme") =>
  s.adminRequest<{ link: string; agent_id: string; email: string; expires_time: string }>(
    "POST",
    `/admin/accounts/${account}/sign-in-links`,
    body,
  );
const question = (token: string, asked: PageRequest = {}) =>
  s.page<{ account: string; email: string; purpose: string; expires_time: string }>("POST", "/identity/password-link", {
    ...asked,
    body: { token },
  });
const choose = (token: string, password = PASSWORD, asked: PageRequest = {}) =>
  s.page<SignInResult>("POST", "/identity/password", { ...asked, body: { token, password } });
const from = (address: string): PageRequest => ({ headers: { "x-forwarded-for": address } });
/** The form of a sign-in link's page. */
const useSignInLink = (secret: string) =>
  fetch(`${s.origin}/sign-in/link`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: s.origin },
    body: new URLSearchParams({ secret }),
  });
/** Rows of a query of the service's database. */
const rowsOf = async <T extends object>(...query: Parameters<Pool["rows"]>): Promise<T[]> => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    return await pool.rows<T>(...query);
  } finally {
    await pool.end();
  }
};
const minutesUntil = (time: string): number => (Date.parse(time) - Date.now() - offsetMs) / MINUTE_MS;

describe("links of the admin API", () => {
  const expectLink = async (kind: LinkKind, minutes: number): Promise<void> => {
    const { id, email } = await newAgent();
    const { code, body } = await issue(id, kind);
    expect([code, body.is_sent, body.email]).toEqual([201, false, email]);
    expect(body.link).toMatch(new RegExp(`^${s.origin}/sign-in/password#[\\w-]{43}$`));
    expect(minutesUntil(body.expires_time)).toBeGreaterThan(minutes - 1);
    expect(minutesUntil(body.expires_time)).toBeLessThanOrEqual(minutes);
  };
  const expectNotFound = async (kind: LinkKind, account: string, status: string): Promise<void> => {
    for (const id of ["none", "00000000-0000-4000-8000-000000000000", (await newAgent()).id]) {
      const { code, body } = await issue(id, kind, account);
      expect([code, body.status]).toEqual([404, status]);
    }
  };

  test("POST /admin/accounts/{account}/agents/{agent_id}/invitation 201 returns a link that is valid for seven days", () =>
    expectLink("invitation", 7 * 24 * 60));
  test("POST /admin/accounts/{account}/agents/{agent_id}/invitation ACCOUNT_NOT_FOUND for an unknown account", () =>
    expectNotFound("invitation", "none", "ACCOUNT_NOT_FOUND"));
  test("POST /admin/accounts/{account}/agents/{agent_id}/invitation AGENT_NOT_FOUND for unknown agents and those of another account", () =>
    expectNotFound("invitation", "solo", "AGENT_NOT_FOUND"));

  test("POST /admin/accounts/{account}/agents/{agent_id}/password-reset 201 returns a link that is valid for an hour", () =>
    expectLink("password-reset", 60));
  test("POST /admin/accounts/{account}/agents/{agent_id}/password-reset ACCOUNT_NOT_FOUND for an unknown account", () =>
    expectNotFound("password-reset", "none", "ACCOUNT_NOT_FOUND"));
  test("POST /admin/accounts/{account}/agents/{agent_id}/password-reset AGENT_NOT_FOUND for unknown agents and those of another account", () =>
    expectNotFound("password-reset", "solo", "AGENT_NOT_FOUND"));

  test("POST /admin/accounts/{account}/sign-in-links 201 for the named agent, or the first account admin", async () => {
    const { id, email } = await newAgent();
    const named = await signInLink({ email: email.toUpperCase() });
    expect([named.code, named.body.agent_id, named.body.email]).toEqual([201, id, email]);
    expect(named.body.link).toMatch(new RegExp(`^${s.origin}/sign-in/link/[\\w-]{43}$`));
    expect(minutesUntil(named.body.expires_time)).toBeGreaterThan(14);
    expect(minutesUntil(named.body.expires_time)).toBeLessThanOrEqual(15);
    expect((await signInLink()).body.email).toBe("olivia@acme.example");
  });

  test("POST /admin/accounts/{account}/sign-in-links ACCOUNT_NOT_FOUND for an unknown account", async () => {
    const { code, body } = await signInLink({}, "none");
    expect([code, body.status]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
  });

  test("POST /admin/accounts/{account}/sign-in-links AGENT_NOT_FOUND for an unknown, a deactivated and another account's agent", async () => {
    const { id, email } = await newAgent();
    expect((await signInLink({ email })).code).toBe(201);
    expect((await signInLink({ email }, "solo")).body.status).toBe("AGENT_NOT_FOUND");
    expect((await signInLink({ email: "nobody@acme.example" })).body.status).toBe("AGENT_NOT_FOUND");
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const { code, body } = await signInLink({ email });
    expect([code, body.status]).toEqual([404, "AGENT_NOT_FOUND"]);
  });

  test("are recorded in the audit log without their secret", async () => {
    const { id, email } = await newAgent();
    const secrets = [
      await secretFor(id),
      await secretFor(id, "password-reset"),
      secretOfLink((await signInLink({ email })).body.link),
    ];
    const entries = await rowsOf<{ action: string; entry: string }>(AUDIT_ENTRIES, [id]);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["agent.invite", "agent.reset_password", "agent.sign_in_link"]),
    );
    expect(entries.filter(({ entry }) => secrets.some((secret) => entry.includes(secret)))).toEqual([]);
  });
});

describe("a link for choosing a password", () => {
  test("POST /identity/password-link 200 tells whose password it sets, and does not use it", async () => {
    const { id, email } = await newAgent();
    const secret = await secretFor(id);
    for (let count = 0; count < 3; count++) {
      const { code, body } = await question(secret);
      expect([code, body.account, body.email, body.purpose]).toEqual([200, "acme", email, "invitation"]);
      expect(minutesUntil(body.expires_time)).toBeGreaterThan(7 * 24 * 60 - 1);
    }
    expect((await choose(secret)).code).toBe(200);
    expect((await question(await secretFor(id, "password-reset"))).body.purpose).toBe("password_reset");
  });

  test("POST /identity/password 200 sets the password, signs in and ends the agent's other sessions", async () => {
    const { id, email } = await newAgent();
    const first = await choose(await secretFor(id));
    const session = { cookie: cookieOf(first.headers) ?? "", token: first.body.session_token ?? "" };
    expect((await s.page("GET", "/identity/session", { session })).code).toBe(200);
    const { code, body } = await choose(await secretFor(id, "password-reset"), "another good passphrase");
    expect([code, body.session?.email, body.session?.method]).toEqual([200, email, "password"]);
    expect((await s.page("GET", "/identity/session", { session })).code).toBe(401);
    const signIn = (password: string) =>
      s.page("POST", "/identity/sign-in", { body: { account: "acme", email, password } });
    expect([(await signIn(PASSWORD)).code, (await signIn("another good passphrase")).code]).toEqual([401, 200]);
  });

  test("POST /identity/password PASSWORD_NOT_ACCEPTED for a weak password; the link stays valid", async () => {
    const { id, email } = await newAgent();
    const secret = await secretFor(id);
    for (const password of ["short", "password123", "aaaaaaaaaaaa", email, "x".repeat(257)]) {
      const { code, body, headers } = await choose(secret, password);
      expect([code, body.status, headers.getSetCookie()]).toEqual([400, "PASSWORD_NOT_ACCEPTED", []]);
    }
    expect((await choose(secret)).code).toBe(200);
  });

  test.each([
    ["invitation", 7 * 24 * 60],
    ["password-reset", 60],
  ] as const)("of %s is valid until its expiry, and not after", async (kind, minutes) => {
    const { id } = await newAgent();
    const secret = await secretFor(id, kind);
    offsetMs += (minutes - 1) * MINUTE_MS;
    expect((await question(secret)).code).toBe(200);
    offsetMs += 2 * MINUTE_MS;
    expect((await question(secret)).body.status).toBe("LINK_NOT_VALID");
    expect((await choose(secret)).body.status).toBe("LINK_NOT_VALID");
  });

  test("POST /identity/password-link LINK_NOT_VALID with the same answer for every invalid link, as POST /identity/password", async () => {
    const { id } = await newAgent();
    const used = await secretFor(id);
    await choose(used);
    const replaced = await secretFor(id);
    const newest = await secretFor(id, "password-reset");
    const signIn = secretOfLink((await signInLink()).body.link);
    const invalid = [used, replaced, signIn, "x", "x".repeat(43), `${newest} `, newest.slice(1), `${newest}=`, "%00"];
    for (const ask of [question, choose]) {
      const answers = await Promise.all(
        invalid.map(async (secret) => {
          const { code, headers, body } = await ask(secret);
          return JSON.stringify([code, headers.getSetCookie(), body]);
        }),
      );
      expect([...new Set(answers)]).toEqual([expect.stringMatching(/^\[\d{3},\[\],.*"LINK_NOT_VALID"/)]);
    }
    expect((await choose(newest)).code).toBe(200);
  });

  test("POST /identity/password LINK_NOT_VALID for a link that was used", async () => {
    const { id } = await newAgent();
    const secret = await secretFor(id);
    expect((await choose(secret)).code).toBe(200);
    const { code, body, headers } = await choose(secret, "another good passphrase");
    expect([code, body.status, headers.getSetCookie()]).toEqual([LINK_NOT_VALID.code, "LINK_NOT_VALID", []]);
  });

  test("used by simultaneous requests works for exactly one of them, whose password is set", async () => {
    const { id, email } = await newAgent();
    const secret = await secretFor(id);
    const passwords = Array.from({ length: 8 }, (_, count) => `a good passphrase ${count}`);
    const answers = await Promise.all(passwords.map((password) => choose(secret, password)));
    const winners = answers.flatMap(({ code }, index) => (code === 200 ? [passwords[index] ?? ""] : []));
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ body }) => body.status === "LINK_NOT_VALID")).toHaveLength(7);
    const { code } = await s.page("POST", "/identity/sign-in", {
      body: { account: "acme", email, password: winners[0] },
    });
    expect(code).toBe(200);
  });

  test("also makes the agent's sign-in links invalid once a password was chosen", async () => {
    const { id, email } = await newAgent();
    const secret = secretOfLink((await signInLink({ email })).body.link);
    await choose(await secretFor(id));
    expect(cookieOf((await useSignInLink(secret)).headers)).toBeUndefined();
  });

  test("of a deactivated agent signs nobody in", async () => {
    const { id } = await newAgent();
    const secret = await secretFor(id);
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const { code, body, headers } = await choose(secret);
    expect(code).toBeGreaterThanOrEqual(400);
    expect([body.session, headers.getSetCookie()]).toEqual([undefined, []]);
  });

  test("of a deleted agent is not valid", async () => {
    const { id } = await newAgent();
    const secret = await secretFor(id);
    await s.client.agents.deleteAgent({ params: { agent_id: id } });
    expect((await question(secret)).body.status).toBe("LINK_NOT_VALID");
    expect((await choose(secret)).body.status).toBe("LINK_NOT_VALID");
  });

  test("of an agent with a second factor asks for it", async () => {
    const { id } = await newAgent();
    const secret = await secretFor(id);
    const first = await choose(secret);
    const session = { cookie: cookieOf(first.headers) ?? "", token: first.body.session_token ?? "" };
    const begun = await s.page<{ secret: string }>("POST", "/identity/second-factor", {
      session,
      body: { current_password: PASSWORD },
    });
    const appCode = new TOTP({ secret: Secret.fromBase32(begun.body.secret) }).generate({
      timestamp: Date.now() + offsetMs,
    });
    expect((await s.page("PUT", "/identity/second-factor", { session, body: { code: appCode } })).code).toBe(200);
    const { code, body, headers } = await choose(await secretFor(id, "password-reset"), "another good passphrase");
    expect([code, body.session, headers.getSetCookie()]).toEqual([200, undefined, []]);
    expect(body.challenge).toMatch(/^[\w-]{43}$/);
  });
});

describe("a link that signs in", () => {
  const newSecret = async (email: string) => secretOfLink((await signInLink({ email })).body.link);

  test("works once, also for simultaneous requests", async () => {
    const secret = await newSecret((await newAgent()).email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => useSignInLink(secret)));
    expect(answers.filter(({ headers }) => cookieOf(headers) !== undefined)).toHaveLength(1);
    expect(cookieOf((await useSignInLink(secret)).headers)).toBeUndefined();
  });

  test("works until 15 minutes are over", async () => {
    const { email } = await newAgent();
    const [inTime, late] = [await newSecret(email), await newSecret(email)];
    offsetMs += 14 * MINUTE_MS;
    expect(cookieOf((await useSignInLink(inTime)).headers)).toBeDefined();
    offsetMs += 2 * MINUTE_MS;
    expect(cookieOf((await useSignInLink(late)).headers)).toBeUndefined();
  });

  test("is none of the other links, and none of them is one", async () => {
    const { id, email } = await newAgent();
    const secret = await newSecret(email);
    expect((await question(secret)).body.status).toBe("LINK_NOT_VALID");
    expect((await choose(secret)).body.status).toBe("LINK_NOT_VALID");
    const invitation = await secretFor(id);
    expect(cookieOf((await useSignInLink(invitation)).headers)).toBeUndefined();
    expect(cookieOf((await useSignInLink(secret)).headers)).toBeDefined();
    expect((await choose(invitation)).code).toBe(200);
  });

  test.each(["deactivated", "deleted"])("of a %s agent signs nobody in", async (state) => {
    const { id, email } = await newAgent();
    const secret = await newSecret(email);
    if (state === "deleted") await s.client.agents.deleteAgent({ params: { agent_id: id } });
    else await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const reply = await useSignInLink(secret);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(cookieOf(reply.headers)).toBeUndefined();
  });
});

describe("guessing links", () => {
  const guessUntilRefused = async (
    ask: (secret: string, asked: PageRequest) => Promise<{ body: { status?: string } }>,
    address: string,
  ) => {
    const statuses: (string | undefined)[] = [];
    for (let count = 0; count < 101; count++)
      statuses.push((await ask(String(count).padStart(43, "x"), from(address))).body.status);
    return [statuses[0], statuses.at(-2), statuses.at(-1)];
  };
  const REFUSED = ["LINK_NOT_VALID", "LINK_NOT_VALID", "TOO_MANY_SIGN_INS"];

  test("POST /identity/password-link TOO_MANY_SIGN_INS after a hundred guesses from one address, also for a valid link", async () => {
    expect(await guessUntilRefused(question, "203.0.113.50")).toEqual(REFUSED);
    const secret = await secretFor((await newAgent()).id);
    expect((await question(secret, from("203.0.113.50"))).body.status).toBe("TOO_MANY_SIGN_INS");
    expect((await question(secret, from("203.0.113.51"))).code).toBe(200);
  });

  test("POST /identity/password TOO_MANY_SIGN_INS after a hundred guesses from one address", async () => {
    expect(await guessUntilRefused((secret, asked) => choose(secret, PASSWORD, asked), "203.0.113.52")).toEqual(
      REFUSED,
    );
  });
});
