import { describe, expect, test } from "@jest/globals";
import { projectFolders, findingLines } from "../support/project-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const apps = fileFixture(() => projectFolders({ reusesFolder: true }));

const placeholder = { url: "index.html", icon: "icon.svg" };
const page = { "app/index.html": "<p>Hello</p>", "app/icon.svg": "<svg/>" };
const handler = (name: string) => ({ handler: name });
const server = (...names: string[]) => `exports = { ${names.map((name) => `${name}: function () {}`).join(", ")} };`;

const products = (version: string, product: unknown, more: object = {}) => ({
  "platform-version": version,
  product,
  ...more,
});

describe("a manifest of products is converted to modules", () => {
  test("with placeholders and events of the chat product in their modules, and the rest in common", async () => {
    const { project, findings } = await apps.load({
      ...page,
      "manifest.json": products("2.3", {
        freshchat: {
          location: {
            conversation_user_info: placeholder,
            conversation_message_editor: placeholder,
            conversation_background: { url: "index.html" },
            messenger_home: placeholder,
            full_page_app: placeholder,
            left_nav_chat: placeholder,
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
    expect(findingLines({ findings })).toEqual([]);
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

  test("with placeholders and events of another product under its name", async () => {
    const { project, findings } = await apps.load({
      ...page,
      "manifest.json": products("2.2", {
        freshdesk: {
          location: {
            ticket_sidebar: placeholder,
            ticket_background: { url: "index.html" },
            full_page_app: placeholder,
          },
          events: { onTicketCreate: handler("a"), onAppInstall: handler("a") },
        },
      }),
      "server/server.js": server("a"),
    });
    expect(findingLines({ findings })).toEqual([]);
    expect(Object.keys(project?.manifest.modules["freshdesk"]?.location ?? {})).toEqual([
      "ticket_sidebar",
      "ticket_background",
    ]);
    expect(project?.handlers).toEqual([
      { module: "common", event: "onAppInstall", handler: "a" },
      { module: "freshdesk", event: "onTicketCreate", handler: "a" },
    ]);
  });

  test("of several products with the chat product's handler of a shared event", async () => {
    const { project, findings } = await apps.load({
      "manifest.json": products("2.2", {
        freshdesk: { events: { onExternalEvent: handler("a") } },
        freshchat: { events: { onExternalEvent: handler("b") } },
      }),
      "server/server.js": server("a", "b"),
    });
    expect(findingLines({ findings })).toEqual([
      "warning manifest.json:1 onExternalEvent has several handlers: 'b' is called, 'a' is not",
    ]);
    expect(project?.handlers).toEqual([{ module: "common", event: "onExternalEvent", handler: "b" }]);
  });
});

describe("older platform-versions support", () => {
  test.each(["2.0", "2.1", "2.2"])("%s: permitted hosts", async (version) => {
    const domains = ["https://api.example.com", "https://*.example.com", "https://<%= iparam.domain %>"];
    const manifest = products(version, { freshchat: {} });
    const some = await apps.load({ "manifest.json": { ...manifest, "whitelisted-domains": domains } });
    expect(findingLines(some)).toEqual([]);
    expect(some.project).toMatchObject({ platformVersion: version, whitelistedDomains: domains });
    expect((await apps.load({ "manifest.json": manifest })).project?.whitelistedDomains).toEqual([]);
  });

  test("2.0: events in the code, with all other functions callable", async () => {
    const { project, findings } = await apps.load({
      "manifest.json": products("2.0", { freshchat: {} }),
      "server/server.js": `exports = {
        events: [{ event: "onMessageCreate", callback: "a" }, { event: "onAppInstall", callback: "b" }],
        a: function () {}, b: function () {}, c: function () {}
      };`,
    });
    expect(findingLines({ findings })).toEqual([]);
    expect(project?.handlers).toEqual([
      { module: "common", event: "onAppInstall", handler: "b" },
      { module: "chat_conversation", event: "onMessageCreate", handler: "a" },
    ]);
    expect(project?.manifest.modules["common"]?.functions).toEqual({ c: {} });
  });

  test.each([
    ["a missing callback", '{ event: "onMessageCreate", callback: "gone" }', "Event callback 'gone' is not defined"],
    ["an unknown event", '{ event: "onSong", callback: "a" }', "Invalid event: 'onSong' for module: freshchat"],
  ])("2.0: %s in the code is an error", async (_title, event, message) => {
    const loaded = await apps.load({
      "manifest.json": products("2.0", { freshchat: {} }),
      "server/server.js": `exports = { events: [${event}], a: function () {} };`,
    });
    expect(findingLines(loaded)).toEqual([`error server ${message}`]);
    expect(loaded.project).toBeUndefined();
  });

  test.each([
    ["2.2", { doIt: { timeout: 10 }, other: {} }],
    ["2.3", { doIt: { timeout: 10 } }],
  ])("%s: functions that the manifest doesn't list", async (version, functions) => {
    const { project } = await apps.load({
      "manifest.json": products(version, { freshchat: { functions: { doIt: { timeout: 10 } } } }),
      "server/server.js": server("doIt", "other"),
    });
    expect(project?.manifest.modules["common"]?.functions).toEqual(functions);
  });
});

test.each(["3.0", "3.1"])(
  "platform-version %s is read unchanged, including modules of other products",
  async (version) => {
    const modules = {
      common: { events: { onAppInstall: handler("a") } },
      support_ticket: { location: { ticket_sidebar: placeholder }, events: { onTicketCreate: handler("a") } },
      deal: { location: { deal_entity_menu: { url: "index.html" } } },
    };
    const { project, findings } = await apps.load({
      ...page,
      "manifest.json": { "platform-version": version, modules, engines: { node: "20.19.0" } },
      "server/server.js": server("a"),
    });
    expect(findingLines({ findings })).toEqual([]);
    expect(project).toMatchObject({ platformVersion: version, manifest: { modules } });
  },
);

describe("config/", () => {
  test("may have a custom installation page, whose parameters are accepted unchecked", async () => {
    const { project, findings } = await apps.load({
      "config/iparams.json": undefined,
      "config/iparams.html": "<script>function postConfigs() {}</script>",
      "manifest.json": {
        "platform-version": "3.0",
        modules: { common: { requests: { one: {} } }, chat_user: {} },
      },
      "config/requests.json": { one: { schema: { method: "GET", host: "<%= iparam.any %>.example.com" } } },
    });
    expect(findingLines({ findings })).toEqual([]);
    expect(project).toMatchObject({ iparams: {}, ownPage: "<script>function postConfigs() {}</script>" });
    expect(Object.keys(project?.requests ?? {})).toEqual(["one"]);
  });

  test("may have the values and record schemas that older tools store there", async () => {
    const { findings } = await apps.load({ "config/iparam_test_data.json": "{}", "config/entities.json": "{}" });
    expect(findingLines({ findings })).toEqual([]);
  });

  test("may have $schema members and byte order marks", async () => {
    const { project, findings } = await apps.load({
      "config/iparams.json": '\uFEFF{ "$schema": "x", "a": { "display_name": "A", "type": "text" } }',
    });
    expect(findingLines({ findings })).toEqual([]);
    expect(Object.keys(project?.iparams ?? {})).toEqual(["a"]);
  });
});

const oauth = {
  client_id: "a",
  client_secret: "b",
  authorize_url: "https://example.com/authorize",
  token_url: "https://example.com/token",
};

describe("config/oauth_config.json is read in the form of", () => {
  test.each([
    ["2.2, one integration without a name", "2.2", oauth, { integrations: { default: oauth } }],
    ["2.2, in the later form", "2.2", { integrations: { x: oauth } }, { integrations: { x: oauth } }],
    ["3.0", "3.0", { integrations: { x: oauth } }, { integrations: { x: oauth } }],
    [
      "3.1, several integrations",
      "3.1",
      { integrations: { x: oauth, y: oauth } },
      { integrations: { x: oauth, y: oauth } },
    ],
  ])("%s", async (_title, version, file, expected) => {
    const body = version < "3" ? { product: { freshchat: {} } } : { modules: { chat_user: {} } };
    const loaded = await apps.load({
      "manifest.json": { "platform-version": version, ...body },
      "config/oauth_config.json": file,
    });
    expect(findingLines(loaded)).toEqual([]);
    expect(loaded.project?.oauth).toEqual(expected);
  });
});
