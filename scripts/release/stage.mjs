/** Writes the folders from which the released packages are packed. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { build as bundle } from "esbuild";
import { CONTRACT_VALUES } from "../contract-values.mjs";
import { INLINED_LIBRARIES, inlinedLibraries, stampOf } from "../build.mjs";
import { PACKAGES } from "../bundles.mjs";
import { root } from "../installed.mjs";
import { sdkModule } from "../sdk-file.mjs";
import { bundledTypes } from "./types.mjs";

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const packageJson = (name) => readJson(join(root, "packages", name, "package.json"));

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A link or picture with a relative target, which is the second group. */
const RELATIVE_LINK = /!?\[([^\]]*)\]\((?!\w+:)([^)#\s]+)(?:#[^)\s]*)?\)/g;

/**
 * Documents refer to files of the repository; where a package has no such file, only the text of the link remains. Sets the mode of each file,
 * which otherwise depends on the machine.
 */
function finishPackage(folder) {
  const { bin = {} } = readJson(join(folder, "package.json"));
  const programs = Object.values(bin).map((path) => join(folder, path));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (path.endsWith(".md")) {
      const text = readFileSync(path, "utf8").replace(RELATIVE_LINK, (link, words, target) =>
        existsSync(join(dirname(path), target)) ? link : words,
      );
      writeFileSync(path, text);
    }
    chmodSync(path, programs.includes(path) ? 0o755 : 0o644);
  }
}

/** Is part of the packages whose bundles contain libraries. */
const LICENCES_FILE = "THIRD-PARTY-LICENCES.txt";

/** The licences of the libraries in the bundles. */
function licences(folders) {
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = readJson(join(root, folder, "package.json"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(entry));
    const text = file ? readFileSync(join(root, folder, file), "utf8").trim() : `Licence: ${license}`;
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `This package contains the following libraries.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** Members that every released package takes from the repository. */
const commonMembers = ({ name, version, description, license, type, engines, keywords }) => ({
  ...{ name, version, description, keywords, license, type, engines },
});

/** An entry with types for both module systems. */
const dual = (name) => ({
  import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
});

/** Text of a document with links that are right when it lies in the root. */
const asRootDocument = (path) =>
  readFileSync(join(root, path), "utf8").replace(RELATIVE_LINK, (link, _words, target) =>
    link.replace(`](${target}`, `](${join(dirname(path), target)}`),
  );

function writePackage(folder, about, { readme, libraries }) {
  // npm adds a readme and a licence by itself, and no other text.
  const files = [...about.files, ...(libraries.length > 0 ? [LICENCES_FILE] : [])];
  write(join(folder, "package.json"), `${JSON.stringify({ ...about, files }, null, 2)}\n`);
  write(join(folder, "README.md"), asRootDocument(readme));
  write(join(folder, "LICENSE"), readFileSync(join(root, "LICENSE"), "utf8"));
  if (libraries.length > 0) write(join(folder, LICENCES_FILE), licences(libraries));
}

/** Bundles an entry for both module systems. -> folders of the libraries in the bundles */
async function bundleBoth(entry, { folder, name, platform, external = [] }) {
  const libraries = [];
  for (const [format, extension] of Object.entries({ esm: ".js", cjs: ".cjs" })) {
    const { metafile, outputFiles } = await bundle({
      absWorkingDir: root,
      ...{ entryPoints: [entry], bundle: true, write: false, metafile: true, format, platform, external },
      ...{
        target: "es2022",
        conditions: ["parley-source", "module"],
        mainFields: ["module", "main"],
        logLevel: "warning",
      },
      plugins: [CONTRACT_VALUES],
    });
    write(join(folder, "dist", name + extension), outputFiles[0].text);
    libraries.push(...inlinedLibraries(root, metafile));
  }
  return libraries;
}

/** `@parley/client`: one file for each module system, with the contract in it. */
async function stageClient(folder, types) {
  const about = packageJson("client");
  const { "@parley/contract": _contract, ...dependencies } = about.dependencies;
  const external = Object.keys(dependencies);
  const libraries = await bundleBoth("packages/client/src/index.ts", {
    ...{ folder, name: "index", platform: "neutral", external },
  });
  for (const extension of [".d.ts", ".d.cts"]) write(join(folder, "dist", `index${extension}`), types);
  writePackage(
    folder,
    {
      ...commonMembers(about),
      sideEffects: false,
      files: ["dist"],
      ...{ main: "./dist/index.cjs", types: "./dist/index.d.cts" },
      exports: { ".": dual("index"), "./package.json": "./package.json" },
      dependencies,
    },
    { readme: "packages/client/README.md", libraries },
  );
}

/** `@parley/framework`: the package that an app's own tests and types import. The framework itself is part of `@parley/parley`. */
async function stageFramework(folder, types) {
  const about = packageJson("framework");
  const libraries = await bundleBoth("packages/framework/src/testing.ts", {
    folder,
    name: "testing",
    platform: "node",
  });
  for (const extension of [".d.ts", ".d.cts"]) write(join(folder, "dist", `testing${extension}`), types);
  // One declaration for both module systems: a program that uses both would otherwise declare the globals twice.
  write(join(folder, "dist/sdk.d.cts"), await sdkModule());
  // The types have no code, but a module that is imported must exist.
  write(join(folder, "dist/sdk.cjs"), "module.exports = {};\n");
  // Resolution without `exports`, as in older versions of TypeScript, looks for a folder of the entry's name.
  for (const entry of ["testing", "sdk"])
    write(
      join(folder, entry, "package.json"),
      `${JSON.stringify({ main: `../dist/${entry}.cjs`, types: `../dist/${entry}.d.cts` }, null, 2)}\n`,
    );
  writePackage(
    folder,
    {
      ...commonMembers(about),
      description: "The test harness and the types for apps of Parley.",
      sideEffects: false,
      files: ["dist", "testing", "sdk"],
      exports: {
        "./testing": dual("testing"),
        "./sdk": { types: "./dist/sdk.d.cts", default: "./dist/sdk.cjs" },
        "./package.json": "./package.json",
      },
      peerDependencies: { "@parley/parley": about.version },
      peerDependenciesMeta: { "@parley/parley": { optional: true } },
    },
    { readme: "packages/framework/README.md", libraries },
  );
}

/** `@parley/messenger-types`: the types of what the messenger's script defines in the pages of a site. */
function stageMessengerTypes(folder) {
  const { type: _type, ...about } = commonMembers(packageJson("messenger"));
  write(join(folder, "index.d.ts"), readFileSync(join(root, "packages/messenger/types/index.d.ts"), "utf8"));
  // The types have no code, but a module that is imported must exist.
  write(join(folder, "index.js"), "module.exports = {};\n");
  writePackage(
    folder,
    {
      ...about,
      name: "@parley/messenger-types",
      type: "commonjs",
      description: "The types of the browser API of Parley's messenger.",
      sideEffects: false,
      files: ["index.d.ts", "index.js"],
      ...{ main: "./index.js", types: "./index.d.ts" },
      exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./package.json": "./package.json" },
    },
    { readme: "packages/messenger/types/README.md", libraries: [] },
  );
}

/** @returns the output of git in the repository; undefined without git or outside of a clone */
const git = (...words) => {
  const { status, stdout } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
};

/** The commit that is built, with a mark if files differ from it; undefined outside of a clone. @returns such as `3f2c1a9d4e` */
const buildOf = () => {
  const commit = git("rev-parse", "--short=10", "HEAD");
  return commit === undefined || git("status", "--porcelain") === "" ? commit : `${commit}.modified`;
};
const BUILD = buildOf();

/** Files of a package that run: bundles, and sources that are used unbuilt. The build of the console contains all of its sources. */
const isUsed = (path) =>
  !/\.map$|\/\.built$|\/console\/src\//.test(path) && (!/\/src\//.test(path) || /\.(?:hbs|css|pl|tmpl)$/.test(path));

function copyPackage(name, target) {
  const from = join(root, "packages", name);
  for (const part of ["dist", "src", "assets", "bin"]) {
    const entries = statSync(join(from, part), { throwIfNoEntry: false })
      ? readdirSync(join(from, part), { recursive: true, withFileTypes: true })
      : [];
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      if (!isUsed(path)) continue;
      const to = join(target, relative(from, path));
      mkdirSync(dirname(to), { recursive: true });
      cpSync(path, to);
      // Source maps are not released, so that nothing refers to them.
      if (path.endsWith(".js"))
        writeFileSync(to, readFileSync(to, "utf8").replace(/\n\/\/# sourceMappingURL=.*\n$/, "\n"));
    }
  }
  const { name: full, version, type, engines } = packageJson(name);
  const about = { name: full, version, ...(BUILD !== undefined && { build: BUILD }), type, engines };
  write(join(target, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
}

/** The files of the API reference that the service serves. The package has seven times as much, and its installation reports to its makers. */
const SWAGGER_UI = {
  folder: "node_modules/swagger-ui-dist",
  files: ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"],
};

/** Dependencies of all parts that are not in the bundles. */
function externalDependencies(member) {
  const all = PACKAGES.flatMap(({ name }) => Object.entries(packageJson(name)[member] ?? {}));
  const needed = all.filter(
    ([name]) =>
      !name.startsWith("@parley/") && !INLINED_LIBRARIES.test(name) && !SWAGGER_UI.folder.endsWith(`/${name}`),
  );
  return Object.fromEntries(needed.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const COMMAND_TYPES = `/**
 * Runs one command of \`parley\` in this process, with its output.
 * @param args without the names of Node and of the script: \`["validate", "--json", "my-app"]\`
 * @returns the exit status: 0 success, 1 failure; the reason is printed to standard error
 */
export declare function main(args: readonly string[]): Promise<number>;
`;
/** Files of the entry that programs import. */
const COMMAND_ENTRY = {
  "index.js": 'export { main } from "../packages/parley/dist/index.js";\n',
  "index.cjs": 'exports.main = async (args) => (await import("../packages/parley/dist/index.js")).main(args);\n',
  "index.d.ts": COMMAND_TYPES,
  "index.d.cts": COMMAND_TYPES,
};

/** `@parley/parley`: the command with the service, the framework and Concierge, in the layout of the repository. */
function stageCommand(folder, concierge) {
  const about = packageJson("parley");
  for (const { name } of PACKAGES) copyPackage(name, join(folder, "packages", name));
  cpSync(concierge, join(folder, "packages/parley/apps/concierge.zip"));
  for (const path of ["CHANGELOG.md", "packages/client/README.md", "packages/framework/README.md"])
    write(join(folder, path), readFileSync(join(root, path), "utf8"));
  for (const part of ["docs", "deploy"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const name of SWAGGER_UI.files)
    cpSync(join(root, SWAGGER_UI.folder, name), join(folder, "packages/service/assets/swagger-ui", name));
  for (const [name, text] of Object.entries(COMMAND_ENTRY)) write(join(folder, "dist", name), text);
  const bundled = PACKAGES.flatMap(({ name }) => readFileSync(stampOf(name), "utf8").split("\n").filter(Boolean));
  const libraries = [...bundled, SWAGGER_UI.folder];
  writePackage(
    folder,
    {
      ...commonMembers(about),
      files: ["dist", "packages", "docs", "deploy", "CHANGELOG.md"],
      bin: { parley: "packages/parley/bin/parley.mjs" },
      ...{ main: "./dist/index.cjs", types: "./dist/index.d.cts" },
      exports: { ".": dual("index"), "./package.json": "./package.json" },
      dependencies: externalDependencies("dependencies"),
      optionalDependencies: externalDependencies("optionalDependencies"),
    },
    { readme: "packages/parley/README.md", libraries },
  );
}

/**
 * @shape folder: receives one folder for each package; concierge: path of the packed app
 * @returns the folders
 */
export async function stagePackages(folder, concierge) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entries = ["packages/client/src/index.ts", "packages/framework/src/testing.ts"];
  const [client, testing] = await bundledTypes(entries, { folder: join(folder, "types"), external: ["axios"] });
  const staged = ["client", "framework", "parley", "messenger-types"].map((name) => join(folder, name));
  await stageClient(staged[0], client);
  await stageFramework(staged[1], testing);
  stageCommand(staged[2], concierge);
  stageMessengerTypes(staged[3]);
  for (const each of staged) finishPackage(each);
  return staged;
}
