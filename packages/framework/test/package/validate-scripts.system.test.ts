import { describe, expect, test } from "@jest/globals";
import { findingLines, manifestWith, projectFolders } from "../support/project-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const apps = fileFixture(() => projectFolders({ reusesFolder: true }));

const server = (code: string) => ({ "server/server.js": code });
const handler = (code: string) => server(`exports = {\n  hear: function (args) {\n    ${code}\n  }\n};`);
const page = (...tags: string[]) => `<html><head>${tags.join("")}</head></html>`;

describe("an error in a script causes a warning with its location:", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["an undefined name", handler("nowhere();"), "server/server.js:3 'nowhere' is not defined"],
    ["a network global in server/", handler("new WebSocket('x');"), "server/server.js:3 'WebSocket' is not defined"],
    ["a browser global in server/", handler("window.x = 1;"), "server/server.js:3 'window' is not defined"],
    ["unreachable code", handler("return;\nargs();"), "server/server.js:4 Unreachable code."],
    ["a duplicate key", handler("return { a: 1, a: 2 };"), "server/server.js:3 Duplicate key 'a'."],
    [
      "a comparison with NaN",
      handler("return args === NaN;"),
      "server/server.js:3 Use the isNaN function to compare with NaN.",
    ],
    [
      "a file that the entry doesn't import",
      { "server/lib/more.js": "\nlost();" },
      "server/lib/more.js:2 'lost' is not defined",
    ],
    ["a page's script", { "app/app.js": "\nlost();" }, "app/app.js:2 'lost' is not defined"],
    ["a callback", { "config/assets/iparams.js": "lost();" }, "config/assets/iparams.js:1 'lost' is not defined"],
  ])("%s", async (_title, files, expected) => {
    const { findings, project } = await apps.validate(files);
    expect(findingLines({ findings })).toEqual([`warning ${expected}`]);
    expect(project).toBeDefined();
  });
});

