import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ensureDependencies } from "../../src/package/dependencies/dependencies.ts";
import { npmProgram } from "../../src/package/dependencies/npm-program.ts";
import { findBoundary, type Boundary } from "../../src/sandbox/boundary.ts";
import { treeOf } from "../support/folder-tree.ts";
import { startHostileRegistry } from "./hostile-registry.ts";
import type { FakeRegistry } from "../support/fake-registry.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";

/** Dependency declarations of an app run no command on the host, write nothing outside its node_modules, and send nothing to other servers. */

const SECRET_NAME = "PARLEY_TEST_CANARY";
const secret = `canary-${randomBytes(12).toString("hex")}`;
const before = process.env[SECRET_NAME];

const base = await realpath(await mkdtemp(join(tmpdir(), "parley-npm-boundary-")));
const outside = join(base, "outside");
/** Exists if a command of the app has run. */
const marker = join(outside, "marker");
const program = join(outside, "evil.sh");

let boundary: Boundary;
let registry: FakeRegistry;
/** A server other than the registry. */
let elsewhere: FakeRegistry;
beforeAll(async () => {
  process.env[SECRET_NAME] = secret;
  boundary = await findBoundary();
  await mkdir(outside);
  await writeFile(program, `#!/bin/sh\ntouch ${marker}\nexit 1\n`);
  await chmod(program, 0o755);
  // Any user can create the marker.
  for (const path of [base, outside]) await chmod(path, 0o777);
  [registry, elsewhere] = await startHostileRegistry({ base, outside, marker });
});
afterAll(async () => {
  if (before === undefined) delete process.env[SECRET_NAME];
  else process.env[SECRET_NAME] = before;
  await Promise.all([registry.close(), elsewhere.close()]);
  await rm(base, { recursive: true, force: true });
});

let turn = 0;
async function write(dependencies: Record<string, string>, npmrc: string): Promise<string> {
  const folder = join(base, "apps", `app-${(turn += 1)}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "manifest.json"), JSON.stringify({ dependencies }));
  await writeFile(join(folder, ".npmrc"), npmrc);
  return folder;
}

/** Installs dependencies as a host does before it loads an app, and checks the marker, the outside folder and the other server. */
async function install(folder: string) {
  const lines: string[] = [];
  const untouched = await treeOf(outside);
  const findings = await ensureDependencies(boundary, folder, (line) => lines.push(line));
  expect(existsSync(marker)).toBe(false);
  expect(await treeOf(outside)).toEqual(untouched);
  expect((await treeOf(folder)).filter((path) => path.endsWith("(no file)"))).toEqual([]);
  const outputs = [
    registry.requests,
    elsewhere.requests,
    lines,
    findings.map((finding) => JSON.stringify(finding)),
  ].flat();
  expect(outputs.filter((text) => text.includes(secret))).toEqual([]);
  return { folder, findings: findings.map(({ code, line }) => `${code} ${line ?? ""}`.trim()), lines };
}

const packagesIn = (folder: string) => readdir(join(folder, "node_modules")).catch(() => []);

describe("a line of .npmrc", () => {
  test.each(
    sampleRows<readonly [string, () => string]>(
      [
        ["a program for git", () => `git=${program}`],
        ["a program for scripts", () => `script-shell=${program}`],
        ["options for Node", () => `node-options=--require=${program}`],
        ["another shell", () => `shell=${program}`],
        ["an editor", () => `editor=${program}`],
        ["a browser", () => `browser=${program}`],
        ["a preloaded module", () => `init-module=${program}`],
        ["another prefix", () => `prefix=${outside}`],
        ["a global installation", () => "global=true\nlocation=global"],
        ["another cache folder", () => `cache=${outside}/cache`],
        ["another log folder", () => `logs-dir=${outside}/logs`],
        ["another configuration file", () => `userconfig=${outside}/npmrc`],
        ["a proxy", () => `proxy=${elsewhere.origin}/\nhttps-proxy=${elsewhere.origin}/`],
        ["an environment variable as the registry", () => `registry=${elsewhere.origin}/\${${SECRET_NAME}}/`],
        ["a quoted environment variable as the registry", () => `registry = "${elsewhere.origin}/\${${SECRET_NAME}}/"`],
        [
          "an environment variable as a scope's registry",
          () => `@scope:registry=${elsewhere.origin}/\${${SECRET_NAME}}/`,
        ],
        [
          "an environment variable as a user in the registry's URL",
          () => `registry=http://\${${SECRET_NAME}}@127.0.0.1:9/`,
        ],
        ["an environment variable as a token", () => `//${registry.origin.slice(7)}/:_authToken=\${${SECRET_NAME}}`],
        ["an environment variable as a user name", () => `//${registry.origin.slice(7)}/:username=\${${SECRET_NAME}}`],
        ["an environment variable as a user agent", () => `user-agent=\${${SECRET_NAME}}`],
        ["a token of an unnamed registry", () => `//${elsewhere.origin.slice(7)}/:_authToken=abc`],
        ["a section", () => "[registry]\nscript-shell=x"],
        ["a list", () => `omit[]=\${${SECRET_NAME}}`],
      ],
      6,
    ),
  )("with %s is ignored with a warning that names it", async (_title, lines) => {
    const folder = await write({ sound: "1.0.0", "@scope/sound": "1.0.0" }, `${lines()}\n${registry.npmrc}`);
    const { findings } = await install(folder);
    expect(findings).toEqual(
      lines()
        .split("\n")
        .map((_line, index) => `npmrc-line ${index + 1}`),
    );
    expect((await packagesIn(folder)).sort()).toEqual(["@scope", "sound"]);
  });

  test("without effect on the installation is dropped without a warning", async () => {
    const folder = await write({ scripts: "1.0.0" }, `ignore-scripts=false\nfund=false\n${registry.npmrc}`);
    expect((await install(folder)).findings).toEqual([]);
    expect(await packagesIn(folder)).toEqual(["scripts"]);
  });

  test("with a literal registry, a scope's registry and their tokens is used", async () => {
    const token = `${registry.origin.slice(5)}/:_authToken=literal-token`;
    const folder = await write(
      { "@scope/sound": "1.0.0" },
      `; of the author\n@scope:registry = ${registry.origin}\n${token}\n`,
    );
    expect((await install(folder)).findings).toEqual([]);
    expect(await packagesIn(folder)).toEqual(["@scope"]);
    expect(registry.requests.at(-1)).toContain("Bearer literal-token");
  });
});

