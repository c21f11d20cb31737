/** Ways out of an app's folder, for tests that look for what lies outside. */

/** Where the attempts of a test may lead. */
export interface Outside {
  /** Absolute path of a folder beside the apps' folders. */
  readonly folder: string;
  /** What must appear nowhere. @shape an identifier of JavaScript */
  readonly canary: string;
}

export interface Attempt {
  readonly title: string;
  /** By path from the app's folder; besides a sound app's own. */
  readonly files?: Readonly<Record<string, string | object | undefined>>;
  /** Targets by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** Entry from which esbuild by itself, as a process with all rights would run it, tells the canary; absent where another reader would. */
  readonly leaksFrom?: string;
  /** Where it is no error: inside a boundary, which holds nothing that could be refused, or everywhere, since it is of no effect. */
  readonly isSilent?: "inside" | "everywhere";
}

/** Files that lie outside, each with the canary. */
export const outsideFiles = (canary: string): Readonly<Record<string, string>> => ({
  secret: canary,
  "secret.txt": canary,
  "secret.js": `module.exports = ${JSON.stringify(canary)};`,
  "index.js": `module.exports = ${JSON.stringify(canary)};`,
  "secret.ts": `export default ${JSON.stringify(canary)};`,
  "secret.json": JSON.stringify({ secret: canary }),
  "secret.css": `.${canary} { color: red }`,
  "secret.html": `<p>${canary}</p>`,
  "secret.map": JSON.stringify({
    version: 3,
    sources: ["x"],
    sourcesContent: [canary],
    names: [canary],
    mappings: "AAAAA",
  }),
  "package.json": JSON.stringify({ name: canary, version: "1.0.0", main: "index.js" }),
  "tsconfig.json": JSON.stringify({ compilerOptions: { jsxFactory: canary } }),
});

