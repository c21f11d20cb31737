import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { publint } from "publint";
import { ROOT, run, temporaryFolder } from "../support/parley-process.ts";
import { releasedPackages, type ReleasedPackage } from "./installed-release.ts";

/** Content of the released packages. */

interface Entry {
  readonly path: string;
  /** As `tar` prints it, such as `-rw-r--r--`. */
  readonly mode: string;
}
interface Unpacked extends ReleasedPackage {
  readonly folder: string;
  readonly entries: readonly Entry[];
}

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let packages: readonly Unpacked[];
const named = (name: string): Unpacked => {
  const found = packages.find((one) => one.name === name);
  if (!found) throw new Error(`${name} is not released.`);
  return found;
};

beforeAll(async () => {
  temporary = await temporaryFolder();
  packages = await Promise.all(
    (await releasedPackages()).map(async (one) => {
      const folder = join(temporary.folder, one.name);
      await mkdir(folder, { recursive: true });
      await run(["tar", "-xzf", one.file, "-C", folder, "--strip-components=1"]);
      const { stdout } = await run(["tar", "-tvzf", one.file]);
      const entries = stdout
        .trim()
        .split("\n")
        .map((line) => ({ mode: line.slice(0, 10), path: line.replace(/^.* package\//, "") }));
      return { ...one, folder, entries };
    }),
  );
}, 180_000);
afterAll(() => temporary.remove());

const NAMES = ["@parley/client", "@parley/framework", "@parley/messenger-types", "@parley/parley"];
const FILES = ["LICENSE", "README.md", "package.json"];
const LICENCES_FILE = "THIRD-PARTY-LICENCES.txt";

test("four packages are released, all with the version of the repository and requiring each other in it", () => {
  expect(packages.map(({ name }) => name).sort()).toEqual(NAMES);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  for (const { name, version: released, folder } of packages) {
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
    expect([name, released, about["version"], about["private"]]).toEqual([name, version, version, undefined]);
    const required = { ...(about["dependencies"] as object), ...(about["peerDependencies"] as object) };
    for (const [other, wanted] of Object.entries(required))
      if (other.startsWith("@parley/")) expect([name, other, wanted]).toEqual([name, other, version]);
  }
});

test.each(NAMES)(
  "publint has nothing to say about %s",
  async (name) => {
    const file = readFileSync(named(name).file);
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  },
  60_000,
);

test.each(NAMES)(
  "the types of every entry of %s are right for every resolution",
  async (name) => {
    const attw = join(ROOT, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { stdout, stderr } = await run([process.execPath, attw, named(name).file, "--format", "json"]);
    const { analysis } = JSON.parse(stdout || JSON.stringify({ analysis: stderr })) as {
      analysis: { problems: readonly unknown[]; entrypoints: Readonly<Record<string, unknown>> };
    };
    expect(analysis.problems).toEqual([]);
    const entries = name === "@parley/framework" ? ["./testing", "./sdk"] : ["."];
    expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(entries));
  },
  60_000,
);

test("the client, the framework and the types of the messenger contain exactly the bundles of their entries and the common texts", () => {
  const paths = (name: string) =>
    named(name)
      .entries.map(({ path }) => path)
      .sort();
  const both = (entry: string) => [".cjs", ".d.cts", ".d.ts", ".js"].map((extension) => `dist/${entry}${extension}`);
  expect(paths("@parley/client")).toEqual([...FILES, ...both("index")].sort());
  expect(paths("@parley/messenger-types")).toEqual([...FILES, "index.d.ts", "index.js"].sort());
  const folders = ["sdk/package.json", "testing/package.json"];
  expect(paths("@parley/framework")).toEqual(
    [...FILES, LICENCES_FILE, "dist/sdk.cjs", "dist/sdk.d.cts", ...both("testing"), ...folders].sort(),
  );
});

test("the command contains its texts, documentation, deployment files and parts, and neither sources nor tests nor source maps", () => {
  const paths = named("@parley/parley").entries.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...FILES,
      ...[LICENCES_FILE, "CHANGELOG.md", "docs/README.md", "packages/parley/bin/parley.mjs"],
      // The pages where agents sign in.
      "packages/console/dist/sign-in/sign-in.html",
    ]),
  );
  expect(
    paths.filter(
      (path) =>
        ![...FILES, LICENCES_FILE].includes(path) && !/^(?:CHANGELOG\.md$|(?:deploy|dist|docs|packages)\/)/.test(path),
    ),
  ).toEqual([]);
  const unwanted = /\.map$|\.built$|\.tsbuildinfo$|(?:^|\/)(?:test|node_modules)\/|(?<!\.d)\.[cm]?ts$/;
  expect(paths.filter((path) => unwanted.test(path) && !/\/templates?\/.*\.tmpl$/.test(path))).toEqual([]);
});

test("every file can be read by everyone, and only commands can be run", () => {
  const wrong = packages.flatMap(({ name, entries }) =>
    entries
      .filter(({ path, mode }) => mode !== (/(?:^|\/)bin\//.test(path) ? "-rwxr-xr-x" : "-rw-r--r--"))
      .map(({ path, mode }) => `${name}: ${mode} ${path}`),
  );
  expect(wrong).toEqual([]);
});

test("no file names a path of this machine, a package registry or a source map", () => {
  const home = process.env["HOME"];
  const places = [ROOT.replace(/\/$/, ""), temporary.folder, ...(home && home !== "/" ? [`${home}/`] : [])];
  const wrong = packages.flatMap(({ name, folder, entries }) =>
    entries.flatMap(({ path }) => {
      const text = readFileSync(join(folder, path), "latin1");
      const found = [
        ...places.filter((place) => text.includes(place)),
        ...(text.match(/https?:\/\/[\w.-]*(?:registry|verdaccio|artifactory)[\w.:/-]*/g) ?? []),
        ...(text.match(/^\/\/# sourceMappingURL=.*/gm) ?? []),
      ];
      return found.map((what) => `${name}: ${path}: ${what}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test("every relative link of a README leads to a file of its package", () => {
  const wrong = packages.flatMap(({ name, folder, entries }) => {
    const text = readFileSync(join(folder, "README.md"), "utf8");
    return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => normalize(join(dirname("README.md"), link)))
      .filter((path) => !entries.some((entry) => entry.path === path || entry.path.startsWith(`${path}/`)))
      .map((path) => `${name}: ${path}`);
  });
  expect(wrong).toEqual([]);
});

test("licences of the libraries in the bundles are in each package that contains some", () => {
  // The bundler marks the text of a library with its path, except in the minified bundles of the command.
  const libraryMark = /^\s*\/\/ (?:\.\.\/)*node_modules\//m;
  for (const { name, folder, entries } of packages) {
    const paths = entries.map(({ path }) => path);
    const hasLibraries =
      name === "@parley/parley" ||
      paths.some((path) => /\.[cm]?js$/.test(path) && libraryMark.test(readFileSync(join(folder, path), "utf8")));
    expect([name, paths.includes(LICENCES_FILE)]).toEqual([name, hasLibraries]);
    if (!hasLibraries) continue;
    const text = readFileSync(join(folder, LICENCES_FILE), "utf8");
    expect([name, text.length > 500]).toEqual([name, true]);
    expect(text).toContain("typebox");
  }
  expect(named("@parley/framework").entries.map(({ path }) => path)).toContain(LICENCES_FILE);
});
