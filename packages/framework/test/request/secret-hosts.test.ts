import { beforeEach, describe, expect, test } from "@jest/globals";
import { type IparamsConfig, type RequestTemplate } from "@parley/contract";
import fc from "fast-check";
import { RequestRejected } from "../../src/request/request-method.ts";
import {
  mayReceiveSecrets,
  newSecretHost,
  storedValues,
  type HostsInFiles,
  type NameScope,
} from "../../src/request/secret-hosts.ts";
import { installation, requestFixture, SECRET, verb } from "./request-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const fixture = fileFixture(requestFixture);
beforeEach(() => void fixture.received.splice(0));

const SUFFIX = ".parley.localhost";
const headers = { Authorization: "<%= iparam.api_key %>" };
const template = (host: string): Record<string, RequestTemplate> => ({
  ask: { schema: { method: "GET", host, headers } },
});
const stored = {
  domain: "acme.parley.localhost",
  host: "own.example",
  name: "Robo",
  shop: "myshop",
  site: "https://site.example:8443/a",
};
const installed = { ...installation, values: stored };

/** Returns the secret that the server received, or undefined if the request was rejected. */
const sent = async (request: Promise<unknown>): Promise<string | undefined> => {
  const before = fixture.received.length;
  const refused = await request.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refused !== undefined && !(refused instanceof RequestRejected)) throw refused as Error;
  return fixture.received[before]?.headers.authorization;
};

describe.each(["server", "page", "app"] as const)("a template's request by the %s", (origin) => {
  const send = (host: string, context: Record<string, unknown> = {}, values?: Record<string, string>) =>
    sent(
      fixture.method({ requests: template(host) }).invokeTemplate({
        name: "ask",
        options: { context },
        origin,
        installation: installed,
        ...(values && { values }),
      }),
    );

  test.each<[string, Record<string, unknown>]>([
    ["api.example", {}],
    ["API.example", {}],
    ["<%= iparam.host %>", {}],
    ["<%= iparam.shop %>.shops.example", {}],
    ["<%= iparam.shop %>.<%= iparam.host %>", {}],
    ["<%= iparam.name == 'Robo' ? 'eu.example' : 'us.example' %>", {}],
  ])("sends the secret to a host from the files or from stored values: %s", async (host, context) => {
    expect(await send(host, context)).toBe(SECRET);
  });

  if (origin !== "app")
    test.each<[string, Record<string, unknown>]>([
      ["<%= context.h %>", { h: "own.example" }],
      ["<%= context.h %>", { h: "OWN.example" }],
      ["<%= context.h %>.shops.example", { h: "myshop" }],
    ])("sends it where context equals the stored value: %s, %j", async (host, context) => {
      expect(await send(host, context)).toBe(SECRET);
    });

  test.each<[string, Record<string, unknown>]>([
    ["<%= context.h %>", { h: "robo.attacker.example" }],
    ["<%= context.h %>", { h: "myshop.attacker.example" }],
    ["<%= context.h %>", { h: "own.example.attacker.example" }],
    ["<%= context.h %>", { h: "xown.example" }],
    ["<%= context.h %>", { h: "own.example." }],
    ["<%= context.h %>", { h: "own.example@attacker.example" }],
    ["<%= context.h %>", { h: "own.example%2eattacker.example" }],
    ["<%= context.h %>", { h: "attacker.example\\own.example" }],
    ["<%= context.h %>", { h: "attacker.example/own.example" }],
    ["<%= context.h %>", { h: "attacker.example#.own.example" }],
    ["<%= context.h %>", { h: "öwn.example" }],
    ["<%= context.h %>", { h: "xn--wn-fka.example" }],
    ["<%= context.h %>.shops.example", { h: "robo.attacker.example/" }],
    ["<%= context.h %>.shops.example", { h: "other" }],
    ["<%= context.a %><%= context.b %>", { a: "own", b: ".example" }],
  ])("sends no secret elsewhere: %s, %j", async (host, context) => {
    expect(await send(host, context)).toBeUndefined();
    expect(fixture.received.map((one) => one.headers.authorization)).not.toContain(SECRET);
  });
});

