import { page, server, SERVER, typed, PAGE, type EscapeAttempt, type OutsideFolder } from "./escape-attempt.ts";

/** @shape relative to `server/` and `app/`: the outside folder is `../../outside` */
export const attemptsByFile = ({ folder: out }: OutsideFolder): Readonly<Record<string, readonly EscapeAttempt[]>> => ({
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
    { title: "the OAuth configuration", links: { "config/oauth_config.json": `${out}/secret.json` } },
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
      title: "extends a parent path",
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
      title: "has paths to the outside",
      files: {
        ...typed('import s from "word"; console.info(s);'),
        "tsconfig.json": { compilerOptions: { paths: { word: ["../outside/secret.ts"] } } },
      },
      leaksFrom: "server/server.ts",
    },
    {
      title: "has a base outside",
      files: {
        ...typed('import s from "secret"; console.info(s);'),
        "tsconfig.json": { compilerOptions: { baseUrl: "../outside" } },
      },
      leaksFrom: "server/server.ts",
    },
  ],
  "package.json": [
    {
      title: "main with a parent path",
      files: {
        ...server(`console.info(require("pkg"));`),
        "node_modules/pkg/package.json": { main: "../../../outside/secret.js" },
      },
      leaksFrom: SERVER,
    },
    {
      title: "module with a parent path in a page's script",
      files: {
        ...page('import s from "pkg"; console.log(s);'),
        "node_modules/pkg/package.json": { module: "../../../outside/secret.ts" },
      },
      leaksFrom: PAGE,
    },
    {
      title: "exports with a parent path",
      files: {
        ...server(`console.info(require("pkg"));`),
        "node_modules/pkg/package.json": { exports: { ".": "./../../../outside/secret.js" } },
      },
    },
    {
      title: "imports with a parent path",
      files: {
        ...server(`console.info(require("#word"));`),
        "package.json": { imports: { "#word": "../outside/secret.js" } },
      },
    },
    {
      title: "browser with a parent path",
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
});
