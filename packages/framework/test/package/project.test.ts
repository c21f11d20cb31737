import { describe, expect, test } from "@jest/globals";
import { projectFolders, IPARAMS, MANIFEST, manifestWith, findingLines } from "../support/project-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const apps = fileFixture(() => projectFolders({ reusesFolder: true }));

describe("an app without errors", () => {
  test("becomes a project", async () => {
    const { project, findings } = await apps.load({ "package.json": { name: "good", description: "An app" } });
    expect(findings).toEqual([]);
    expect(project).toMatchObject({
      name: "good",
      description: "An app",
      manifest: MANIFEST,
      iparams: IPARAMS,
      requests: {},
      callbacksCode: "",
    });
  });

  test("is named after its folder if package.json has no name", async () => {
    expect((await apps.load()).project?.name).toBe("app");
  });

  test("has a new version at each load", async () => {
    expect((await apps.load()).project?.version).not.toBe((await apps.load()).project?.version);
  });

  test("may be written in TypeScript, in several files, with packages", async () => {
    const { findings } = await apps.load({
      "server/server.js": undefined,
      "server/server.ts": `import { hear } from "./lib/hear.ts"; import { cut } from "cutter"; import { createHash } from "node:crypto";
        export default { hear: () => [hear, cut, createHash] };`,
      "server/lib/hear.ts": `export const hear = (args: { a: string }): string => args.a;`,
      "node_modules/cutter/package.json": { name: "cutter", main: "main.js" },
      "node_modules/cutter/main.js": "exports.cut = 1;",
    });
    expect(findings).toEqual([]);
  });

  test("may have no server", async () => {
    const { project } = await apps.load({
      "server/server.js": undefined,
      "manifest.json": manifestWith({ chat_user: {} }),
    });
    expect(project?.serverCode).toBe("");
  });
});

const manifestWithPlaceholder = (declared: unknown) =>
  manifestWith({ chat_conversation: { location: { conversation_user_info: declared } } });

