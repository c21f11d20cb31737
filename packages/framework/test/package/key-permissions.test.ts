import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import type { Iparam, IparamsConfig, RequestTemplate, RequestTemplates } from "@parley/contract";
import { boundedWork } from "../../../../test/support/bounded-work.ts";
import {
  keyPermissions,
  keyPermissionsText,
  type KeyPermissionSources,
} from "../../src/package/validate/key-permissions.ts";

const SUFFIX = ".parley.localhost";

const iparam = (type: Iparam["type"], product = "freshchat"): Iparam => ({
  display_name: type,
  type,
  type_attributes: { product },
});
const IPARAMS: IparamsConfig = {
  domain: iparam("domain"),
  api_key: iparam("api_key"),
  server: iparam("text"),
  token: iparam("text"),
  desk: iparam("domain", "freshdesk"),
  desk_key: iparam("api_key", "freshdesk"),
};

const app = (requests: RequestTemplates, more: Partial<KeyPermissionSources> = {}): KeyPermissionSources => ({
  iparams: IPARAMS,
  requests,
  platformVersion: "3.0",
  ...more,
});

type Schema = Partial<RequestTemplate["schema"]>;
const template = (schema: Schema): RequestTemplate => ({
  schema: { method: "GET", host: "<%= iparam.domain %>", path: "/v2/groups", ...schema },
});
const derived = (schema: Schema, more: Partial<KeyPermissionSources> = {}) =>
  keyPermissions(app({ one: template(schema) }, more), SUFFIX);
/** Excludes the permissions that the check of the key needs. */
const permissionsOf = (schema: Schema, more?: Partial<KeyPermissionSources>) =>
  derived(schema, more).permissions.filter((permission) => permission !== "account:read");
const KEY = { Authorization: "Bearer <%= iparam.api_key %>" };

describe("a template with a literal path, or with values in place of an endpoint's parameters, needs that endpoint's permission", () => {
  test.each<[Schema, readonly string[]]>([
    [{ path: "/v2/groups" }, ["group:read"]],
    [{ path: "/v2/groups?page=<%= context.page %>" }, ["group:read"]],
    [{ path: "/suite/acme/v2/groups" }, ["group:read"]],
    [{ method: "POST", path: "/v2/users/fetch" }, ["user:read"]],
    [{ path: "/v2/users/<%= context.id %>" }, ["user:read"]],
    [{ path: "/v2/users/<%= context.id %>/conversations" }, ["conversation:read"]],
    [{ path: "/v2/conversations/<%= context.id %>" }, ["conversation:read"]],
    [{ method: "PUT", path: "/v2/conversations/<%= context.id %>" }, ["conversation:update"]],
    [{ method: "POST", path: "/v2/conversations/<%= context.id %>/messages" }, ["message:create"]],
    [{ method: "POST", path: "/v2/outbound-messages/whatsapp" }, ["outbound:create"]],
    [{ path: "/v2/stream" }, []],
    [{ path: "/v2/nothing" }, []],
    [{ path: "<%= context.base %>/nothing/else" }, []],
    [{ method: "DELETE", path: "/v2/groups" }, []],
  ])("%j -> %j", (schema, permissions) => {
    expect(permissionsOf(schema)).toEqual(permissions);
    expect(derived(schema).undecided).toEqual([]);
  });
});

describe("a template counts if its host is", () => {
  test.each<[string, Schema]>([
    ["a domain parameter", { host: "<%= iparam.domain %>" }],
    ["a domain parameter with a suffix", { host: "<%= iparam.domain %>.parley.localhost" }],
    ["the current product", { host: "<%= current_host.endpoint_urls.freshchat %>" }],
    ["a literal host of an account", { host: "acme.parley.localhost" }],
    ["known only at run time, with the key", { host: "<%= context.host %>", headers: KEY }],
  ])("%s", (_, schema) => {
    expect(derived(schema)).toEqual({ permissions: ["account:read", "group:read"], undecided: [] });
  });
});

describe("a template does not count if its host is", () => {
  test.each<[string, Schema]>([
    ["a literal host elsewhere", { host: "api.example.com" }],
    ["a literal host elsewhere, even with the key", { host: "api.example.com", headers: KEY }],
    ["another product's", { host: "<%= iparam.desk %>", headers: { a: "<%= iparam.desk_key %>" } }],
    ["a value before another name, without a key", { host: "<%= iparam.server %>.example.com" }],
    ["known only at run time, without the key", { host: "<%= context.host %>", path: "/<%= context.path %>" }],
  ])("%s", (_, schema) => {
    expect(derived(schema)).toEqual({ permissions: ["account:read"], undecided: [] });
  });
});

