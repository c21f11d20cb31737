import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { fromAddress, linkHarness, type LinkHarness } from "./link-harness.ts";
import { cookieOf, PASSWORD, type PageRequest } from "./session-harness.ts";

/** Links that sign in, and guesses of links. */

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

describe("a link that signs in", () => {
  test("works once, also for simultaneous requests", async () => {
    const secret = await s.signInSecret((await s.newAgent()).email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => s.useSignInLink(secret)));
    expect(answers.filter(({ headers }) => cookieOf(headers) !== undefined)).toHaveLength(1);
    expect(cookieOf((await s.useSignInLink(secret)).headers)).toBeUndefined();
  });

  test("works until 15 minutes are over", async () => {
    const { email } = await s.newAgent();
    const [inTime, late] = [await s.signInSecret(email), await s.signInSecret(email)];
    s.advance(14 * MINUTE_MS);
    expect(cookieOf((await s.useSignInLink(inTime)).headers)).toBeDefined();
    s.advance(2 * MINUTE_MS);
    expect(cookieOf((await s.useSignInLink(late)).headers)).toBeUndefined();
  });

  test("is none of the other links, and none of them is one", async () => {
    const { id, email } = await s.newAgent();
    const secret = await s.signInSecret(email);
    expect((await s.askPasswordLink(secret)).body.status).toBe("LINK_NOT_VALID");
    expect((await s.choosePassword(secret)).body.status).toBe("LINK_NOT_VALID");
    const invitation = await s.passwordSecret(id);
    expect(cookieOf((await s.useSignInLink(invitation)).headers)).toBeUndefined();
    expect(cookieOf((await s.useSignInLink(secret)).headers)).toBeDefined();
    expect((await s.choosePassword(invitation)).code).toBe(200);
  });

  test.each(["deactivated", "deleted"])("of a %s agent signs nobody in", async (state) => {
    const { id, email } = await s.newAgent();
    const secret = await s.signInSecret(email);
    if (state === "deleted") await s.client.agents.deleteAgent({ params: { agent_id: id } });
    else await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { is_deactivated: true });
    const reply = await s.useSignInLink(secret);
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
      statuses.push((await ask(String(count).padStart(43, "x"), fromAddress(address))).body.status);
    return [statuses[0], statuses.at(-2), statuses.at(-1)];
  };
  const REFUSED = ["LINK_NOT_VALID", "LINK_NOT_VALID", "TOO_MANY_SIGN_INS"];

  test("POST /identity/password-link TOO_MANY_SIGN_INS after a hundred guesses from one address, also for a valid link", async () => {
    expect(await guessUntilRefused(s.askPasswordLink, "203.0.113.50")).toEqual(REFUSED);
    const secret = await s.passwordSecret((await s.newAgent()).id);
    expect((await s.askPasswordLink(secret, fromAddress("203.0.113.50"))).body.status).toBe("TOO_MANY_SIGN_INS");
    expect((await s.askPasswordLink(secret, fromAddress("203.0.113.51"))).code).toBe(200);
  });

  test("POST /identity/password TOO_MANY_SIGN_INS after a hundred guesses from one address", async () => {
    expect(
      await guessUntilRefused((secret, asked) => s.choosePassword(secret, PASSWORD, asked), "203.0.113.52"),
    ).toEqual(REFUSED);
  });
});
