import { describe, expect, test } from "@jest/globals";
import { projectFolders, manifestWith, findingLines } from "../support/project-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const apps = fileFixture(() => projectFolders({ reusesFolder: true }));

const host = "<%= iparam.domain %>";
const schema = { method: "GET", host };
const withRequest = (template: unknown) => ({
  "manifest.json": manifestWith({ common: { requests: { one: {} } } }),
  "config/requests.json": { one: template },
});

describe("a request template is rejected for", () => {
  test.each<[string, unknown, string]>([
    ["a path in its host", { schema: { ...schema, host: "a.example/x" } }, "schema/host must not have path"],
    ["a host of one word", { schema: { ...schema, host: "localhost" } }, "schema/host must be FQDN"],
    ["an IP address as its host", { schema: { ...schema, host: "https://a.example" } }, "schema/host must be FQDN"],
    ["a path without a slash", { schema: { ...schema, path: "x" } }, "schema/path must start with '/'"],
    ["an empty path", { schema: { ...schema, path: "" } }, "schema/path must start with '/'"],
    [
      "a path that begins with text before a placeholder",
      { schema: { ...schema, path: "@<%= context.path %>" } },
      "schema/path must start with '/'",
    ],
    [
      "a secure parameter that its path begins with",
      { schema: { ...schema, path: "<%= iparam.key %>/x" } },
      "the secure iparam 'key' may be used in headers only",
    ],
    ["a body", { schema: { ...schema, body: "x" } }, "schema must NOT have additional properties 'body'"],
    [
      "an unknown method",
      { schema: { ...schema, method: "FETCH" } },
      "schema/method must be equal to one of the allowed values",
    ],
    ["another protocol", { schema: { ...schema, protocol: "http" } }, "schema/protocol must be"],
    ["too many attempts", { schema, options: { maxAttempts: 6 } }, "options/maxAttempts must be <= 5"],
    ["too long a delay", { schema, options: { retryDelay: 2000 } }, "options/retryDelay must be <= 1500"],
    [
      "OAuth without oauth_config.json",
      { schema, options: { isOAuth: true } },
      "OAuth config must have required property 'integrations'",
    ],
    [
      "an unknown parameter",
      { schema: { ...schema, path: "/<%= iparam.gone %>" } },
      "iparam 'gone' is not defined in config/iparams.json",
    ],
    [
      "a secure parameter in its path",
      { schema: { ...schema, path: "/<%= iparam.key %>" } },
      "the secure iparam 'key' may be used in headers only",
    ],
    [
      "a secure parameter in its host",
      { schema: { ...schema, host: "<%= iparam.key %>.example" } },
      "the secure iparam 'key' may be used in headers only",
    ],
    [
      "a secure parameter in its query, encoded",
      { schema: { ...schema, query: { a: "<%= encode(iparam.key) %>" } } },
      "the secure iparam 'key' may be used in headers only",
    ],
    [
      "a value of another type",
      { schema: { ...schema, headers: { a: "<%= process.env %>" } } },
      "'process.env' can't be filled in",
    ],
    ["a substitution that can't be parsed", { schema: { ...schema, headers: { a: "<%= a b %>" } } }, "can't be read"],
  ])("%s", async (_title, template, message) => {
    const loaded = await apps.load(withRequest(template));
    expect(findingLines(loaded)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
    expect(loaded.project).toBeUndefined();
  });

  test("a request that is declared but not defined is an error; one that is only defined is a warning and can't be used", async () => {
    const template = { schema: { ...schema, headers: { A: "<%= iparam.key %>" } } };
    const missing = await apps.load({ "manifest.json": manifestWith({ common: { requests: { one: {} } } }) });
    expect(findingLines(missing)).toEqual([
      "error manifest.json:1 Request template 'one' is not defined in config/requests.json",
    ]);
    const more = await apps.load({
      ...withRequest(template),
      "config/requests.json": { one: template, two: template },
    });
    expect(findingLines(more)).toEqual([
      "warning config/requests.json:1 Request template 'two' is not declared in manifest.json",
    ]);
    expect(more.project?.requests).toEqual({ one: template });
  });
});

test.each(["<%= context.path %>", "<%= context.base %>/x", "<%= iparam.domain ? '/a' : '/b' %>"])(
  "a request template's path may begin with a placeholder: %s",
  async (path) => {
    const template = { schema: { ...schema, path } };
    const loaded = await apps.load(withRequest(template));
    expect(findingLines(loaded)).toEqual([]);
    expect(loaded.project?.requests).toEqual({ one: template });
  },
);

describe("hosts that requests never reach", () => {
  const reported = async (files: Record<string, unknown>) =>
    (await apps.load(files)).findings.map(({ code, level }) => `${level} ${code}`);
  const hosts = ["db.internal", "printer.local", "a.localhost", "nas.home.arpa", "<%= iparam.domain %>.local"];
  const product = { "platform-version": "2.2", product: { freshchat: {} } };

  test.each(hosts)("cause a warning in a template: %s", async (host) => {
    const files = {
      "manifest.json": manifestWith({ common: { requests: { one: {} } } }),
      "config/requests.json": { one: { schema: { method: "GET", host } } },
    };
    expect(await reported(files)).toEqual(["warning host-private"]);
  });
  test.each([...hosts, "localhost:3000", "intranet/path", "10.0.0.1", "[::1]", "*.local"])(
    "cause a warning in whitelisted-domains: https://%s",
    async (host) => {
      const files = { "manifest.json": { ...product, "whitelisted-domains": [`https://${host}`] } };
      expect(await reported(files)).toEqual(["warning host-private"]);
    },
  );
  test("cause a warning as the token_url of an integration, and not as its authorize_url", async () => {
    const integration = { display_name: "X", client_id: "a", client_secret: "b", options: {}, token_type: "account" };
    const at = (authorize_url: string, token_url: string) => ({
      "config/oauth_config.json": { integrations: { x: { ...integration, authorize_url, token_url } } },
    });
    const [inside, outside] = ["https://sso.internal/a", "https://sso.example.com/a"];
    expect(await reported(at(outside, inside))).toEqual(["warning host-private"]);
    expect(await reported(at(inside, outside))).toEqual([]);
  });
  test("are not the account of a local instance and names with a private word", async () => {
    const domains = ["acme.parley.localhost", "local.example.com", "internal.example.com", "mylocal.example"];
    const files = { "manifest.json": { ...product, "whitelisted-domains": domains.map((host) => `https://${host}`) } };
    expect(await reported(files)).toEqual([]);
  });
});
