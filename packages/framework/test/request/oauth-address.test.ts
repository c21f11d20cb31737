import { describe, expect, test } from "@jest/globals";
import { urlOf } from "@parley/contract";
import { oauthClientOf } from "../../src/request/oauth/integration.ts";

describe("an OAuth URL", () => {
  const integration = {
    client_id: "a",
    client_secret: "b",
    authorize_url: "https://<%= oauth_iparams.shop %>.shops.example/authorize",
    token_url: "https://<%= oauth_iparams.shop %>.shops.example/token?of=<%= oauth_iparams.shop %>",
  };

  test("contains a typed value as a part of its host name", () => {
    expect(oauthClientOf(integration, { shop: "my.shop" }).tokenUrl).toBe(
      "https://my.shop.shops.example/token?of=my.shop",
    );
  });

  test.each([
    "attacker.example/",
    "attacker.example?",
    "attacker.example#",
    "attacker.example\\",
    "a@attacker.example:80/",
    "%2f",
  ])("is rejected if the value would end the host name: %s", (shop) => {
    expect(() => oauthClientOf(integration, { shop })).toThrow("the typed text is not part of a host name");
    // No other check keeps the client secret from that host.
    const naive = urlOf(integration.token_url.replaceAll("<%= oauth_iparams.shop %>", shop))?.hostname ?? "";
    expect(naive.endsWith(".shops.example") && shop !== "%2f").toBe(false);
  });
});
