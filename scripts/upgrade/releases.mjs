/** Releases of this repository, built from a commit and installed in a folder, as by `npm install`. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { root } from "../installed.mjs";

/** Built releases, by commit; not below a node_modules folder, where the build takes every file for one of a library. */
const CACHE = join(tmpdir(), `parley-releases-${userInfo().username}`);
const RECORD = join(root, "test", "upgrade", "previous-release.json");

const run = (words, cwd = root) => {
  const { status, stdout, stderr, error } = spawnSync(words[0], words.slice(1), {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return stdout;
  throw new Error(`${words.join(" ")} failed: ${error?.message ?? `${stdout}${stderr}`}`);
};
const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];

/** The previous release as the repository records it. */
export const recordedRelease = () => JSON.parse(readFileSync(RECORD, "utf8"));

/** -> the commit of a tag or commit @errors Error if the clone does not have it */
export const commitOf = (name) => {
  try {
    return run(["git", "rev-parse", "--verify", "--quiet", `${name}^{commit}`]).trim();
  } catch {
    throw new Error(
      `The commit ${name} is not in this clone. Run git fetch --unshallow --tags, or name another commit with --from.`,
    );
  }
};

const isSameFile = (path, other) =>
  existsSync(path) && existsSync(other) && readFileSync(path).equals(readFileSync(other));

/** Libraries of this tree as hard links, if the other tree has the same lockfile; otherwise they are installed. */
const giveLibraries = (tree) => {
  const lockfile = join(tree, "package-lock.json");
  if (!isSameFile(join(root, "package-lock.json"), lockfile)) return void run([...npm, "ci", "--include=dev"], tree);
  const folders = [
    "node_modules",
    ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/node_modules`),
  ];
  for (const folder of folders) {
    const from = join(root, folder);
    if (!existsSync(from) || !existsSync(join(tree, folder, ".."))) continue;
    const names = readdirSync(from).filter((name) => name !== ".cache" && !name.startsWith(".parley"));
    mkdirSync(join(tree, folder), { recursive: true });
    const paths = [...names.map((name) => join(from, name)), join(tree, folder)];
    // Hard links need one file system.
    if (spawnSync("cp", ["-al", ...paths]).status !== 0) run(["cp", "-a", ...paths]);
  }
  // Older than the libraries: the scripts install nothing.
  utimesSync(lockfile, 0, 0);
};

/** The files of a commit with their libraries, in a folder of the cache. */
export const treeOf = (commit) => {
  const tree = join(CACHE, commit, "tree");
  if (existsSync(join(tree, ".complete"))) return tree;
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  run(["sh", "-c", `git archive ${commit} | tar -x -C '${tree}'`]);
  giveLibraries(tree);
  writeFileSync(join(tree, ".complete"), "");
  return tree;
};

/** Packs a tree by its `npm run release`, and installs the command in a folder. -> the script of the command */
const installFrom = (tree, folder) => {
  const packages = join(folder, "packages");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { packages: packed } = JSON.parse(
    run([process.execPath, "scripts/release.mjs", "--json", "--out", packages], tree),
  );
  const { file } = packed.find(({ name }) => name === "@parley/parley");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "installed", private: true }));
  run([...npm, "install", "--no-audit", "--no-fund", "--loglevel=error", join(tree, file)], folder);
  return join(folder, "node_modules/@parley/parley/packages/parley/bin/parley.mjs");
};

/** Builds and installs the release of a commit, once. -> the script of its command */
export const installedRelease = (commit) => {
  const folder = join(CACHE, commit, "installed");
  const script = join(folder, "node_modules/@parley/parley/packages/parley/bin/parley.mjs");
  if (existsSync(join(folder, ".complete"))) return script;
  const installed = installFrom(treeOf(commit), folder);
  writeFileSync(join(folder, ".complete"), "");
  return installed;
};