describe("a request of the installation page", () => {
  const send = (host: string, values: Record<string, string>) =>
    sent(
      fixture.method({ requests: template(host) }).invokeTemplate({
        name: "ask",
        options: {},
        origin: "page",
        installation: installed,
        values: { ...stored, ...values },
      }),
    );

  test("sends typed secrets to the typed host and stored secrets to the stored host", async () => {
    expect(await send("<%= iparam.host %>", { host: "typed.example" })).toBeUndefined();
    expect(await send("<%= iparam.host %>", { host: "typed.example", api_key: "typed" })).toBe("typed");
    expect(await send("<%= iparam.host %>", {})).toBe(SECRET);
  });

  test("would send the stored secret to any host without this rule", async () => {
    // The same host and values, checked as if the typed values were stored.
    const files = { requests: template("<%= iparam.host %>") };
    const to = { host: "typed.example", template: { host: "<%= iparam.host %>", context: {} } };
    expect(mayReceiveSecrets(to, files, storedValues({ ...stored, host: "typed.example" }, undefined, SUFFIX))).toBe(
      true,
    );
    expect(mayReceiveSecrets(to, files, storedValues(stored, undefined, SUFFIX))).toBe(false);
    const contextTemplate = template("<%= context.h %>");
    const open = { ask: { schema: { method: "GET" as const, host: "<%= context.h %>" } } };
    for (const requests of [contextTemplate, open])
      await sent(
        fixture.method({ requests }).invokeTemplate({
          name: "ask",
          options: { context: { h: "robo.attacker.example" } },
          origin: "page",
          installation: installed,
          values: stored,
        }),
      );
    // The host is reachable: only the tested rule keeps the secret from it.
    expect(fixture.received.map((one) => [one.headers.host, one.headers.authorization])).toEqual([
      ["robo.attacker.example", undefined],
    ]);
  });
});

describe("a verb's request", () => {
  const entries = [
    "https://api.example",
    "https://*.shops.example",
    "https://<%= iparam.host %>",
    "https://*.example",
    "https://site.example:8443",
  ];
  const old = () => fixture.method({ platformVersion: "2.2", whitelistedDomains: entries });
  const send = (url: string) => sent(old().fetch(verb("get", url, { headers }, { installation: installed })));

  test.each([
    "https://api.example/x",
    "https://API.EXAMPLE/x",
    "https://own.example/",
    "https://<%= iparam.host %>/",
    "https://myshop.shops.example/",
    "https://<%= iparam.shop %>.shops.example/",
    "https://user:password@api.example/",
    "https://site.example:8443/",
    "https://api.example\\.attacker.example/",
  ])("sends the secret to %s", async (url) => {
    expect([await send(url)].filter((got) => got !== SECRET && got !== undefined)).toEqual([]);
    for (const { headers: got } of fixture.received)
      expect(["api.example", "own.example", "myshop.shops.example", "site.example:8443"]).toContain(got.host);
    if (!url.includes("@") && !url.includes("\\")) expect(fixture.received[0]?.headers.authorization).toBe(SECRET);
  });

  test.each([
    "https://other.shops.example/",
    "https://robo.attacker.example/",
    "https://myshop.attacker.shops.example/",
    "https://own.example.attacker.example/",
    "https://api.example@attacker.example/",
    "https://api%2eexample.attacker.example/",
    "https://attacker.example\\@api.example/",
    "https://api.example./",
    "https://api.example:8443/",
    "https://site.example/",
    "https://xn--pi-iia.example/",
  ])("sends no secret to %s, though a wildcard allows the host", async (url) => {
    await send(url);
    expect(fixture.received.map((one) => one.headers.authorization)).not.toContain(SECRET);
  });
});