describe("a syntax error in a script is one error:", () => {
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

describe("a page without a script of an app that declares a framework's build is", () => {
  const EMPTY =
    "<html><head><title>Modal</title></head><body><noscript>Enable scripts.</noscript><div id=root></div></body></html>";
  const OPENED = { "app/a.js": "client.interface.trigger('showModal', { template: 'views/modal.html' });" };
  const place = { location: { conversation_user_info: { url: "views/modal.html", icon: "i.svg" } } };
  const inManifest = { "manifest.json": manifestWith({ chat_conversation: place }), "app/i.svg": "<svg/>" };
  test.each<[string, string, string, Record<string, unknown>, readonly string[]]>([
    ["an error", "empty and opened by code", EMPTY, OPENED, ["page-build"]],
    ["an error", "empty and a place of the manifest", EMPTY, inManifest, ["page-build"]],
    [
      "an error",
      "empty and linked by a page",
      EMPTY,
      { "app/o.html": '<p><a href="views/modal.html">Open</a></p>' },
      ["page-build"],
    ],
    ["no error", "empty, and nothing names it", EMPTY, {}, []],
    ["no error", "static, and opened by code", EMPTY.replace("<div id=root></div>", "<p>Done.</p>"), OPENED, []],
    [
      "no error",
      "a picture, and opened by code",
      EMPTY.replace("<div id=root></div>", "<img src='i.svg'>"),
      OPENED,
      [],
    ],
    [
      "no error",
      "a form, and a place of the manifest",
      EMPTY.replace("<div id=root></div>", "<input>"),
      inManifest,
      [],
    ],
  ])("%s if it is %s", async (_level, _title, text, files, codes) => {
    const { findings } = await apps.validate({
      "app/views/modal.html": text,
      "package.json": { metaConfig: { framework: "react" } },
      ...files,
    });
    expect(findings.filter(({ code }) => code.startsWith("page-")).map(({ code }) => code)).toEqual(codes);
  });
});

test("scripts of pages are bundled as a package bundles them: an import that can't be resolved is an error", async () => {
  const { findings, project } = await apps.validate({
    "app/i.html": page('<script src="start.ts"></script>', '<script src="view.jsx"></script>'),
    "app/start.ts": 'import { lost } from "./lost";\nimport all from "no-such-package";\nlost(all);',
    "app/view.jsx": 'import "./view.css";',
  });
  expect(findings.map(({ level, file, line }) => [level, file, line])).toEqual([
    ["error", "app/start.ts", 1],
    ["error", "app/start.ts", 2],
    ["error", "app/view.jsx", 1],
  ]);
  expect(project).toBeUndefined();
});

describe("no finding is reported for", () => {
  test.each<[string, Record<string, unknown>]>([
    [
      "globals of the framework and Node in handlers",
      handler(
        "$db; $request; $schedule; generateTargetUrl(); renderData(); console.info(Buffer, URL, setTimeout, require('util'));",
      ),
    ],
    [
      "an import and an export",
      { "server/server.js": "import { inspect } from 'node:util';\nexport const hear = () => inspect;" },
    ],
    [
      "browser globals in pages",
      { "app/app.js": "document.title = new IntersectionObserver(() => app.initialized());" },
    ],
    ["a name that another script of the page declares", { "app/a.js": "one();", "app/b.js": "function one() {}" }],
    ["a name that another script sets", { "app/a.js": "client.data;", "app/b.js": "client = 1;" }],
    ["a name that is set on window", { "app/a.js": "shared;", "app/b.js": "window.shared = 1;" }],
    [
      "a name of an inline script",
      { "app/a.js": "start();", "app/i.html": page("<script>function start() {}</script>") },
    ],
    ["a name that is checked with typeof first", { "app/a.js": "if (typeof later === 'undefined') alert(1);" }],
    ["a name that a comment declares", { "app/a.js": "/* global later */ later();" }],
    ["rules of the author's own linter", { "app/a.js": "// eslint-disable-next-line no-such-rule\nalert(1);" }],
    [
      "names in a page with scripts from other hosts",
      { "app/a.js": "$('#a');", "app/i.html": page('<script src="https://code.example.com/all.js"></script>') },
    ],
    [
      "names in a page with third-party scripts beside it",
      { "app/a.js": "draw();", "app/lib/chart.js": "function draw() {}" },
    ],
    [
      "third-party scripts",
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
      "the scripts of a custom installation page",
      { "config/iparams.json": undefined, "config/iparams.html": "", "config/assets/iparams.js": "$('#a');" },
    ],
    [
      "built scripts of a custom installation page, with a module system of their own",
      {
        "config/iparams.json": undefined,
        "config/iparams.html": "",
        "config/assets/iparams.js":
          "define(['./core'], () => { const $ = require('./gone'); return import('./other'); });",
      },
    ],
    ["React's syntax", { "app/src/a.js": "export const A = () => <p>Hi</p>;" }],
    ["TypeScript", { "app/a.ts": "const a: number = 1; export default a;" }],
  ])("%s", async (_title, files) => {
    expect(findingLines(await apps.validate(files))).toEqual([]);
  });
});

describe("a handler that reads a secure parameter from its arguments causes a warning:", () => {
  test.each([
    "return args.iparams.key;",
    "return args.iparams?.key;",
    'return args["iparams"] && args.iparams["key"];',
    "const { domain, key } = args.iparams;",
    "const iparams = args.iparams; return iparams . key;",
  ])("%s", async (code) => {
    expect(findingLines(await apps.validate(handler(code)))).toEqual([
      "warning server/server.js:3 The secure iparam 'key' is not in args.iparams unless an admin consents: it is undefined by default",
    ]);
  });

  test.each([
    "return args.iparams.domain;",
    "return args.iparams.keys + args.key;",
    "// args.iparams.key",
    "const { domain } = args.iparams;",
  ])("but not %s", async (code) => {
    expect(findingLines(await apps.validate(handler(code)))).toEqual([]);
  });
});

test("findings are in the order of the files, and each JSON finding has its line and column", async () => {
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
