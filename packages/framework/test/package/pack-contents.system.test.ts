import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { entriesOf, MANIFEST, packFolders, type AppFiles, type PackFolders } from "../support/pack-folder.ts";

/** Files of an app that its package includes, their form, and files that it excludes. */

let apps: PackFolders;
beforeAll(async () => {
  apps = await packFolders();
});
afterAll(() => apps.remove());

const packed = async (files: AppFiles) => {
  const packed = await apps.packValid(files);
  const entries = await entriesOf(packed.zip);
  return {
    ...packed,
    names: [...entries.keys()],
    text: (name: string) => entries.get(`./${name}`)?.toString("utf8") ?? "",
  };
};

const PLAIN = {
  "package.json": undefined,
  "server/server.ts": undefined,
  "server/lib/greeting.ts": undefined,
  "server/server.js": `const { hi } = require("./lib/hi");
exports = {
  install: function () { renderData(); },
  hear: function (args) { console.info(hi(args)); }
};
`,
  "server/lib/hi.js": "module.exports.hi = function () { return 'hi'; };\n",
};

describe("plain JavaScript in the documented form", () => {
  test("is packed unchanged with all other files except tests and test data", async () => {
    const { names, text, leftOut } = await packed({
      ...PLAIN,
      "server/lib/unused.js": "module.exports = 1;\n",
      "server/lib/hi.test.js": "test();\n",
      "server/test_data/onMessageCreate.json": {},
      "server/node_modules/x/index.js": "",
      "server/.env": "SECRET=1",
    });
    expect(names.filter((name) => name.startsWith("./server"))).toEqual([
      "./server/lib/hi.js",
      "./server/lib/unused.js",
      "./server/server.js",
    ]);
    expect(text("server/server.js")).toBe(PLAIN["server/server.js"]);
    expect(leftOut).toEqual(["server/.env", "server/lib/hi.test.js", "server/node_modules", "server/test_data"]);
  });

  test("includes a bundle of a framework's build, without its source map", async () => {
    const { names, leftOut } = await packed({
      ...PLAIN,
      "app/assets/index-B1.js": `/*${"x".repeat(2_104_353)}*/\n//# sourceMappingURL=index-B1.js.map\n`,
      "app/assets/index-B1.js.map": "x".repeat(3_700_000),
      "app/assets/index-B1.css.map": "{}",
      "app/assets/world.map": "land",
    });
    expect(names.filter((name) => name.startsWith("./app/assets"))).toEqual([
      "./app/assets/index-B1.js",
      "./app/assets/world.map",
    ]);
    expect(leftOut).toEqual(["app/assets/index-B1.css.map", "app/assets/index-B1.js.map"]);
  });

  test("includes the scripts of an own installation page as they are", async () => {
    const script = "define(['./core'], function () { return require('./gone'); });\n";
    const { text } = await packed({
      ...PLAIN,
      "config/iparams.json": undefined,
      "config/iparams.html": '<script src="assets/iparams.js"></script>',
      "config/assets/iparams.js": script,
    });
    expect(text("config/assets/iparams.js")).toBe(script);
  });

  test("includes a folder called test if the code requires it", async () => {
    const { names, leftOut } = await packed({
      ...PLAIN,
      "server/server.js": PLAIN["server/server.js"].replace("./lib/hi", "./test/hi"),
      "server/test/hi.js": PLAIN["server/lib/hi.js"],
      "server/test/more.js": "",
    });
    expect(names).toContain("./server/test/hi.js");
    expect(names).not.toContain("./server/test/more.js");
    expect(leftOut).toEqual(["server/test"]);
  });

  test.each([
    ["module.exports", "module.exports = { install() { renderData(); }, hear() {} };"],
    ["single exports", "exports.install = function () { renderData(); }; exports.hear = function () {};"],
    ["an ES module", "export const install = () => renderData();\nexport function hear() {}\n"],
  ])("%s is converted to that form", async (_title, text) => {
    const { zip, text: textOf } = await packed({ ...PLAIN, "server/server.js": text });
    expect(textOf("server/server.js")).toMatch(/\nexports = \{\n {2}install: function \(args\) \{[\s\S]+\};\n$/);
    expect((await apps.load(await apps.unpack(zip))).findings).toEqual([]);
  });
});

test("packed code of 2.0 declares its event handlers", async () => {
  const { zip, text } = await packed({
    ...PLAIN,
    "manifest.json": { "platform-version": "2.0", product: { freshchat: {} } },
    "server/server.js":
      'module.exports = { events: [{ event: "onMessageCreate", callback: "hear" }], hear: function () {} };',
  });
  expect(text("server/server.js")).toContain('events: [{"event":"onMessageCreate","callback":"hear"}]');
  const { project } = await apps.load(await apps.unpack(zip));
  expect(project?.handlers).toMatchObject([{ event: "onMessageCreate", handler: "hear" }]);
});

describe("dependencies", () => {
  const package_ = (name: string) => ({
    [`node_modules/${name}/package.json`]: { name, version: "1.0.0", main: "index.js" },
    [`node_modules/${name}/index.js`]: `module.exports = { word: "from ${name}" };\n`,
  });
  const files = {
    "manifest.json": { ...MANIFEST, dependencies: { declared: "1.0.0" } },
    "server/server.ts": `import declared from "declared";
import bundled from "bundled";
export default { install: () => renderData(), hear: () => console.info(declared.word, bundled.word) };
`,
    ...package_("declared"),
    ...package_("bundled"),
  };

  test("that are declared are required by name, others are bundled under their package name, not their path", async () => {
    const { text, names } = await packed(files);
    const server = text("server/server.js");
    expect(server).toContain('require("declared")');
    expect(server).toContain("from bundled");
    expect(server).not.toContain("from declared");
    expect(server).toContain('"bundled@1.0.0/index.js"');
    expect(server).not.toContain("node_modules");
    expect(names.some((name) => name.includes("node_modules"))).toBe(false);
  });

  test("are packed identically from any location", async () => {
    const near = await apps.write(files);
    // As in a folder of several apps: node_modules is in the parent folder.
    const appFolder = await apps.write(files);
    const parentFolder = `${appFolder}-above`;
    await cp(appFolder, join(parentFolder, "app"), { recursive: true });
    await rename(join(parentFolder, "app", "node_modules"), join(parentFolder, "node_modules"));
    const [one, other] = await Promise.all([apps.pack(near), apps.pack(join(parentFolder, "app"))]);
    expect(one.package?.sha256).toBeDefined();
    expect(other.package?.sha256).toBe(one.package?.sha256);
  });
});

describe("config/", () => {
  const iparams = (more: object) => ({
    "config/iparams.json": { name: { display_name: "Name", type: "text", ...more } },
  });
  const CALLBACKS = `import { tell } from "./words.ts";
export function checkName(name: string): string { return tell(name); }
export const onFormLoad = (): void => utils.set("name", { hint: tell("x") });
`;
  const withCallbacks: AppFiles = {
    ...iparams({ events: [{ change: "checkName" }] }),
    "config/assets/iparams.ts": CALLBACKS,
    "config/assets/words.ts": "export const tell = (text: string): string => `not ${text}`;\n",
  };

  test("callbacks in TypeScript become top-level functions of a script", async () => {
    const { names, text, zip } = await packed(withCallbacks);
    expect(names.filter((name) => name.startsWith("./config"))).toEqual([
      "./config/assets/iparams.js",
      "./config/iparams.json",
    ]);
    const script = text("config/assets/iparams.js");
    expect(script).toMatch(/^function checkName\(/m);
    expect(script).toMatch(/^function onFormLoad\(/m);
    const hints: unknown[] = [];
    const utils = { set: (...args: unknown[]) => hints.push(args) };
    expect(runInNewContext(`${script}\nonFormLoad();\ncheckName("Sam");`, { utils })).toBe("not Sam");
    expect(hints).toEqual([["name", { hint: "not x" }]]);
    expect((await apps.load(await apps.unpack(zip))).findings).toEqual([]);
  });

  test("TypeScript without onFormLoad gets no function of that name, which the page would call", async () => {
    const { text } = await packed({
      ...iparams({ events: [{ change: "checkName" }] }),
      "config/assets/iparams.ts": "export const checkName = (name: string) => `not ${name}`;\n",
    });
    const script = text("config/assets/iparams.js");
    expect(script).toMatch(/^function checkName\(/m);
    expect(script).not.toMatch(/onForm/);
  });

  test("callbacks in a plain script are packed unchanged", async () => {
    const script = "function checkName(name) { return name; }\n";
    const { text } = await packed({
      ...iparams({ events: [{ change: "checkName" }] }),
      "config/assets/iparams.js": script,
    });
    expect(text("config/assets/iparams.js")).toBe(script);
  });

  test("the default of a secure parameter is excluded, and a message says so", async () => {
    const folder = await apps.write({
      "config/iparams.json": {
        word: { display_name: "Word", type: "text", default_value: "open" },
        pass_key: { display_name: "Pass", type: "text", secure: true, default_value: "canary-5d1" },
      },
    });
    const { package: packed, findings } = await apps.pack(folder);
    const entries = await entriesOf(packed?.zip ?? new Uint8Array());
    for (const [, bytes] of entries) expect(bytes.toString("latin1")).not.toContain("canary-5d1");
    expect(entries.get("./config/iparams.json")?.toString()).toContain("open");
    expect(findings).toMatchObject([
      { level: "warning", message: "The default value of the secure parameter 'pass_key' is left out of the package" },
    ]);
  });

  test("editor files are excluded; all others are packed unchanged", async () => {
    const lying = `{\n  "$schema": "../x.json",\n\n  "name": { "display_name": "Name",   "type": "text" }\n}\n`;
    const { text } = await packed({
      "config/iparams.json": lying,
      "config/requests.json": { $schema: "../y.json" },
      "manifest.json": { $schema: "./z.json", ...MANIFEST },
    });
    expect(text("config/iparams.json")).toContain('"name": { "display_name": "Name",   "type": "text" }\n}\n');
    for (const name of ["config/iparams.json", "config/requests.json", "manifest.json"]) {
      expect(text(name)).not.toContain("$schema");
      expect(() => JSON.parse(text(name)) as unknown).not.toThrow();
    }
  });
});

test("a TypeScript script of app/ is bundled, and its page references the bundle", async () => {
  const { names, text } = await packed({
    "app/index.html": '<!doctype html><script type="module" src="scripts/main.ts"></script>',
    "app/scripts/main.ts": 'import { word } from "./word.ts";\ndocument.title = word;\n',
    "app/scripts/word.ts": 'export const word: string = "told";\n',
  });
  expect(names.filter((name) => name.startsWith("./app"))).toEqual([
    "./app/icon.svg",
    "./app/index.html",
    "./app/scripts/main.js",
  ]);
  expect(text("app/index.html")).toContain('src="scripts/main.js"');
  expect(text("app/scripts/main.js")).toContain('"told"');
});

test.each([
  ['<script src="page.ts"></script>', '<script src="page.js"></script>'],
  ["<script defer src='./page.ts?v=2'></script>", "<script defer src='./page.js?v=2'></script>"],
  ["<script src=page.ts type=module></script>", "<script src=page.js type=module></script>"],
  ["<script type=module src=page.ts></script>", "<script type=module src=page.js></script>"],
])("a page's TypeScript script is packed as JavaScript: %s", async (tag, packedTag) => {
  const { names, text } = await packed({
    "app/page.html": `<title>t</title>${tag}`,
    "app/page.ts": "alert(1 as number);",
  });
  expect(text("app/page.html")).toBe(`<title>t</title>${packedTag}`);
  expect(names).toContain("./app/page.js");
  expect(names).not.toContain("./app/page.ts");
});