describe("undecidable permissions are reported with their location for", () => {
  const withoutKey: IparamsConfig = { server: iparam("text"), token: iparam("text") };

  test.each<[string, Schema, Partial<KeyPermissionSources>, string]>([
    ["a path that is a value", { path: "<%= context.path %>" }, {}, "its path"],
    ["a path that begins with a value", { path: "<%= context.base %>/groups" }, {}, "its path"],
    [
      "a path that begins with a value and has another value",
      { path: "<%= iparam.base %>/users/<%= context.id %>" },
      {},
      "its path",
    ],
    ["a path that ends with a value", { path: "/v2/<%= context.path %>" }, {}, "its path"],
    ["a value in place of a resource", { path: "/v2/<%= context.kind %>/<%= context.id %>" }, {}, "its path"],
    ["a value in place of an action", { method: "POST", path: "/v2/users/<%= context.id %>" }, {}, "its path"],
    ["a partial segment", { path: "/v2/<%= context.kind %>s" }, {}, "its path"],
    [
      "a host that is a text parameter of an app without a key",
      { host: "<%= iparam.server %>" },
      { iparams: withoutKey },
      "its host",
    ],
  ])("%s", (_, schema, more, words) => {
    const { permissions, undecided } = derived(schema, more);
    expect(permissions).toEqual(more.iparams ? [] : ["account:read"]);
    expect(undecided).toEqual([
      { place: "config/requests.json, template one", reason: expect.stringContaining(words) as unknown },
    ]);
  });

  test.each<[string, readonly string[], number]>([
    ["may request the account", ["https://<%= iparam.domain %>"], 1],
    ["may request any host", ["*.example.com", "https://*"], 1],
    ["may request hosts below the accounts' domain", ["https://*.parley.localhost"], 1],
    ["may request others only", ["https://api.example.com/v1/*", "https://*.example.org"], 0],
    ["may request nothing", [], 0],
  ])("verbs of an app without a key that %s", (_, whitelistedDomains, count) => {
    const { undecided } = keyPermissions(
      app(
        {},
        { platformVersion: "2.2", whitelistedDomains, iparams: { domain: iparam("domain"), token: iparam("text") } },
      ),
      SUFFIX,
    );
    expect(undecided).toHaveLength(count);
  });
});

test.each([[["https://api.example.com"]], [[]]])(
  "verbs of an app with a key may request its account, whatever the manifest lists: %j",
  (whitelistedDomains) => {
    expect(keyPermissions(app({}, { platformVersion: "2.2", whitelistedDomains }), SUFFIX).undecided).toHaveLength(1);
  },
);

test.each([
  ["args.iparams.api_key", 1],
  ["args.iparams['api_key']", 1],
  ["args.iparams.desk_key", 0],
  ["/* args.iparams.api_key */ args.iparams.token", 0],
])("code that reads the account's key may use it for any permission: %s", (expression, count) => {
  const serverCode = `exports = { hear: (args) => fetch("https://api.example.com/", { headers: { key: ${expression} } }) };`;
  expect(keyPermissions(app({}, { serverCode }), SUFFIX).undecided).toHaveLength(count);
});

test("the message lists the known permissions, and the undecided ones with a reason", () => {
  expect(keyPermissionsText(derived({}))).toBe("The key needs these permissions: account:read, group:read.");
  expect(keyPermissionsText(derived({ path: "/<%= context.path %>" }))).toBe(
    "The key needs these permissions: account:read. It may need more, which can’t be derived from the app: " +
      "config/requests.json, template one: its path is known only when it is sent. Ask the app’s author.",
  );
});

test("a path of a thousand values is parsed in one pass: a search that backtracks would take minutes", () => {
  const path = `/v2/${"<%= context.a %>x".repeat(1_000)}`;
  expect(boundedWork(() => derived({ path })).permissions).toEqual(["account:read"]);
});

test("an app without a key and requests needs no permission", () => {
  expect(keyPermissions(app({}, { iparams: {} }), SUFFIX)).toEqual({ permissions: [], undecided: [] });
});

test("Concierge's permissions are decided: exactly those of its templates", () => {
  const read = (file: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../../config/${file}`, import.meta.url), "utf8"));
  const concierge = app(read("requests.json") as RequestTemplates, { iparams: read("iparams.json") as IparamsConfig });
  expect(keyPermissions(concierge, SUFFIX)).toEqual({
    permissions: [
      "account:read",
      "user:read",
      "user:create",
      "user:update",
      "conversation:read",
      "conversation:update",
      "message:read",
      "message:create",
      "agent:read",
      "group:read",
      "channel:read",
      "csat:create",
      "outbound:create",
      "metric:read",
    ],
    undecided: [],
  });
});