const SERVER = "server/server.js";
const server = (text: string) => ({ [SERVER]: `${text}\nexports = { hear: function () {} };` });
const typed = (text: string) => ({
  [SERVER]: undefined,
  "server/server.ts": `${text}\nexport default { hear(): void {} };`,
});
const PAGE = "app/page.ts";
const page = (text: string) => ({ "app/index.html": '<script src="page.ts"></script>', [PAGE]: text });
const dataMap = (map: object) =>
  `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;

/** @shape from `server/` and `app/`: the folder outside is `../../outside` */
export const escapeAttempts = ({ folder: out }: Outside): Readonly<Record<string, readonly Attempt[]>> => ({
  "import attributes": [
    {
      title: "type text",
      files: server(`import s from "${out}/secret" with { type: "text" }; console.info(s);`),
      leaksFrom: SERVER,
    },
    {
      title: "type bytes",
      files: server(`import s from "${out}/secret" with { type: "bytes" }; console.info(s);`),
      leaksFrom: SERVER,
    },
    {
      title: "type json",
      files: server(`import s from "${out}/secret.json" with { type: "json" }; console.info(s);`),
      leaksFrom: SERVER,
    },
    {
      title: "type text by a climb",
      files: server(`import s from "../../outside/secret" with { type: "text" }; console.info(s);`),
      leaksFrom: SERVER,
    },
    {
      title: "type text in import()",
      files: server(`import("${out}/secret", { with: { type: "text" } }).then(console.info);`),
      leaksFrom: SERVER,
    },
    {
      title: "type text of a file of the app's own",
      files: { ...server(`import s from "./words.js" with { type: "text" }; console.info(s);`), "server/words.js": "" },
    },
    {
      title: "type text in a page's script",
      files: page(`import s from "${out}/secret" with { type: "text" }; console.log(s);`),
      leaksFrom: PAGE,
    },
    {
      title: "type text in the callbacks",
      files: {
        "config/assets/iparams.js": `import s from "${out}/secret" with { type: "text" }; export const f = () => s;`,
      },
      leaksFrom: "config/assets/iparams.js",
    },
  ],
  "absolute paths": [
    { title: "require", files: server(`console.info(require("${out}/secret.js"));`), leaksFrom: SERVER },
    { title: "import of a file without an ending", files: server(`import "${out}/secret";`), leaksFrom: SERVER },
    {
      title: "import of JSON",
      files: server(`import s from "${out}/secret.json"; console.info(s);`),
      leaksFrom: SERVER,
    },
    {
      title: "import of a text",
      files: server(`import s from "${out}/secret.txt"; console.info(s);`),
      leaksFrom: SERVER,
    },
    { title: "import of a folder", files: server(`console.info(require("${out}"));`), leaksFrom: SERVER },
    {
      title: "file: address",
      files: server(`import s from "file://${out}/secret.js"; console.info(s);`),
    },
    {
      title: "from a data: address",
      files: server(`import "data:text/javascript,import '${out}/secret'";`),
    },
    { title: "an export from there", files: typed(`export * from "${out}/secret.ts";`) },
    {
      title: "a style sheet",
      files: { ...page('import "./page.css";'), "app/page.css": `@import "${out}/secret.css";` },
    },
    {
      title: "an address in a style sheet",
      files: { ...page('import "./page.css";'), "app/page.css": `a { background: url("${out}/secret.txt") }` },
    },
  ],
  climbs: [
    { title: "require", files: server(`console.info(require("../../outside/secret.js"));`), leaksFrom: SERVER },
    {
      title: "by way of a folder that is not there",
      files: server(`console.info(require("./no/../../../outside/secret.js"));`),
      leaksFrom: SERVER,
    },
    {
      title: "after the name of a package",
      files: {
        ...server(`console.info(require("pkg/../../../outside/secret.js"));`),
        "node_modules/pkg/package.json": "{}",
      },
      leaksFrom: SERVER,
    },
    {
      title: "a pattern in import()",
      files: server("const f = (name) => import(`../../outside/${name}.js`); f();"),
      leaksFrom: SERVER,
    },
    {
      title: "a pattern in require()",
      files: server("const f = (name) => require(`../../outside/${name}.json`); f();"),
      leaksFrom: SERVER,
    },
    {
      title: "out of a package",
      files: {
        ...server(`require("pkg");`),
        "node_modules/pkg/index.js": `console.info(require("../../../outside/secret.js"));`,
      },
      leaksFrom: SERVER,
    },
    {
      title: "to a hidden file of the folder",
      files: {
        ...server(`console.info(require("../.parley/api-key.js"));`),
        ".parley/api-key.js": `module.exports = "CANARY";`,
      },
      leaksFrom: SERVER,
    },
    {
      title: "to hidden JSON of the folder",
      files: { ...server(`console.info(require("../.env.json"));`), ".env.json": { secret: "CANARY" } },
      leaksFrom: SERVER,
    },
  ],
  links: [
    {
      title: "a file",
      files: server(`console.info(require("./lib.js"));`),
      links: { "server/lib.js": `${out}/secret.js` },
      leaksFrom: SERVER,
    },
    {
      title: "a folder",
      files: server(`console.info(require("./lib/secret.js"));`),
      links: { "server/lib": out },
      leaksFrom: SERVER,
    },
    {
      title: "a file outside of the parts that the host reads",
      files: server(`console.info(require("../shared/lib.js"));`),
      links: { "shared/lib.js": `${out}/secret.js` },
      leaksFrom: SERVER,
    },
    {
      title: "a link to a link",
      files: server(`console.info(require("./one.js"));`),
      links: { "server/one.js": "../shared.js", "shared.js": `${out}/secret.js` },
      leaksFrom: SERVER,
    },
    { title: "the entry", files: { [SERVER]: undefined }, links: { [SERVER]: `${out}/secret.js` }, leaksFrom: SERVER },
    {
      title: "the callbacks",
      links: { "config/assets/iparams.js": `${out}/secret.js` },
      leaksFrom: "config/assets/iparams.js",
    },
    {
      title: "a package",
      files: server(`console.info(require("pkg"));`),
      links: { "node_modules/pkg": out },
      leaksFrom: SERVER,
    },
    {
      title: "a package of a scope",
      files: server(`console.info(require("@scope/pkg"));`),
      links: { "node_modules/@scope/pkg": out },
      leaksFrom: SERVER,
    },
    {
      title: "all packages",
      files: server(`console.info(require("outside"));`),
      links: { node_modules: `${out}/..` },
      leaksFrom: SERVER,
    },
    {
      title: "a file of a package",
      files: { ...server(`console.info(require("pkg"));`), "node_modules/pkg/package.json": "{}" },
      links: { "node_modules/pkg/index.js": `${out}/secret.js` },
      leaksFrom: SERVER,
    },
    {
      title: "a hidden file of the folder",
      files: { ...server(`console.info(require("./key.js"));`), ".parley/key.js": `module.exports = "CANARY";` },
      links: { "server/key.js": "../.parley/key.js" },
      leaksFrom: SERVER,
    },
    { title: "server/", files: { [SERVER]: undefined }, links: { server: out } },
    { title: "app/", files: { "app/index.html": undefined }, links: { app: out } },
    { title: "the manifest", files: { "manifest.json": undefined }, links: { "manifest.json": `${out}/secret` } },
    {
      title: "the parameters",
      files: { "config/iparams.json": undefined },
      links: { "config/iparams.json": `${out}/secret.json` },
    },
    {
      title: "the installation page",
      files: { "config/iparams.json": undefined },
      links: { "config/iparams.html": `${out}/secret.html` },
    },
    { title: "the templates of requests", links: { "config/requests.json": `${out}/secret.json` } },
    { title: "the settings of OAuth", links: { "config/oauth_config.json": `${out}/secret.json` } },
    { title: "a page", links: { "app/more.html": `${out}/secret.html` } },
    { title: "an icon", links: { "app/icon.svg": `${out}/secret` } },
    { title: "README.md", links: { "README.md": `${out}/secret` } },
    { title: "package.json", links: { "package.json": `${out}/package.json` } },
    { title: "test data", links: { "server/test_data": out } },
  ],
  "tsconfig.json": [
    {
      title: "is a link",
      files: { ...typed('import "./view.tsx";'), "server/view.tsx": "export const view = <p/>; console.info(view);" },
      links: { "tsconfig.json": `${out}/tsconfig.json` },
      leaksFrom: "server/server.ts",
    },
    {
      title: "is a link to no JSON",
      files: typed(""),
      links: { "tsconfig.json": `${out}/secret` },
      leaksFrom: "server/server.ts",
    },
    {
      title: "extends an absolute path",
      files: {
        ...typed('import "./view.tsx";'),
        "server/view.tsx": "export const view = <p/>; console.info(view);",
        "tsconfig.json": { extends: `${out}/tsconfig.json` },
      },
      leaksFrom: "server/server.ts",
    },
    {
      title: "extends by a climb",
      files: {
        ...typed('import "./view.tsx";'),
        "server/view.tsx": "export const view = <p/>; console.info(view);",
        "server/tsconfig.json": { extends: "../../outside/tsconfig" },
      },
      leaksFrom: "server/server.ts",
    },
    {
      title: "extends a linked package",
      files: {
        ...typed('import "./view.tsx";'),
        "server/view.tsx": "export const view = <p/>; console.info(view);",
        "tsconfig.json": { extends: "pkg/tsconfig.json" },
      },
      links: { "node_modules/pkg": out },
      leaksFrom: "server/server.ts",
    },
    {
      title: "has paths that lead out",
      files: {
        ...typed('import s from "word"; console.info(s);'),
        "tsconfig.json": { compilerOptions: { paths: { word: ["../outside/secret.ts"] } } },
      },
      leaksFrom: "server/server.ts",
    },
    {
      title: "has a base that lies outside",
      files: {
        ...typed('import s from "secret"; console.info(s);'),
        "tsconfig.json": { compilerOptions: { baseUrl: "../outside" } },
      },
      leaksFrom: "server/server.ts",
    },
  ],
  "package.json": [
    {
      title: "main climbs",
      files: {
        ...server(`console.info(require("pkg"));`),
        "node_modules/pkg/package.json": { main: "../../../outside/secret.js" },
      },
      leaksFrom: SERVER,
    },
    {
      title: "module climbs in a page's script",
      files: {
        ...page('import s from "pkg"; console.log(s);'),
        "node_modules/pkg/package.json": { module: "../../../outside/secret.ts" },
      },
      leaksFrom: PAGE,
    },
    {
      title: "exports climb",
      files: {
        ...server(`console.info(require("pkg"));`),
        "node_modules/pkg/package.json": { exports: { ".": "./../../../outside/secret.js" } },
      },
    },
    {
      title: "imports climb",
      files: {
        ...server(`console.info(require("#word"));`),
        "package.json": { imports: { "#word": "../outside/secret.js" } },
      },
    },
    {
      title: "browser climbs",
      isSilent: "inside",
      files: {
        ...page('import s from "./real.js"; console.log(s);'),
        "app/real.js": "export default 1;",
        "package.json": { browser: { "./app/real.js": "../outside/secret.js" } },
      },
      leaksFrom: PAGE,
    },
    {
      title: "is a link in a package",
      files: { ...server(`require("pkg");`), "node_modules/pkg/index.js": "module.exports = 1;" },
      links: { "node_modules/pkg/package.json": `${out}/package.json` },
    },
    {
      title: "is a link to no JSON in a package",
      files: { ...server(`require("pkg");`), "node_modules/pkg/index.js": "module.exports = 1;" },
      links: { "node_modules/pkg/package.json": `${out}/secret` },
      leaksFrom: SERVER,
    },
  ],
  "source maps": [
    {
      title: "a data: map whose source lies outside",
      isSilent: "everywhere",
      files: page(
        `console.log(1);\n${dataMap({ version: 3, sources: [`${out}/secret`], names: [], mappings: "AAAA" })}`,
      ),
      leaksFrom: PAGE,
    },
    {
      title: "a map that lies outside",
      isSilent: "inside",
      files: page("console.log(1);\n//# sourceMappingURL=../../outside/secret.map"),
      leaksFrom: PAGE,
    },
    {
      title: "a map at a file: address",
      isSilent: "inside",
      files: page(`console.log(1);\n//# sourceMappingURL=file://${out}/secret.map`),
      leaksFrom: PAGE,
    },
    {
      title: "an escaped path",
      isSilent: "inside",
      files: page("console.log(1);\n//# sourceMappingURL=%2e%2e/%2e%2e/outside/secret.map"),
    },
    {
      title: "a map of a package",
      isSilent: "inside",
      files: {
        ...page('import "pkg";'),
        "node_modules/pkg/index.js": `console.log(1);\n//# sourceMappingURL=${out}/secret.map`,
      },
      leaksFrom: PAGE,
    },
    {
      title: "a map that is a link",
      files: page("console.log(1);\n//# sourceMappingURL=page.map"),
      links: { "app/page.map": `${out}/secret.map` },
      leaksFrom: PAGE,
    },
    {
      title: "names in the map of the handlers",
      isSilent: "inside",
      files: server(`console.info(1);\n//# sourceMappingURL=${out}/secret.map`),
    },
  ],
});
