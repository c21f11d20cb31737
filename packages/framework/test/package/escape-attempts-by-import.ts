import {
  dataMap,
  page,
  server,
  SERVER,
  typed,
  PAGE,
  type EscapeAttempt,
  type OutsideFolder,
} from "./escape-attempt.ts";

/** @shape relative to `server/` and `app/`: the outside folder is `../../outside` */
export const attemptsByImport = ({
  folder: out,
}: OutsideFolder): Readonly<Record<string, readonly EscapeAttempt[]>> => ({
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
      title: "type text with a parent path",
      files: server(`import s from "../../outside/secret" with { type: "text" }; console.info(s);`),
      leaksFrom: SERVER,
    },
    {
      title: "type text in import()",
      files: server(`import("${out}/secret", { with: { type: "text" } }).then(console.info);`),
      leaksFrom: SERVER,
    },
    {
      title: "type text of an own file",
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
    { title: "import of a file without an extension", files: server(`import "${out}/secret";`), leaksFrom: SERVER },
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
      title: "file: URL",
      files: server(`import s from "file://${out}/secret.js"; console.info(s);`),
    },
    {
      title: "from a data: URL",
      files: server(`import "data:text/javascript,import '${out}/secret'";`),
    },
    { title: "an export from outside", files: typed(`export * from "${out}/secret.ts";`) },
    {
      title: "a style sheet",
      files: { ...page('import "./page.css";'), "app/page.css": `@import "${out}/secret.css";` },
    },
    {
      title: "a URL in a style sheet",
      files: { ...page('import "./page.css";'), "app/page.css": `a { background: url("${out}/secret.txt") }` },
    },
  ],
  climbs: [
    { title: "require", files: server(`console.info(require("../../outside/secret.js"));`), leaksFrom: SERVER },
    {
      title: "through a missing folder",
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
  "source maps": [
    {
      title: "a data: source map with a source outside",
      isSilent: "everywhere",
      files: page(
        `console.log(1);\n${dataMap({ version: 3, sources: [`${out}/secret`], names: [], mappings: "AAAA" })}`,
      ),
      leaksFrom: PAGE,
    },
    {
      title: "a source map outside",
      isSilent: "inside",
      files: page("console.log(1);\n//# sourceMappingURL=../../outside/secret.map"),
      leaksFrom: PAGE,
    },
    {
      title: "a source map at a file: URL",
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
      title: "a source map of a package",
      isSilent: "inside",
      files: {
        ...page('import "pkg";'),
        "node_modules/pkg/index.js": `console.log(1);\n//# sourceMappingURL=${out}/secret.map`,
      },
      leaksFrom: PAGE,
    },
    {
      title: "a source map that is a link",
      files: page("console.log(1);\n//# sourceMappingURL=page.map"),
      links: { "app/page.map": `${out}/secret.map` },
      leaksFrom: PAGE,
    },
    {
      title: "names in the source map of the handlers",
      isSilent: "inside",
      files: server(`console.info(1);\n//# sourceMappingURL=${out}/secret.map`),
    },
  ],
});