describe("a dependency of the manifest", () => {
  test.each<Record<string, string>>([
    { sound: `git+file://${outside}` },
    { sound: "git+ssh://git@127.0.0.1/x.git" },
    { sound: "github:someone/something" },
    { sound: `file:${outside}` },
    { sound: `link:${outside}` },
    { sound: "http://127.0.0.1:9/x.tgz" },
    { sound: "npm:other@1.0.0" },
    { sound: "latest" },
    { sound: "1.0.0 || 2.0.0" },
    { "../../outside": "1.0.0" },
    { [outside]: "1.0.0" },
    { "@scope/../../../outside": "1.0.0" },
    { ".bin": "1.0.0" },
    { "--prefix=/": "1.0.0" },
    { "sound\n": "1.0.0" },
  ])("that is not a package at an exact version is not requested: %j", async (dependencies) => {
    const asked = registry.requests.length;
    const folder = await write(dependencies, registry.npmrc);
    expect((await install(folder)).lines).toEqual([]);
    expect(await packagesIn(folder)).toEqual([]);
    expect(registry.requests.length).toBe(asked);
  });
});

describe("a package that depends on", () => {
  test.each(
    sampleRows<readonly [string, string]>(
      [
        ["a git repository", "needs-git"],
        ["a git repository over ssh", "needs-ssh"],
        ["a GitHub repository", "needs-hub"],
        ["a folder", "needs-folder"],
        ["a folder by a parent path", "needs-climb"],
        ["a link", "needs-link"],
        ["an archive at another URL", "needs-archive"],
        ["an archive of this machine", "needs-archive-file"],
        ["a package under another name", "needs-alias"],
      ],
      3,
    ),
  )("%s is not installed", async (_title, name) => {
    const folder = await write({ [name]: "1.0.0" }, `git=${program}\n${registry.npmrc}`);
    const { findings } = await install(folder);
    expect(findings).toEqual(["npmrc-line 1", "dependency-install"]);
    expect(await packagesIn(folder)).toEqual([]);
  });
});