test("for any context and URL, a secret reaches only hosts from the files or stored values", async () => {
  // Stored names, to which the files append ".example".
  const names = [...Object.values(stored).slice(0, 4), "outbound.parley.localhost"].map((name) => name.toLowerCase());
  const good = new Set(["api.example", "own.example", "site.example:8443", ...names.map((name) => `${name}.example`)]);
  const part = fc.constantFrom(
    ..."own example . robo myshop @ / \\ %2e : 8443 # ? api attacker shops ö .. * <%= // -".split(" "),
  );
  const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
  const requests = {
    ...template("<%= context.h %>"),
    more: { schema: { method: "GET" as const, host: "<%= context.h %>.example", headers } },
  };
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom("ask", "more"), async (h, name) => {
      fixture.received.length = 0;
      const by = { origin: "page" as const, installation: installed, values: stored };
      await sent(fixture.method({ requests }).invokeTemplate({ name, options: { context: { h } }, ...by }));
      const method = fixture.method({
        platformVersion: "2.2",
        whitelistedDomains: ["https://api.example", "https://*.example"],
      });
      await sent(method.fetch(verb("get", `https://${h}.example/`, { headers }, by)));
      for (const { headers: got } of fixture.received)
        if (got.authorization === SECRET) expect(good).toContain(got.host);
    }),
    { numRuns: 1_000 },
  );
});

describe("a stored secret must be entered again", () => {
  const before = storedValues(stored, "acme.parley.localhost", SUFFIX);
  const files = (host: string, whitelistedDomains?: string[]): HostsInFiles => ({
    requests: template(host),
    ...(whitelistedDomains && { whitelistedDomains }),
  });
  const host = (of: HostsInFiles, change: Record<string, string>, key = "api_key") =>
    newSecretHost(
      key,
      of,
      before,
      storedValues({ ...stored, ...change }, change["domain"] ?? "acme.parley.localhost", SUFFIX),
    );

  test.each<[string, HostsInFiles, Record<string, string>, string]>([
    ["another host", files("<%= iparam.host %>"), { host: "new.example" }, "new.example"],
    ["another part of a host", files("<%= iparam.shop %>.shops.example"), { shop: "other" }, "other.shops.example"],
    [
      "another account",
      files("<%= current_host.endpoint_urls.chat %>"),
      { domain: "other.parley.localhost" },
      "other.parley.localhost",
    ],
    [
      "another account, whose API verbs may always request",
      files("api.example", []),
      { domain: "other.parley.localhost" },
      "other.parley.localhost",
    ],
    ["a value that context may repeat", files("<%= context.h %>"), { name: "new.example" }, "new.example"],
    [
      "a value that a wildcard may match",
      files("api.example", ["*.shops.example"]),
      { name: "Other" },
      "other.shops.example",
    ],
  ])("if it could be sent to a new host by %s", (_title, of, change, expected) => {
    expect(host(of, change)).toBe(expected);
  });

  test.each<[string, HostsInFiles, Record<string, string>]>([
    ["nothing", files("<%= iparam.host %>"), {}],
    ["no host", files("<%= iparam.host %>"), { name: "new.example" }],
    ["only the spelling", files("<%= iparam.host %>"), { host: "OWN.example" }],
    ["a value that forms no host by itself", files("<%= context.h %>"), { name: "Other" }],
    [
      "a value that becomes a host from the files",
      files("api.example", ["<%= iparam.host %>"]),
      { host: "api.example" },
    ],
  ])("and not if %s changes", (_title, of, change) => {
    expect(host(of, change)).toBeUndefined();
  });

  test("but not as an account's key for a URL that is not a domain", () => {
    const iparams: IparamsConfig = { site: { display_name: "Site", type: "domain" } };
    const of = files("<%= context.h %>");
    const after = (change: Record<string, string>) =>
      storedValues({ ...stored, ...change }, "acme.parley.localhost", SUFFIX, iparams);
    const at = (host: string) => ({ host, template: { host: "<%= context.h %>", context: { h: host } } });
    const name = after({ name: "new.example" });
    expect(newSecretHost("api_key", of, after({}), name, "account")).toBeUndefined();
    expect(
      ["account", "all"].map((scope) => mayReceiveSecrets(at("new.example"), of, name, scope as NameScope)),
    ).toEqual([false, true]);
    expect(newSecretHost("api_key", of, after({}), after({ site: "new.example" }), "account")).toBe("new.example");
    expect(mayReceiveSecrets(at("outbound.parley.localhost"), of, name, "account")).toBe(true);
  });

  test("and not because of a template that doesn't send it", () => {
    expect(host(files("<%= iparam.host %>"), { host: "new.example" }, "another")).toBeUndefined();
  });
});
