import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitUntil } from "../support/wait-until.ts";
import { familyOf, ROOT, survivors } from "../support/parley-process.ts";
import { emptyUserFolder, installedFolder, type UserFolder } from "./installed-release.ts";

/** The command `parley` of the released packages, as an ordinary user runs it in a folder that contains nothing else. */

/** Size of an installation of all packages. @units megabytes */
const sizeMax = 200;
/** Parts from this size on are explained in the documentation. @units megabytes */
const explainedSize = 5;
const MEGABYTE = 2 ** 20;

let user: UserFolder;
beforeAll(async () => {
  user = await installedFolder(["@parley/client", "@parley/framework", "@parley/parley"]);
}, 300_000);
afterAll(() => user.remove());

/** Space that files take on a disk, each of several links to a file once. @units bytes */
const sizesOf = (folders: readonly string[]): readonly number[] => {
  const counted = new Set<number>();
  return folders.map((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)))
      .reduce((sum, { ino, blocks }) => sum + (counted.has(ino) ? 0 : (counted.add(ino), blocks * 512)), 0),
  );
};

test("an installation of all packages is small enough, and its large parts are explained", () => {
  const modules = join(user.folder, "node_modules");
  const names = readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const sizes = sizesOf(names.map((name) => join(modules, name)));
  expect(sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE).toBeLessThan(sizeMax);
  const large = names.filter((_, index) => (sizes[index] ?? 0) / MEGABYTE >= explainedSize);
  expect(large.length).toBeGreaterThan(3);
  const page = readFileSync(join(ROOT, "docs/operators/installation.md"), "utf8");
  expect(large.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

test("every page that the help of a command names exists where it says, and examples call the installed command", async () => {
  const folder = user.makeFolder("help/below");
  const overview = await user.succeed(["npx", "parley", "--help"], { cwd: folder });
  const commands = [...overview.slice(overview.indexOf("Commands:")).matchAll(/^ {2}([a-z]+)\b/gm)].map(
    ([, name]) => name ?? "",
  );
  expect(commands).toEqual(expect.arrayContaining(["start", "run", "init", "validate", "pack", "test", "serve"]));
  const named: string[] = [];
  for (const command of commands.filter((name) => name !== "help")) {
    const help = await user.succeed(["npx", "parley", command, "--help"], { cwd: folder });
    named.push(...(help.match(/[\w@./-]*\bdocs\/[\w-]+\/[\w-]+\.\w+/g) ?? []));
    const examples = help.includes("Example") ? help.slice(help.indexOf("Example")) : "";
    expect(examples.match(/^ {2}(?:[A-Z_]+=\S+ )*parley .*$/gm) ?? []).toEqual([]);
  }
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((path) => !existsSync(resolve(folder, path)))).toEqual([]);
});

test("start, in a folder without an app, runs Concierge, which answers, and Ctrl-C leaves no process", async () => {
  const folder = user.makeFolder("empty");
  const none = await user.run(["npx", "parley", "chat", "--once", "Hi"], { cwd: folder });
  expect(none).toMatchObject({ status: 1 });
  expect(none.stderr).toContain("'npx parley start'");
  const child = user.start(["setsid", "npx", "parley", "start"], { cwd: folder });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise((done) => child.once("close", done));
  await waitUntil(() => printed.includes("Stop with Ctrl-C"), { details: () => printed });
  const family = await familyOf(child.pid ?? 0);
  try {
    expect(printed).toContain("in another terminal:  npx parley chat");
    expect(await user.succeed(["npx", "parley", "chat", "--once", "Hi"], { cwd: folder })).toMatch(/^Concierge: Hi/m);
    expect(await user.succeed(["npx", "parley", "status"], { cwd: folder })).toMatch(
      /^Parley \d+\.\d+\.\d+\+[0-9a-f]{10} runs/,
    );
  } finally {
    process.kill(-(child.pid ?? 0), "SIGINT");
    await ended;
  }
  expect(await survivors(family, 8_000)).toEqual([]);
}, 180_000);

test("what validate says of an empty folder leads to an app that is valid", async () => {
  const folder = user.makeFolder("nothing");
  const { status, stderr } = await user.run(["npx", "parley", "validate"], { cwd: folder });
  expect(status).toBe(1);
  const [, next = ""] = /create one with: (npx parley init \S+)/.exec(stderr) ?? [];
  await user.succeed(next.split(" "), { cwd: folder });
  await user.succeed(["npx", "parley", "validate", next.split(" ").at(-1) ?? ""], { cwd: folder });
});

test("init without an installation names the package to install, after which its other steps work", async () => {
  const other = await emptyUserFolder(["@parley/parley"]);
  try {
    const [tarball = ""] = other.tarballs;
    const init = ["npx", "--yes", "--package", `./${tarball}`, "parley", "init", "greeter"];
    const printed = await other.succeed(init);
    const steps = printed
      .slice(printed.indexOf("Next:"))
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
    expect(steps).toEqual(["cd greeter", expect.stringMatching(/^npm install --save-dev \S+\.tgz$/), "npx parley run"]);
    const version = "npx parley --version";
    const script = [...steps.slice(0, -1), version].join(" && ");
    expect(await other.succeed(["bash", "-c", script])).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{10}(?:\.modified)?$/m);
  } finally {
    await other.remove();
  }
}, 180_000);

test("a global installation brings the command parley, whose apps need no installation of their own", async () => {
  const other = await emptyUserFolder(["@parley/parley"]);
  try {
    const [tarball = ""] = other.tarballs;
    // Another prefix would also replace the settings of this machine's npm, such as its registry.
    const settings = (await other.succeed(["npm", "config", "get", "globalconfig"])).trim();
    const env = { npm_config_prefix: other.makeFolder("global"), npm_config_globalconfig: settings };
    await other.succeed(["npm", "install", "--global", `./${tarball}`], { env });
    const script = `export PATH="$PWD/global/bin:$PATH"; parley --version && parley init greeter && cd greeter && npx parley validate`;
    const printed = await other.succeed(["bash", "-c", script], { env });
    expect(printed).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{10}(?:\.modified)?$/m);
    expect(printed).not.toContain("npm install");
  } finally {
    await other.remove();
  }
}, 180_000);

test("from ES modules and CommonJS, main() of @parley/parley runs a command and returns its status", async () => {
  const call = `main(["validate", "--json", "none"]).then((status) => console.log("status " + status));`;
  user.write("call.mjs", `import { main } from "@parley/parley";\n${call}`);
  user.write("call.cjs", `const { main } = require("@parley/parley");\n${call}`);
  for (const file of ["call.mjs", "call.cjs"]) expect(await user.succeed(["node", file])).toContain("status 1");
});
