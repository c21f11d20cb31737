import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../src/index.ts";
import { linkHarness, type LinkHarness } from "./link-harness.ts";
import { secretOfLink } from "./session-harness.ts";

/** Links that the admin API issues, without a mail server. */

const AUDIT_ENTRIES = statement("", "select action, l::text as entry from audit_log l where subject = $1");

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

describe("links of the admin API", () => {
  const expectLink = async (kind: "invitation" | "password-reset", minutes: number): Promise<void> => {
    const { id, email } = await s.newAgent();
    const { code, body } = await s.issue(id, kind);
    expect([code, body.is_sent, body.email]).toEqual([201, false, email]);
    expect(body.link).toMatch(new RegExp(`^${s.origin}/sign-in/password#[\\w-]{43}$`));
    expect(minutesUntil(body.expires_time)).toBeGreaterThan(minutes - 1);
    expect(minutesUntil(body.expires_time)).toBeLessThanOrEqual(minutes);
  };
  const expectNotFound = async (
    kind: "invitation" | "password-reset",
    account: string,
    status: string,
  ): Promise<void> => {
    for (const id of ["none", "00000000-0000-4000-8000-000000000000", (await s.newAgent()).id]) {
      const { code, body } = await s.issue(id, kind, account);
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
    const { id, email } = await s.newAgent();
    const named = await s.createSignInLink({ email: email.toUpperCase() });
    expect([named.code, named.body.agent_id, named.body.email]).toEqual([201, id, email]);
    expect(named.body.link).toMatch(new RegExp(`^${s.origin}/sign-in/link/[\\w-]{43}$`));
    expect(minutesUntil(named.body.expires_time)).toBeGreaterThan(14);
    expect(minutesUntil(named.body.expires_time)).toBeLessThanOrEqual(15);
    expect((await s.createSignInLink()).body.email).toBe("olivia@acme.example");
  });

  test("POST /admin/accounts/{account}/sign-in-links ACCOUNT_NOT_FOUND for an unknown account", async () => {
    const { code, body } = await s.createSignInLink({}, "none");
    expect([code, body.status]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
  });

  test("POST /admin/accounts/{account}/sign-in-links AGENT_NOT_FOUND for an unknown, a deactivated and another account's agent", async () => {
    const { id, email } = await s.newAgent();
    expect((await s.createSignInLink({ email })).code).toBe(201);
    expect((await s.createSignInLink({ email }, "solo")).body.status).toBe("AGENT_NOT_FOUND");
    expect((await s.createSignInLink({ email: "nobody@acme.example" })).body.status).toBe("AGENT_NOT_FOUND");
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const { code, body } = await s.createSignInLink({ email });
    expect([code, body.status]).toEqual([404, "AGENT_NOT_FOUND"]);
  });

  test("are recorded in the audit log without their secret", async () => {
    const { id, email } = await s.newAgent();
    const secrets = [
      await s.passwordSecret(id),
      await s.passwordSecret(id, "password-reset"),
      secretOfLink((await s.createSignInLink({ email })).body.link),
    ];
    const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
    const entries = await pool.rows<{ action: string; entry: string }>(AUDIT_ENTRIES, [id]);
    await pool.end();
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["agent.invite", "agent.reset_password", "agent.sign_in_link"]),
    );
    expect(entries.filter(({ entry }) => secrets.some((secret) => entry.includes(secret)))).toEqual([]);
  });
});
