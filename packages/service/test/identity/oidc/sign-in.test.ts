import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Session } from "@parley/contract";
import {
  CookieJar,
  oidcHarness,
  sessionTokenOf,
  SESSION_COOKIE_NAME,
  type OidcHarness,
} from "./oidc-harness.ts";

let s: OidcHarness;
beforeAll(async () => {
  s = await oidcHarness();
});
afterAll(() => s.close());

test("x", async () => {
  s.provider.people.set("u1", { email: "Olivia@acme.example", email_verified: true });
  const jar = new CookieJar();
  const page = await s.signInBy("u1", { jar });
  console.log(page, s.logLines, s.provider.requests);
  expect(sessionTokenOf(page)).toMatch(/^[\w-]{43}$/);
});
