import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { INTEGRATION, oauthFixture, type OAuthFixture } from "./oauth-fixture.ts";

const MINUTE = 60_000;
const BEGIN = "/oauth/provider/authorize";
const IN = { reply: expect.objectContaining({ status: 200, response: '{"you":"are in"}' }) };
const OUT = {
  failure: expect.objectContaining({
    status: 401,
    response: `Not authorised for Provider: authorise it again at ${BEGIN}`,
  }),
};

let fixture: OAuthFixture;
beforeAll(async () => {
  fixture = await oauthFixture({ provider: INTEGRATION, agents: { ...INTEGRATION, token_type: "agent" } });
});
beforeEach(() => {
  fixture.provider.behavior = { refreshes: true };
  fixture.provider.revokeAll();
  fixture.lines.length = 0;
});
afterAll(() => fixture.close());

const authorise = async (behave: Partial<typeof fixture.provider.behavior>) => {
  Object.assign(fixture.provider.behavior, behave);
  expect((await fixture.visitor().follow(BEGIN)).status).toBe(200);
  fixture.provider.forms.length = 0;
  fixture.provider.calls.length = 0;
};
const grants = () => fixture.provider.forms.map((form) => form.get("grant_type"));

describe("an OAuth token", () => {
  test.each([3600, "3600"])(
    "with a lifetime of %j seconds is renewed a minute before its end, and not earlier",
    async (expiresIn) => {
      await authorise({ expiresIn });
      fixture.advance(58 * MINUTE);
      expect(await fixture.call()).toEqual(IN);
      expect(grants()).toEqual([]);
      fixture.advance(1.5 * MINUTE);
      expect(await fixture.call()).toEqual(IN);
      expect(await fixture.call()).toEqual(IN);
      expect(grants()).toEqual(["refresh_token"]);
    },
  );

  test("that is rejected is renewed once, and the request is repeated", async () => {
    await authorise({});
    fixture.provider.revokeAccess();
    expect(await fixture.call()).toEqual({ reply: expect.objectContaining({ status: 200, attempts: 2 }) });
    expect(grants()).toEqual(["refresh_token"]);
    const [first, second] = fixture.provider.calls;
    expect(first?.authorization).not.toBe(second?.authorization);
  });

  test("that many requests need concurrently is renewed once", async () => {
    await authorise({ expiresIn: 30, slowMs: 50 });
    fixture.provider.behavior.expiresIn = 3600;
    expect(await Promise.all(Array.from({ length: 8 }, () => fixture.call()))).toEqual(Array(8).fill(IN));
    fixture.provider.revokeAccess();
    expect(await Promise.all(Array.from({ length: 8 }, () => fixture.call()))).toEqual(Array(8).fill(IN));
    expect(grants()).toEqual(["refresh_token", "refresh_token"]);
  });

  test("that can't be renewed requires a new authorization", async () => {
    await authorise({});
    fixture.provider.revokeAll();
    expect(await fixture.call()).toEqual(OUT);
    expect(await fixture.call()).toEqual(OUT);
    expect(grants()).toEqual(["refresh_token"]);
    await authorise({});
    expect(await fixture.call()).toEqual(IN);
  });

  test("without a refresh token is used until its end, and the app receives the API's error", async () => {
    await authorise({ refreshes: false, expiresIn: 3600 });
    fixture.advance(59.5 * MINUTE);
    expect(await fixture.call()).toEqual(IN);
    fixture.provider.revokeAccess();
    expect(await fixture.call()).toEqual({
      failure: expect.objectContaining({ response: '{"error":"invalid_token"}' }),
    });
    fixture.advance(MINUTE);
    expect(await fixture.call()).toEqual(OUT);
  });

  test("is kept while the provider is temporarily unavailable", async () => {
    await authorise({ expiresIn: 30 });
    fixture.provider.behavior = { refreshes: true, tokenStatus: 503 };
    expect(await fixture.call()).toEqual({
      failure: expect.objectContaining({ status: 502, response: "token_url answered 503" }),
    });
    fixture.provider.behavior = { refreshes: true };
    expect(await fixture.call()).toEqual(IN);
  });

  test("is sent with a template that names the integration without isOAuth", async () => {
    await authorise({});
    expect(await fixture.call("named")).toEqual(IN);
  });

  test("of an agent is unavailable without an agent", async () => {
    expect(await fixture.call("other")).toEqual({
      failure: expect.objectContaining({
        status: 401,
        response: "Provider is authorised by each agent, and no agent asks here",
      }),
    });
  });
});

test("tokens, codes and secrets never appear in the log", async () => {
  await authorise({ expiresIn: 30 });
  fixture.provider.revokeAll();
  expect(await fixture.call()).toEqual(OUT);
  expect(fixture.lines.join("\n")).toContain("The token for provider could not be renewed: invalid_grant");
  expect(fixture.lines.join("\n")).not.toContain("canary");
});
