import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { AppDeclaration, matchesSchema } from "@parley/contract";
import { appDeclaration } from "../../src/publishing/declaration.ts";
import { packFolders, type AppFiles } from "../support/pack-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const SUFFIX = ".parley.localhost";
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

const apps = fileFixture(packFolders);

const declarationOf = async (folder: string): Promise<AppDeclaration> => {
  const { project, findings } = await apps.load(folder);
  if (!project) throw new Error(JSON.stringify(findings));
  const declaration = appDeclaration(project, SUFFIX);
  expect(matchesSchema(AppDeclaration, declaration)).toBe(true);
  return declaration;
};

const product = (freshchat: object, more: object = {}) => ({
  "platform-version": "2.2",
  product: { freshchat },
  ...more,
});
const modules = (parts: object, version = "3.0") => ({ "platform-version": version, modules: parts });
const template = (host: string, path = "/v2/groups", method = "GET") => ({ schema: { method, host, path } });
const handlers = (...names: readonly string[]) => `exports = { ${names.map((name) => `${name}() {}`).join(", ")} };`;
/** An app without the files of the default one. */
const only = (files: AppFiles): AppFiles => ({
  "server/server.ts": undefined,
  "server/lib/greeting.ts": undefined,
  "package.json": undefined,
  ...files,
});
const events = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { handler: "h" }]));

const DOMAIN = { display_name: "Account", type: "domain", type_attributes: { product: "freshchat" } };
const API_KEY = { display_name: "Key", type: "api_key", secure: true, type_attributes: { product: "freshchat" } };

describe("the declaration of", () => {
  test.each<[string, AppFiles, Partial<AppDeclaration>]>([
    [
      "an app of 3.0 with modules, request templates and a key",
      only({
        "manifest.json": modules({
          common: {
            events: events("onAppInstall", "onScheduledEvent", "onExternalEvent"),
            requests: { groups: {}, send: {}, shop: {} },
            location: { full_page_app: { url: "index.html", icon: "icon.svg" } },
          },
          chat_conversation: {
            events: events("onMessageCreate", "onConversationUpdate"),
            location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } },
          },
          chat_user: { events: events("onUserCreate") },
        }),
        "config/iparams.json": { domain: DOMAIN, key: API_KEY, shop: { display_name: "Shop", type: "text" } },
        "config/requests.json": {
          groups: template("<%= iparam.domain %>"),
          send: template("<%=iparam.domain%>", "/v2/conversations/<%= context.id %>/messages", "POST"),
          shop: template("<%= iparam.shop %>.shops.example", "/orders"),
        },
        "server/server.js": handlers("h"),
      }),
      {
        permissions: ["account:read", "message:create", "group:read"],
        undecided: [],
        hosts: ["<%= iparam.domain %>", "<%= iparam.shop %>.shops.example", "<%=iparam.domain%>"],
        endpoints: ["POST /v2/conversations/{conversation_id}/messages", "GET /v2/groups"],
        events: ["onAppInstall", "onMessageCreate", "onConversationUpdate", "onUserCreate"],
        places: ["full_page_app", "conversation_user_info"],
        handlesSchedules: true,
        handlesExternalEvents: true,
      },
    ],
    [
      "an app of 2.2 with whitelisted domains",
      only({
        "manifest.json": product(
          {
            location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } },
            events: events("onUserUpdate"),
          },
          { "whitelisted-domains": ["https://api.one.example/v1", "HTTPS://*.two.example", "api.one.example"] },
        ),
        "server/server.js": handlers("h"),
      }),
      {
        permissions: [],
        hosts: ["*.two.example", "api.one.example"],
        endpoints: [],
        events: ["onUserUpdate"],
        places: ["conversation_user_info"],
        handlesSchedules: false,
        handlesExternalEvents: false,
      },
    ],
    [
      "an app of 2.2 that may call its account by code",
      only({
        "manifest.json": product(
          { events: events("onMessageCreate") },
          { "whitelisted-domains": ["https://<%= iparam.host %>"] },
        ),
        "config/iparams.json": { host: { display_name: "Host", type: "text" } },
        "server/server.js": handlers("h"),
      }),
      {
        hosts: ["<%= iparam.host %>"],
        undecided: [
          { place: "server/ and app/", reason: "requests by $request.get and its like name their address in the code" },
        ],
      },
    ],
    [
      "an app with OAuth and hosts that its code calls",
      only({
        "manifest.json": {
          ...modules({ common: {}, chat_conversation: {} }),
          "whitelisted-domains": ["hooks.example.com", "https://*.cdn.example.com"],
        },
        "config/oauth_config.json": {
          integrations: {
            crm: {
              client_id: "id",
              client_secret: "secret",
              authorize_url: "https://<%= oauth_iparams.domain %>/oauth/authorize?x=1",
              token_url: "https://login.example.com/oauth/token",
              oauth_iparams: { domain: { display_name: "Domain", type: "text", required: true } },
            },
          },
        },
        "server/server.js": handlers("h"),
      }),
      { hosts: ["*.cdn.example.com", "<%= oauth_iparams.domain %>", "hooks.example.com", "login.example.com"] },
    ],
    [
      "an app of several products counts the events of the chat product only",
      only({
        "manifest.json": {
          "platform-version": "2.3",
          product: {
            freshdesk: {
              events: events("onTicketCreate", "onAppInstall"),
              location: { ticket_sidebar: { url: "index.html", icon: "icon.svg" } },
            },
            freshchat: { events: events("onMessageCreate") },
          },
        },
        "server/server.js": handlers("h"),
      }),
      { events: ["onAppInstall", "onMessageCreate"] },
    ],
    [
      "a template whose path is known only when it is sent",
      only({
        "manifest.json": modules({ common: { requests: { any: {} } }, chat_conversation: {} }),
        "config/iparams.json": { domain: DOMAIN, key: API_KEY },
        "config/requests.json": { any: template("<%= iparam.domain %>", "/<%= context.path %>") },
        "server/server.js": handlers("h"),
      }),
      {
        permissions: ["account:read"],
        endpoints: [],
        undecided: [{ place: "config/requests.json, template any", reason: "its path is known only when it is sent" }],
      },
    ],
    [
      "an app with pages only",
      only({
        "manifest.json": modules({
          chat_conversation: { location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } } },
        }),
        "package.json": { name: "@team/page-only_app", description: "Shows a page." },
      }),
      {
        title: "Page only app",
        description: "Shows a page.",
        events: [],
        hosts: [],
        places: ["conversation_user_info"],
      },
    ],
  ])("%s", async (_what, files, expected) => {
    expect(await declarationOf(await apps.write(files))).toMatchObject(expected);
  });
});

