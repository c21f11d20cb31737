import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Manifest } from "@parley/contract";
import { builtText } from "../src/assets.ts";
import { loadProject, type Inspect } from "../src/project/load.ts";
import type { Loaded } from "../src/project/project.ts";
import { inspection } from "../src/runtime/inspect.ts";
import { findLaunch } from "../src/runtime/launch.ts";
import { usualSettings } from "../src/settings.ts";

const MANIFEST = {
  "platform-version": "3.0",
  modules: { common: {}, chat_user: { events: { onUserCreate: { handler: "hear" } } } },
} satisfies Manifest;
const IPARAMS = {
  domain: { display_name: "Account", type: "domain", type_attributes: { product: "chat" } },
  key: { display_name: "Key", type: "text", secure: true },
};

let base: string;
let turn = 0;
let inspect: Inspect;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "parley-project-"));
  const [program, launch] = await Promise.all([builtText("child.cjs"), findLaunch()]);
  inspect = inspection({ launch, program, settings: usualSettings, log: () => undefined });
});
afterAll(() => rm(base, { recursive: true, force: true }));

/** Loads a good app with some of its files written otherwise; undefined takes a file away. */
async function load(files: Record<string, unknown> = {}): Promise<Loaded> {
  const folder = join(base, `app-${(turn += 1)}`);
  const all: Record<string, unknown> = {
    "manifest.json": MANIFEST,
    "config/iparams.json": IPARAMS,
    "server/server.js": "exports = { hear: function (args) {} };",
    ...files,
  };
  for (const [file, content] of Object.entries(all)) {
    if (content === undefined) continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  return loadProject(folder, inspect);
}
const said = ({ findings }: Loaded) =>
  findings.map(
    ({ level, file, line, message }) => `${level} ${file}${line === undefined ? "" : `:${line}`} ${message}`,
  );

const modules = (more: Record<string, unknown>) => ({ ...MANIFEST, modules: { ...MANIFEST.modules, ...more } });

describe("an app without a mistake", () => {
  test("becomes a project", async () => {
    const { project, findings } = await load({ "package.json": { name: "good", description: "An app" } });
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

  test("is called after its folder where package.json has no name", async () => {
    expect((await load()).project?.name).toMatch(/^app-\d+$/);
  });

  test("has another version at each load", async () => {
    expect((await load()).project?.version).not.toBe((await load()).project?.version);
  });

  test("may be written in TypeScript, over several files, with packages", async () => {
    const { findings } = await load({
      "server/server.js": undefined,
      "server/server.ts": `import { hear } from "./lib/hear.ts"; import { cut } from "cutter"; import { createHash } from "node:crypto";
        export default { hear: () => [hear, cut, createHash] };`,
      "server/lib/hear.ts": `export const hear = (args: { a: string }): string => args.a;`,
      "node_modules/cutter/package.json": { name: "cutter", main: "main.js" },
      "node_modules/cutter/main.js": "exports.cut = 1;",
    });
    expect(findings).toEqual([]);
  });

  test("may have no server at all", async () => {
    const { project } = await load({ "server/server.js": undefined, "manifest.json": modules({ chat_user: {} }) });
    expect(project?.serverCode).toBe("");
  });
});

const place = (declared: unknown) => modules({ chat_conversation: { location: { conversation_user_info: declared } } });

describe("a mistake is found", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["no manifest", { "manifest.json": undefined }, "error manifest.json manifest.json is not found"],
    ["no JSON", { "manifest.json": '{\n  "a": 1,\n}' }, "error manifest.json:2 JSON does not support trailing commas"],
    [
      "another version",
      { "manifest.json": { "platform-version": "9.0" } },
      "error manifest.json Invalid platform version mentioned in manifest.json",
    ],
    ["no object", { "manifest.json": "[]" }, "error manifest.json Invalid platform version mentioned in manifest.json"],
    [
      "no modules",
      { "manifest.json": { "platform-version": "3.0" } },
      "error manifest.json manifest.json must have required properties modules",
    ],
    [
      "common alone",
      { "manifest.json": { ...MANIFEST, modules: { common: {} } } },
      "error manifest.json At least one module besides common must be mentioned in manifest.json",
    ],
    [
      "a strange event",
      { "manifest.json": modules({ chat_user: { events: { onUserSing: { handler: "hear" } } } }) },
      "error manifest.json Invalid event: 'onUserSing' for module: chat_user",
    ],
    [
      "a strange place",
      { "manifest.json": modules({ chat_conversation: { location: { roof: { url: "a", icon: "b" } } } }) },
      "error manifest.json Invalid location(s) mentioned in modules.chat_conversation: roof",
    ],
    [
      "a place without url",
      { "manifest.json": place({ icon: "i.svg" }) },
      "error manifest.json Url is either not mentioned or empty in chat_conversation/conversation_user_info",
    ],
    [
      "a place without icon",
      { "manifest.json": place({ url: "i.html" }) },
      "error manifest.json Icon is either not mentioned or empty in chat_conversation/conversation_user_info",
    ],
    [
      "a lost page",
      { "manifest.json": place({ url: "i.html", icon: "i.svg" }) },
      "error manifest.json Template file 'i.html' mentioned in chat_conversation/conversation_user_info is not found in app folder",
    ],
    [
      "a lost icon",
      { "manifest.json": place({ url: "i.html", icon: "i.svg" }) },
      "error manifest.json Icon 'i.svg' mentioned in chat_conversation/conversation_user_info is not found in app folder",
    ],
    [
      "a function's name",
      { "manifest.json": modules({ common: { functions: { "1x": {} } } }) },
      'error manifest.json Function "1x" has invalid name',
    ],
    [
      "a function's time",
      { "manifest.json": modules({ common: { functions: { hear: { timeout: 7 } } } }) },
      'error manifest.json Function "hear" has invalid timeout: it is 20, 25 or 30 seconds',
    ],
    [
      "a function that isn't there",
      { "manifest.json": modules({ common: { functions: { gone: {} } } }) },
      'warning manifest.json Function "gone" is not defined',
    ],
    [
      "requests in another module",
      { "manifest.json": modules({ chat_user: { requests: {} } }) },
      "error manifest.json Specify requests in the module common, not in chat_user",
    ],
    [
      "a dependency's range",
      { "manifest.json": { ...MANIFEST, dependencies: { a: "^1.0.0" } } },
      "error manifest.json Dependency 'a' must have an exact version, not '^1.0.0'",
    ],
    [
      "a lost handler",
      { "server/server.js": "exports = {};" },
      "error manifest.json Event callback 'hear' is not defined",
    ],
    [
      "a handler that is no function",
      { "server/server.js": "exports = { hear: 1 };" },
      "error manifest.json Event callback 'hear' is not defined",
    ],
    ["no server", { "server/server.js": undefined }, "error manifest.json Event callback 'hear' is not defined"],
    [
      "server code that throws",
      { "server/server.js": "\nthrow new Error('at once');" },
      "error server The code of server/ can't be loaded: Error: at once",
    ],
    [
      "server code with a wrong sign",
      { "server/server.js": "exports = {\n  hear: function ( {} };" },
      "error server/server.js:2 ",
    ],
    [
      "a lost package",
      { "server/server.js": "const a = require('gone-away');\nexports = { hear: function () {} };" },
      'error server/server.js:1 Could not resolve "gone-away"',
    ],
    ["no config", { "config/iparams.json": undefined }, "error config Mandatory folder(s) missing: config"],
    [
      "a strange file in config",
      { "config/more.json": "{}" },
      "error config/more.json Config directory has invalid file(s)",
    ],
    ["two kinds of page", { "config/iparams.html": "" }, "error config Specify either iparams.html or iparams.json"],
    ["no JSON in iparams", { "config/iparams.json": "{\n\n" }, "error config/iparams.json:3 "],
    [
      "a parameter's type",
      { "config/iparams.json": { a: { display_name: "A", type: "colour" } } },
      "error config/iparams.json Invalid type, colour, found in the 'a' field.",
    ],
    [
      "a lost callback",
      {
        "config/iparams.json": { a: { display_name: "A", type: "text", events: [{ change: "gone" }] } },
        "config/assets/iparams.js": "function here() {}",
      },
      "error config/iparams.json The gone function does not exist for the 'a' field.",
    ],
    [
      "callbacks with a wrong sign",
      { "config/assets/iparams.js": "function here( {}" },
      "error config/assets/iparams.js:1 ",
    ],
  ])("%s", async (_title, files, expected) => {
    const loaded = await load(files);
    expect(said(loaded)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
    expect(loaded.project === undefined).toBe(expected.startsWith("error"));
  });

  test("but not in a module of another product, which is read and left alone", async () => {
    const { findings } = await load({
      "manifest.json": modules({ support_ticket: { events: { onTicketCreate: { handler: "hear" } } } }),
    });
    expect(findings).toEqual([]);
  });
});

const host = "<%= iparam.domain %>";
const schema = { method: "GET", host };
const withRequest = (template: unknown) => ({
  "manifest.json": modules({ common: { requests: { one: {} } } }),
  "config/requests.json": { one: template },
});

describe("a request template is refused for", () => {
  test.each<[string, unknown, string]>([
    ["a path in its host", { schema: { ...schema, host: "a.example/x" } }, "schema/host must not have path"],
    ["a host of one word", { schema: { ...schema, host: "localhost" } }, "schema/host must be FQDN"],
    ["an address as its host", { schema: { ...schema, host: "https://a.example" } }, "schema/host must be FQDN"],
    ["a path without a slash", { schema: { ...schema, path: "x" } }, "schema/path must start with '/'"],
    ["a body", { schema: { ...schema, body: "x" } }, "schema must NOT have additional properties 'body'"],
    [
      "a strange method",
      { schema: { ...schema, method: "FETCH" } },
      "schema/method must be equal to one of the allowed values",
    ],
    ["another protocol", { schema: { ...schema, protocol: "http" } }, "schema/protocol must be"],
    ["too many attempts", { schema, options: { maxAttempts: 6 } }, "options/maxAttempts must be <= 5"],
    ["too long a pause", { schema, options: { retryDelay: 2000 } }, "options/retryDelay must be <= 1500"],
    [
      "OAuth without its file",
      { schema, options: { isOAuth: true } },
      "OAuth config must have required property 'integrations'",
    ],
    [
      "a parameter that isn't there",
      { schema: { ...schema, path: "/<%= iparam.gone %>" } },
      "iparam 'gone' is not defined in config/iparams.json",
    ],
    [
      "a secure parameter in its path",
      { schema: { ...schema, path: "/<%= iparam.key %>" } },
      "the secure iparam 'key' may stand in headers only",
    ],
    [
      "a secure parameter in its host",
      { schema: { ...schema, host: "<%= iparam.key %>.example" } },
      "the secure iparam 'key' may stand in headers only",
    ],
    [
      "a secure parameter in its query, encoded",
      { schema: { ...schema, query: { a: "<%= encode(iparam.key) %>" } } },
      "the secure iparam 'key' may stand in headers only",
    ],
    [
      "a value of another kind",
      { schema: { ...schema, headers: { a: "<%= process.env %>" } } },
      "'process.env' can't be filled in",
    ],
    ["a hole that can't be read", { schema: { ...schema, headers: { a: "<%= a b %>" } } }, "can't be read"],
  ])("%s", async (_title, template, message) => {
    const loaded = await load(withRequest(template));
    expect(said(loaded)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
    expect(loaded.project).toBeUndefined();
  });

  test("being declared and not defined; one that is only defined is a warning and can't be used", async () => {
    const template = { schema: { ...schema, headers: { A: "<%= iparam.key %>" } } };
    const missing = await load({ "manifest.json": modules({ common: { requests: { one: {} } } }) });
    expect(said(missing)).toEqual([
      "error manifest.json Request template 'one' is not defined in config/requests.json",
    ]);
    const more = await load({ ...withRequest(template), "config/requests.json": { one: template, two: template } });
    expect(said(more)).toEqual([
      "warning config/requests.json Request template 'two' is not declared in manifest.json",
    ]);
    expect(more.project?.requests).toEqual({ one: template });
  });
});

describe("callbacks of the installation page are reachable by name from", () => {
  const events = { a: { display_name: "A", type: "text", events: [{ change: "check" }] } };
  const callbacks = (code: string) => {
    const sandbox: Record<string, unknown> = { log: [] };
    runInNewContext(code, sandbox);
    return sandbox as { __callbacks: Record<string, (value: string) => unknown>; log: unknown[] };
  };

  test.each([
    [
      "a script with top-level functions",
      "iparams.js",
      `client = 1;\nfunction check(v) { return v + client; }\nfunction onFormLoad() {}`,
    ],
    [
      "a script with a strict mode of its own",
      "iparams.js",
      `"use strict";\nvar client = 1;\nconst check = (v) => v + client;\nfunction onFormLoad() {}`,
    ],
    [
      "an exported function",
      "iparams.ts",
      `const client: number = 1;\nexport function check(v: string) { return v + client; }\nexport const onFormLoad = () => {};`,
    ],
    ["a function that is exported from elsewhere", "iparams.ts", `export { check, onFormLoad } from "./more.ts";`],
    [
      "a function of a module that isn't exported",
      "iparams.ts",
      `import { client } from "./more.ts";\nfunction check(v: string) { return v + client; }\nfunction onFormLoad() {}\nexport {};`,
    ],
  ])("%s", async (_title, file, text) => {
    const { project, findings } = await load({
      "config/iparams.json": events,
      [`config/assets/${file}`]: text,
      "config/assets/more.ts": `export const client = 1; export const check = (v: string) => v + client; export const onFormLoad = () => {};`,
    });
    expect(findings).toEqual([]);
    const { __callbacks: found } = callbacks(project?.callbacksCode ?? "");
    expect(found["check"]?.("x")).toBe("x1");
    expect(Object.keys(found).sort()).toEqual(["check", "onFormLoad"]);
  });
});
