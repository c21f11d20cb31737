import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { folders, said, type Folders } from "./project-folder.ts";

let apps: Folders;
beforeAll(async () => {
  apps = await folders();
});
afterAll(() => apps.remove());

const server = (code: string) => ({ "server/server.js": code });
const handler = (code: string) => server(`exports = {\n  hear: function (args) {\n    ${code}\n  }\n};`);
const page = (...tags: string[]) => `<html><head>${tags.join("")}</head></html>`;

describe("a mistake in a script is warned of, with its place", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a name that is nowhere", handler("nowhere();"), "server/server.js:3 'nowhere' is not defined"],
    ["a network in server/", handler("new WebSocket('x');"), "server/server.js:3 'WebSocket' is not defined"],
    ["a browser in server/", handler("window.x = 1;"), "server/server.js:3 'window' is not defined"],
    ["code after the end", handler("return;\nargs();"), "server/server.js:4 Unreachable code."],
    ["a key twice", handler("return { a: 1, a: 2 };"), "server/server.js:3 Duplicate key 'a'."],
    [
      "a comparison with NaN",
      handler("return args === NaN;"),
      "server/server.js:3 Use the isNaN function to compare with NaN.",
    ],
    [
      "a file that the entry does not name",
      { "server/lib/more.js": "\nlost();" },
      "server/lib/more.js:2 'lost' is not defined",
    ],
    ["a page's script", { "app/app.js": "\nlost();" }, "app/app.js:2 'lost' is not defined"],
    ["a callback", { "config/assets/iparams.js": "lost();" }, "config/assets/iparams.js:1 'lost' is not defined"],
  ])("%s", async (_title, files, expected) => {
    const { findings, project } = await apps.validate(files);
    expect(said({ findings })).toEqual([`warning ${expected}`]);
    expect(project).toBeDefined();
  });
});

describe("a wrong sign is an error, said once", () => {
  test.each([
    ["server/server.js", "exports = {\n hear: function ( {} };"],
    ["server/lib/lonely.js", "a(\n}"],
    ["app/app.js", "a(\n}"],
    ["app/typed.ts", "const a: = 1;"],
    ["config/assets/iparams.js", "function a( {"],
  ])("%s", async (file, text) => {
    const { findings, project } = await apps.validate({ [file]: text });
    expect(findings.map(({ code, level }) => `${code} ${level}`)).toEqual(["syntax error"]);
    expect(findings[0]).toMatchObject({ file, line: expect.any(Number), column: expect.any(Number) });
    expect(project).toBeUndefined();
  });
});

describe("nothing is said of", () => {
  test.each<[string, Record<string, unknown>]>([
    [
      "what the framework and Node give to handlers",
      handler(
        "$db; $request; $schedule; generateTargetUrl(); renderData(); console.info(Buffer, URL, setTimeout, require('util'));",
      ),
    ],
    [
      "an import and an export",
      { "server/server.js": "import { inspect } from 'node:util';\nexport const hear = () => inspect;" },
    ],
    [
      "what the browser gives to pages",
      { "app/app.js": "document.title = new IntersectionObserver(() => app.initialized());" },
    ],
    ["a name that another script of the page declares", { "app/a.js": "one();", "app/b.js": "function one() {}" }],
    ["a name that another script sets", { "app/a.js": "client.data;", "app/b.js": "client = 1;" }],
    ["a name that is put on the window", { "app/a.js": "shared;", "app/b.js": "window.shared = 1;" }],
    [
      "a name of a script in the page",
      { "app/a.js": "start();", "app/i.html": page("<script>function start() {}</script>") },
    ],
    ["a name that is asked for first", { "app/a.js": "if (typeof later === 'undefined') alert(1);" }],
    ["a name that a comment declares", { "app/a.js": "/* global later */ later();" }],
    ["rules of the author's own linter", { "app/a.js": "// eslint-disable-next-line no-such-rule\nalert(1);" }],
    [
      "names where a page loads scripts from elsewhere",
      { "app/a.js": "$('#a');", "app/i.html": page('<script src="https://code.example.com/all.js"></script>') },
    ],
    ["names where others' scripts lie beside", { "app/a.js": "draw();", "app/lib/chart.js": "function draw() {}" }],
    [
      "others' scripts",
      { "app/vendor/a.js": "lost(", "app/b.min.js": "lost(", "app/c.js": `var a = "${"x".repeat(2000)}"; lost();` },
    ],
    [
      "installed packages and tests",
      { "server/node_modules/a/index.js": "lost(", "server/test/a.js": "lost(", "server/a.test.js": "lost(" },
    ],
    [
      "a callback's own names",
      {
        "config/assets/iparams.js":
          "app.initialized().then((c) => { client = c; });\nfunction a() { utils.set('a', { hint: client }); }",
      },
    ],
    [
      "the scripts of a page of the app's own",
      { "config/iparams.json": undefined, "config/iparams.html": "", "config/assets/iparams.js": "$('#a');" },
    ],
    ["React's syntax", { "app/src/a.js": "export const A = () => <p>Hi</p>;" }],
    ["TypeScript", { "app/a.ts": "const a: number = 1; export default a;" }],
  ])("%s", async (_title, files) => {
    expect(said(await apps.validate(files))).toEqual([]);
  });
});

describe("a secure parameter that a handler looks for in its arguments is warned of:", () => {
  test.each([
    "return args.iparams.key;",
    "return args.iparams?.key;",
    'return args["iparams"] && args.iparams["key"];',
    "const { domain, key } = args.iparams;",
    "const iparams = args.iparams; return iparams . key;",
  ])("%s", async (code) => {
    expect(said(await apps.validate(handler(code)))).toEqual([
      "warning server/server.js:3 The secure iparam 'key' is not in args.iparams unless an admin consents: it is undefined by default",
    ]);
  });

  test.each([
    "return args.iparams.domain;",
    "return args.iparams.keys + args.key;",
    "// args.iparams.key",
    "const { domain } = args.iparams;",
  ])("but not %s", async (code) => {
    expect(said(await apps.validate(handler(code)))).toEqual([]);
  });
});

test("findings stand in the order of the files, and each JSON finding has its line and column", async () => {
  const { findings } = await apps.validate({
    "app/a.js": "lost();",
    "server/lib/b.js": "lost();",
    "config/iparams.json":
      '{\n  "a": {\n    "display_name": "A",\n    "type": "colour"\n  },\n  "b": { "type": "text" }\n}',
    "manifest.json": '{\n  "platform-version": "3.0",\n  "modules": {\n    "chat_user": { "functions": {} }\n  }\n}',
  });
  expect(findings.map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual([
    "manifest.json:4:20",
    "config/iparams.json:4:5",
    "config/iparams.json:6:3",
    "server/lib/b.js:1:1",
    "app/a.js:1:1",
  ]);
});
