import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { folders, said, type Folders } from "./project-folder.ts";

let apps: Folders;
beforeAll(async () => {
  apps = await folders();
});
afterAll(() => apps.remove());

const place = { url: "index.html", icon: "icon.svg" };
const page = { "app/index.html": "<p>Hello</p>", "app/icon.svg": "<svg/>" };
const handler = (name: string) => ({ handler: name });
const server = (...names: string[]) => `exports = { ${names.map((name) => `${name}: function () {}`).join(", ")} };`;

const products = (version: string, product: unknown, more: object = {}) => ({
  "platform-version": version,
  product,
  ...more,
});

describe("a manifest of products becomes one of modules", () => {
  test("the chat product's places and events go to their modules, everything else of it to common", async () => {
    const { project, findings } = await apps.load({
      ...page,
      "manifest.json": products("2.3", {
        freshchat: {
          location: {
            conversation_user_info: place,
            conversation_message_editor: place,
            conversation_background: { url: "index.html" },
            messenger_home: place,
            full_page_app: place,
            left_nav_chat: place,
          },
          events: {
            onConversationCreate: handler("a"),
            onMessageCreate: handler("a"),
            onAgentActivityCreate: handler("a"),
            onUserCreate: handler("b"),
            onAppInstall: handler("c"),
            onExternalEvent: handler("c"),
            onScheduledEvent: handler("c"),
          },
          functions: { doIt: { timeout: 5 } },
          requests: { one: {} },
        },
      }),
      "config/requests.json": { one: { schema: { method: "GET", host: "api.example.com" } } },
      "server/server.js": server("a", "b", "c", "doIt"),
    });
    expect(said({ findings })).toEqual([]);
    const { common, chat_conversation, chat_user } = project?.manifest.modules ?? {};
    expect(Object.keys(chat_conversation?.location ?? {})).toEqual([
      "conversation_user_info",
      "conversation_message_editor",
      "conversation_background",
      "messenger_home",
    ]);
    expect(Object.keys(chat_conversation?.events ?? {})).toEqual([
      "onConversationCreate",
      "onMessageCreate",
      "onAgentActivityCreate",
    ]);
    expect(chat_user).toEqual({ events: { onUserCreate: handler("b") } });
    expect(Object.keys(common?.location ?? {})).toEqual(["full_page_app", "left_nav_chat"]);
    expect(Object.keys(common?.events ?? {})).toEqual(["onAppInstall", "onExternalEvent", "onScheduledEvent"]);
    expect(common).toMatchObject({ functions: { doIt: { timeout: 5 } }, requests: { one: {} } });
    expect(project).toMatchObject({ platformVersion: "2.3", requests: { one: {} } });
    expect(project?.handlers).toContainEqual({ module: "chat_user", event: "onUserCreate", handler: "b" });
    expect(project).not.toHaveProperty("whitelistedDomains");
  });

  test("another product keeps its places and events under its name", async () => {
    const { project, findings } = await apps.load({
      ...page,
      "manifest.json": products("2.2", {
        freshdesk: {
          location: { ticket_sidebar: place, ticket_background: { url: "index.html" }, full_page_app: place },
          events: { onTicketCreate: handler("a"), onAppInstall: handler("a") },
        },
      }),
      "server/server.js": server("a"),
    });
    expect(said({ findings })).toEqual([]);
    expect(Object.keys(project?.manifest.modules["freshdesk"]?.location ?? {})).toEqual([
      "ticket_sidebar",
      "ticket_background",
    ]);
    expect(project?.handlers).toEqual([
      { module: "common", event: "onAppInstall", handler: "a" },
      { module: "freshdesk", event: "onTicketCreate", handler: "a" },
    ]);
  });

  test("of several products, the chat product's handler of a shared event is called", async () => {
    const { project, findings } = await apps.load({
      "manifest.json": products("2.2", {
        freshdesk: { events: { onExternalEvent: handler("a") } },
        freshchat: { events: { onExternalEvent: handler("b") } },
      }),
      "server/server.js": server("a", "b"),
    });
    expect(said({ findings })).toEqual([
      "warning manifest.json:1 onExternalEvent has several handlers: 'b' is called, 'a' is not",
    ]);
    expect(project?.handlers).toEqual([{ module: "common", event: "onExternalEvent", handler: "b" }]);
  });
});

