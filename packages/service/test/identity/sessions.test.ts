import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Session, SignInResult } from "@parley/contract";
import { PASSWORD, sessionHarness, type SessionHarness } from "./session-harness.ts";

let s: SessionHarness;
beforeAll(async () => {
  s = await sessionHarness();
});
afterAll(() => s.close());

test("GET /identity/session 200 is the session of the signed-in agent", async () => {
  const session = await s.signIn("olivia@acme.example");
  const { code, body } = await s.page<Session>("GET", "/identity/session", { session });
  expect([code, body.email, body.role, body.scope]).toEqual([200, "olivia@acme.example", "ACCOUNT_ADMIN", "Global"]);
  const users = await s.page<{ agents: object[] }>("GET", "/v2/agents", { session });
  expect([users.code, users.body.agents.length > 3]).toEqual([200, true]);
});

test("POST /identity/sign-in 200 signs in by password", async () => {
  await s.signIn("noah@acme.example");
  const right = { account: "acme", email: "Noah@acme.example", password: PASSWORD };
  const { code, body } = await s.page<SignInResult>("POST", "/identity/sign-in", { body: right });
  expect([code, body.session?.email]).toEqual([200, "noah@acme.example"]);
  const wrong = await s.page("POST", "/identity/sign-in", { body: { ...right, password: "wrong password" } });
  expect([wrong.code, wrong.body.status]).toEqual([401, "SIGN_IN_FAILED"]);
});