describe("loading reports", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["no manifest", { "manifest.json": undefined }, "error manifest.json manifest.json is not found"],
    [
      "invalid JSON",
      { "manifest.json": '{\n  "a": 1,\n}' },
      "error manifest.json:2 JSON does not support trailing commas",
    ],
    [
      "another version",
      { "manifest.json": { "platform-version": "9.0" } },
      "error manifest.json:1 Invalid platform version mentioned in manifest.json",
    ],
    [
      "a manifest that is not an object",
      { "manifest.json": "[]" },
      "error manifest.json:1 Invalid platform version mentioned in manifest.json",
    ],
    [
      "a manifest without modules",
      { "manifest.json": { "platform-version": "3.0" } },
      "error manifest.json:1 manifest.json must have required properties modules",
    ],
    [
      "a manifest with common alone",
      { "manifest.json": { ...MANIFEST, modules: { common: {} } } },
      "error manifest.json:1 At least one module besides common must be mentioned in manifest.json",
    ],
    [
      "an unknown event",
      { "manifest.json": manifestWith({ chat_user: { events: { onUserSing: { handler: "hear" } } } }) },
      "error manifest.json:1 Invalid event: 'onUserSing' for module: chat_user",
    ],
    [
      "an unknown placeholder",
      { "manifest.json": manifestWith({ chat_conversation: { location: { roof: { url: "a", icon: "b" } } } }) },
      "error manifest.json:1 Invalid location(s) mentioned in modules.chat_conversation: roof",
    ],
    [
      "a placeholder without url",
      { "manifest.json": manifestWithPlaceholder({ icon: "i.svg" }) },
      "error manifest.json:1 Url is either not mentioned or empty in chat_conversation/conversation_user_info",
    ],
    [
      "a placeholder without icon",
      { "manifest.json": manifestWithPlaceholder({ url: "i.html" }) },
      "error manifest.json:1 Icon is either not mentioned or empty in chat_conversation/conversation_user_info",
    ],
    [
      "a missing page",
      { "manifest.json": manifestWithPlaceholder({ url: "i.html", icon: "i.svg" }) },
      "error manifest.json:1 Template file 'i.html' mentioned in chat_conversation/conversation_user_info is not found in app folder",
    ],
    [
      "a missing icon",
      { "manifest.json": manifestWithPlaceholder({ url: "i.html", icon: "i.svg" }) },
      "error manifest.json:1 Icon 'i.svg' mentioned in chat_conversation/conversation_user_info is not found in app folder",
    ],
    [
      "an invalid function name",
      { "manifest.json": manifestWith({ common: { functions: { "1x": {} } } }) },
      'error manifest.json:1 Function "1x" has invalid name',
    ],
    [
      "an invalid function timeout",
      { "manifest.json": manifestWith({ common: { functions: { hear: { timeout: 7 } } } }) },
      'error manifest.json:1 Function "hear" has invalid timeout: it is 20, 25 or 30 seconds',
    ],
    [
      "an undefined function",
      { "manifest.json": manifestWith({ common: { functions: { gone: {} } } }) },
      'warning manifest.json:1 Function "gone" is not defined',
    ],
    [
      "requests in another module",
      { "manifest.json": manifestWith({ chat_user: { requests: {} } }) },
      "error manifest.json:1 Specify requests in the module common, not in chat_user",
    ],
    [
      "a dependency with a version range",
      { "manifest.json": { ...MANIFEST, dependencies: { a: "^1.0.0" } } },
      "error manifest.json:1 Dependency 'a' must have an exact version, not '^1.0.0'",
    ],
    [
      "a missing handler",
      { "server/server.js": "exports = {};" },
      "error manifest.json:1 Event callback 'hear' is not defined",
    ],
    [
      "a handler that is not a function",
      { "server/server.js": "exports = { hear: 1 };" },
      "error manifest.json:1 Event callback 'hear' is not defined",
    ],
    [
      "a missing server",
      { "server/server.js": undefined },
      "error manifest.json:1 Event callback 'hear' is not defined",
    ],
    [
      "server code that throws",
      { "server/server.js": "\nthrow new Error('at once');" },
      "error server The code of server/ can't be loaded: Error: at once",
    ],
    [
      "server code with a syntax error",
      { "server/server.js": "exports = {\n  hear: function ( {} };" },
      "error server/server.js:2 ",
    ],
    [
      "a missing package",
      { "server/server.js": "const a = require('gone-away');\nexports = { hear: function () {} };" },
      'error server/server.js:1 Could not resolve "gone-away"',
    ],
    [
      "a missing config folder",
      { "config/iparams.json": undefined },
      "error config Mandatory folder(s) missing: config",
    ],
    [
      "an unknown file in config",
      { "config/more.json": "{}" },
      "error config/more.json Config directory has invalid file(s)",
    ],
    [
      "both kinds of installation page",
      { "config/iparams.html": "" },
      "error config Specify either iparams.html or iparams.json",
    ],
    ["invalid JSON in iparams", { "config/iparams.json": "{\n\n" }, "error config/iparams.json:3 "],
    [
      "an invalid parameter type",
      { "config/iparams.json": { a: { display_name: "A", type: "colour" } } },
      "error config/iparams.json:1 Invalid type, colour, found in the 'a' field.",
    ],
    [
      "a missing callback",
      {
        "config/iparams.json": { a: { display_name: "A", type: "text", events: [{ change: "gone" }] } },
        "config/assets/iparams.js": "function here() {}",
      },
      "error config/iparams.json:1 The gone function does not exist for the 'a' field.",
    ],
    [
      "callbacks with a syntax error",
      { "config/assets/iparams.js": "function here( {}" },
      "error config/assets/iparams.js:1 ",
    ],
  ])("%s", async (_title, files, expected) => {
    const loaded = await apps.load(files);
    expect(findingLines(loaded)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
    expect(loaded.project === undefined).toBe(expected.startsWith("error"));
  });

  test("loading reports no errors in a module of another product, which stays unchanged", async () => {
    const { findings } = await apps.load({
      "manifest.json": manifestWith({ support_ticket: { events: { onTicketCreate: { handler: "hear" } } } }),
    });
    expect(findings).toEqual([]);
  });
});

describe("the name of a module or product", () => {
  const chat = { events: { onMessageCreate: { handler: "hear" } } };
  const modules = (more: object) => ({ "manifest.json": manifestWith({ ...more }) });
  const products = (more: object) => ({ "manifest.json": { "platform-version": "2.2", product: more } });
  test.each<[string, Record<string, unknown>, readonly (string | undefined)[]]>([
    [
      "that resembles a module is an error where events would be lost",
      modules({ chat_conversaton: chat }),
      ["error module-misspelt", "Did you mean 'chat_conversation' in place of 'chat_conversaton'?"],
    ],
    [
      "that resembles a module which is there as well is an error",
      modules({ chat_conversation: chat, chat_conversaton: chat }),
      [
        "error module-misspelt",
        "Did you mean 'chat_conversation'? The manifest has it already: move the places and events there.",
      ],
    ],
    [
      "that resembles a module is a warning without places and events",
      modules({ chat_conversaton: {} }),
      ["warning module-name", "Did you mean 'chat_conversation' in place of 'chat_conversaton'?"],
    ],
    [
      "that resembles the product is an error where events would be lost",
      products({ freschat: chat }),
      ["error module-misspelt", "Did you mean 'freshchat' in place of 'freschat'?"],
    ],
    ["of another product is accepted", products({ freshdesk: chat, freshteam: chat, freshservice: chat }), []],
    [
      "of a module of another product is accepted",
      modules({ support_ticket: chat, service_user: chat, contact: chat, deal: chat }),
      [],
    ],
  ])("%s", async (_title, files, [found, help]) => {
    const { findings } = await apps.load(files);
    const reported = findings.map(({ level, code, help: text }) => [`${level} ${code}`, text]);
    expect(reported).toEqual(found === undefined ? [] : [[found, help]]);
  });
});