describe("an archive with", () => {
  test.each(
    sampleRows<readonly [string, string]>(
      [
        ["a link", "archive-link"],
        ["a link to a folder and a file behind it", "archive-folder-link"],
        ["a hard link to a file outside", "archive-hard-link"],
        ["a file with a parent path", "archive-climb"],
        ["a file with an absolute path", "archive-absolute"],
        ["a named pipe", "archive-pipe"],
      ],
      3,
    ),
  )("%s extracts plain files into node_modules, or nothing", async (_title, name) => {
    const folder = await write({ [name]: "1.0.0" }, registry.npmrc);
    await install(folder);
    const paths = await treeOf(join(folder, "node_modules"));
    expect(paths.filter((path) => path !== name && !path.startsWith(`${name}/`))).toEqual([]);
  });
});

describe("a package with", () => {
  test.each(
    sampleRows<readonly [string, string]>(
      [
        ["scripts for each step of an installation", "scripts"],
        ["a native build file", "gyp"],
        ["a command whose name is a path", "bin-path"],
        ["a command outside the package", "bin-target"],
        ["a folder of commands outside the package", "bin-folder"],
      ],
      2,
    ),
  )("%s is installed as files", async (_title, name) => {
    const folder = await write({ [name]: "1.0.0" }, registry.npmrc);
    expect((await install(folder)).findings).toEqual([]);
    expect(await treeOf(join(folder, "node_modules"))).toEqual(expect.arrayContaining([name, `${name}/index.js`]));
    expect(await packagesIn(folder)).toEqual([name]);
    expect((await lstat(join(folder, "node_modules", name, "index.js"))).mode & 0o7111).toBe(0);
  });
});

describe("a link in the app's folder", () => {
  const linked = async (path: string) => {
    const folder = await write({ sound: "1.0.0", "@scope/sound": "1.0.0" }, registry.npmrc);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(outside, join(folder, path));
    const untouched = await treeOf(outside);
    const findings = await ensureDependencies(boundary, folder, () => undefined);
    expect(await treeOf(outside)).toEqual(untouched);
    return { folder, codes: findings.map(({ code }) => code) };
  };

  test.each(["node_modules", "node_modules/@scope"])("in place of %s is rejected and not followed", async (path) => {
    expect((await linked(path)).codes).toEqual(["dependency-install"]);
  });

  test("in place of a package is replaced", async () => {
    const { folder, codes } = await linked("node_modules/sound");
    expect(codes).toEqual([]);
    expect((await lstat(join(folder, "node_modules", "sound"))).isSymbolicLink()).toBe(false);
  });
});

describe("without the boundary, npm in the app's folder", () => {
  /** Runs npm with the host's rights and environment. */
  const npm = async (folder: string, ...packages: string[]) => {
    await writeFile(join(folder, "package.json"), "{}");
    const own = [`--cache=${join(folder, "cache")}`, "--no-audit", "--no-fund", "--fetch-retries=0"];
    const child = spawn(process.execPath, [npmProgram() ?? "", "install", ...own, ...packages], {
      cwd: folder,
      stdio: "ignore",
    });
    await new Promise((resolve) => child.once("close", resolve));
  };
  const wasRun = async () => {
    const isThere = existsSync(marker);
    await rm(marker, { force: true });
    return isThere;
  };

  test("runs the program that .npmrc names", async () => {
    await npm(await write({}, `${registry.npmrc}git=${program}\nallow-git=all\n`), "needs-git@1.0.0");
    expect(await wasRun()).toBe(true);
  });

  test("sends values of the environment", async () => {
    await npm(await write({}, `registry=${elsewhere.origin}/\${${SECRET_NAME}}/\n`), "sound@1.0.0");
    expect(elsewhere.requests.join("\n")).toContain(secret);
    elsewhere.requests.length = 0;
  });

  test("runs scripts of packages", async () => {
    const folder = await write({}, registry.npmrc);
    await npm(folder, "--ignore-scripts=false", "--dangerously-allow-all-scripts", "scripts@1.0.0");
    expect(await wasRun()).toBe(true);
  });

  test("links to a folder outside", async () => {
    await writeFile(join(outside, "package.json"), '{"name":"inner","version":"1.0.0"}');
    const folder = await write({}, `${registry.npmrc}install-links=false\n`);
    await npm(folder, `inner@file:${outside}`);
    await rm(join(outside, "package.json"));
    expect((await lstat(join(folder, "node_modules", "inner"))).isSymbolicLink()).toBe(true);
  });
});