test.each<[string, Partial<AppDeclaration>]>([
  [
    "front-pages",
    {
      endpoints: ["GET /v2/groups"],
      events: [],
      places: [
        "full_page_app",
        "left_nav_chat",
        "conversation_user_info",
        "conversation_message_editor",
        "conversation_background",
      ],
    },
  ],
  ["front-old", { hosts: ["*.parley.localhost"], places: ["messenger_home", "conversation_user_info"] }],
  ["listener", { endpoints: ["GET /v2/groups"], events: ["onAppInstall", "onMessageCreate"] }],
  ["install-refuses", { events: ["onAppInstall"], hosts: [], places: [] }],
])("the declaration of the app in fixtures/%s", async (name, expected) => {
  const declaration = await declarationOf(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)));
  expect({ ...declaration, places: [...declaration.places].sort() }).toMatchObject({
    ...expected,
    ...(expected.places && { places: [...expected.places].sort() }),
  });
});

test("the declaration of Concierge names each request template's endpoint, and every event of its manifest", async () => {
  const declaration = await declarationOf(ROOT);
  expect(declaration.endpoints).toEqual(
    expect.arrayContaining(["POST /v2/conversations/{conversation_id}/messages", "PUT /v2/users/{user_id}"]),
  );
  expect(declaration.events).toEqual([
    "onAppInstall",
    "afterAppUpdate",
    "onAppUninstall",
    "onConversationCreate",
    "onConversationUpdate",
    "onMessageCreate",
    "onUserCreate",
    "onUserUpdate",
  ]);
  expect(declaration).toMatchObject({ handlesSchedules: true, handlesExternalEvents: true });
});
