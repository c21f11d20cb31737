/** Apps to test: named folders and packages, or the list of public apps. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { writeFile } from "node:fs/promises";
import yauzl from "yauzl";
import { CHECKS } from "./checks.mjs";
import { isApp } from "./steps.mjs";

/** @shape apps.json: [{repository, commit, apps: [{path, …known facts of the app}]}] */
export const listed = () => JSON.parse(readFileSync(new URL("apps.json", import.meta.url), "utf8"));

/** Extracts a package. @errors Error if the file is not a package or contains a path outside itself */
const unpack = async (file, to) => {
  mkdirSync(to, { recursive: true });
  const zip = await yauzl.openPromise(file);
  for await (const entry of zip.eachEntry()) {
    const path = join(to, entry.fileName);
    if (entry.fileName.endsWith("/")) mkdirSync(path, { recursive: true });
    else {
      mkdirSync(join(path, ".."), { recursive: true });
      await writeFile(path, await zip.openReadStreamPromise(entry));
    }
  }
  return to;
};

/** Returns a target for a folder or a package. @errors Error if the path is neither */
export const named = async (path, base) => {
  const full = resolve(path);
  if (!existsSync(full)) throw new Error(`${path} does not exist. Name the folder or the package of an app.`);
  const folder = statSync(full).isDirectory() ? full : await unpack(full, join(base, "unpacked", basename(full)));
  if (!isApp(folder)) throw new Error(`${path} is not an app: it has no manifest.json.`);
  return { name: basename(full), folder, entry: {} };
};

/** Returns the folder of a repository at its recorded commit. @errors Error if git can't fetch it */
const brought = ({ repository, commit }, { from, base }) => {
  const name = repository.replace("/", "+");
  const folder = from ? join(from, name) : join(base, name);
  const git = (...args) => spawnSync("git", args, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;
  const isThere = existsSync(folder) || git("clone", "-q", `https://github.com/${repository}`, folder);
  if (!isThere || (!from && !git("-C", folder, "checkout", "-q", commit)))
    throw new Error(`${repository} can't be brought by git: see its lines above`);
  return folder;
};

/**
 * Returns targets for the listed public apps whose names contain one of the texts, or for all without texts. Each target has `repository`,
 * `commit` and `path`.
 */
export const publicApps = (where, only) =>
  listed().flatMap(({ repository, commit, apps }) => {
    const wanted = apps
      .map((entry) => ({ entry, name: entry.path === "." ? repository : `${repository}/${entry.path}` }))
      .filter(({ name }) => only.length === 0 || only.some((text) => name.includes(text)));
    if (wanted.length === 0) return [];
    const folder = brought({ repository, commit }, where);
    return wanted.map(({ entry, name }) => ({
      name,
      repository,
      commit,
      path: entry.path,
      folder: join(folder, entry.path),
      entry: { ...CHECKS[name], ...entry },
    }));
  });