describe("what older versions have", () => {
  test.each(["2.0", "2.1", "2.2"])("%s: addresses that may be reached", async (version) => {
    const domains = ["https://api.example.com", "https://*.example.com", "https://<%= iparam.domain %>"];
    const manifest = products(version, { freshchat: {} });
    const some = await apps.load({ "manifest.json": { ...manifest, "whitelisted-domains": domains } });
    expect(said(some)).toEqual([]);
    expect(some.project).toMatchObject({ platformVersion: version, whitelistedDomains: domains });
    expect((await apps.load({ "manifest.json": manifest })).project?.whitelistedDomains).toEqual([]);
  });

  test("2.0: events in the code, and all the other functions callable", async () => {
    const { project, findings } = await apps.load({
      "manifest.json": products("2.0", { freshchat: {} }),
      "server/server.js": `exports = {
        events: [{ event: "onMessageCreate", callback: "a" }, { event: "onAppInstall", callback: "b" }],
        a: function () {}, b: function () {}, c: function () {}
      };`,
    });
    expect(said({ findings })).toEqual([]);
    expect(project?.handlers).toEqual([
      { module: "common", event: "onAppInstall", handler: "b" },
      { module: "chat_conversation", event: "onMessageCreate", handler: "a" },
    ]);
    expect(project?.manifest.modules["common"]?.functions).toEqual({ c: {} });
  });

  test.each([
    ["a lost callback", '{ event: "onMessageCreate", callback: "gone" }', "Event callback 'gone' is not defined"],
    ["a strange event", '{ event: "onSong", callback: "a" }', "Invalid event: 'onSong' for module: freshchat"],
  ])("2.0: %s in the code is an error", async (_title, event, message) => {
    const loaded = await apps.load({
      "manifest.json": products("2.0", { freshchat: {} }),
      "server/server.js": `exports = { events: [${event}], a: function () {} };`,
    });
    expect(said(loaded)).toEqual([`error server ${message}`]);
    expect(loaded.project).toBeUndefined();
  });

  test.each([
    ["2.2", { doIt: { timeout: 10 }, other: {} }],
    ["2.3", { doIt: { timeout: 10 } }],
  ])("%s: what is a function beside those that the manifest names", async (version, functions) => {
    const { project } = await apps.load({
      "manifest.json": products(version, { freshchat: { functions: { doIt: { timeout: 10 } } } }),
      "server/server.js": server("doIt", "other"),
    });
    expect(project?.manifest.modules["common"]?.functions).toEqual(functions);
  });
});

test.each(["3.0", "3.1"])("%s is read as it stands, modules of other products too", async (version) => {
  const modules = {
    common: { events: { onAppInstall: handler("a") } },
    support_ticket: { location: { ticket_sidebar: place }, events: { onTicketCreate: handler("a") } },
    deal: { location: { deal_entity_menu: { url: "index.html" } } },
  };
  const { project, findings } = await apps.load({
    ...page,
    "manifest.json": { "platform-version": version, modules, engines: { node: "20.19.0" } },
    "server/server.js": server("a"),
  });
  expect(said({ findings })).toEqual([]);
  expect(project).toMatchObject({ platformVersion: version, manifest: { modules } });
});

describe("what lies in config/", () => {
  test("an installation page of the app's own is handed on, and its parameters are taken on trust", async () => {
    const { project, findings } = await apps.load({
      "config/iparams.json": undefined,
      "config/iparams.html": "<script>function postConfigs() {}</script>",
      "manifest.json": {
        "platform-version": "3.0",
        modules: { common: { requests: { one: {} } }, chat_user: {} },
      },
      "config/requests.json": { one: { schema: { method: "GET", host: "<%= iparam.any %>.example.com" } } },
    });
    expect(said({ findings })).toEqual([]);
    expect(project).toMatchObject({ iparams: {}, ownPage: "<script>function postConfigs() {}</script>" });
    expect(Object.keys(project?.requests ?? {})).toEqual(["one"]);
  });

  test("the values and record shapes that older tools keep there are let pass", async () => {
    const { findings } = await apps.load({ "config/iparam_test_data.json": "{}", "config/entities.json": "{}" });
    expect(said({ findings })).toEqual([]);
  });

  test("a schema for the author's editor is none of a file's content, and a byte order mark no mistake", async () => {
    const { project, findings } = await apps.load({
      "config/iparams.json": '\uFEFF{ "$schema": "x", "a": { "display_name": "A", "type": "text" } }',
    });
    expect(said({ findings })).toEqual([]);
    expect(Object.keys(project?.iparams ?? {})).toEqual(["a"]);
  });
});

const oauth = {
  client_id: "a",
  client_secret: "b",
  authorize_url: "https://example.com/authorize",
  token_url: "https://example.com/token",
};

describe("config/oauth_config.json is read", () => {
  test.each([
    ["2.2, one integration without a name", "2.2", oauth, { integrations: { default: oauth } }],
    ["2.2, in the later form", "2.2", { integrations: { x: oauth } }, { integrations: { x: oauth } }],
    ["3.0", "3.0", { integrations: { x: oauth } }, { integrations: { x: oauth } }],
    ["3.1, several", "3.1", { integrations: { x: oauth, y: oauth } }, { integrations: { x: oauth, y: oauth } }],
  ])("%s", async (_title, version, file, expected) => {
    const body = version < "3" ? { product: { freshchat: {} } } : { modules: { chat_user: {} } };
    const loaded = await apps.load({
      "manifest.json": { "platform-version": version, ...body },
      "config/oauth_config.json": file,
    });
    expect(said(loaded)).toEqual([]);
    expect(loaded.project?.oauth).toEqual(expected);
  });
});
