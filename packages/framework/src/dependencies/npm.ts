import { spawn } from "node:child_process";
import { access, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A package at an exact version. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
}

/** npm could not install what was asked for; the message is npm's own. */
export class NpmFailed extends Error {
  override readonly name = "NpmFailed";
}

/** npm's own program, which comes with Node: beside it, or one folder up in `lib`. */
const PLACES = ["node_modules/npm/bin/npm-cli.js", "../lib/node_modules/npm/bin/npm-cli.js"];

async function npmCommand(): Promise<readonly [string, ...string[]]> {
  for (const place of PLACES) {
    const file = join(dirname(process.execPath), place);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return [process.execPath, file];
  }
  return ["npm"];
}

/** Its scripts don't run; each package holds the packages that it needs, so that it can be moved as one folder. */
const FLAGS = "--no-save --ignore-scripts --no-audit --no-fund --no-package-lock --no-progress --loglevel=error".split(
  " ",
);
const NESTED = "--install-strategy=nested";

/** @errors NpmFailed */
const npm = (cwd: string, packages: readonly string[]): Promise<void> =>
  npmCommand().then(
    ([program, ...first]) =>
      new Promise((resolve, reject) => {
        const options = { cwd, stdio: ["ignore", "ignore", "pipe"] as ["ignore", "ignore", "pipe"] };
        const child = spawn(program, [...first, "install", ...FLAGS, NESTED, "--", ...packages], options);
        let said = "";
        child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4_000)));
        child.once("error", (error) => reject(new NpmFailed(`npm can't be started: ${error.message}`)));
        child.once("close", (status) => (status === 0 ? resolve() : reject(new NpmFailed(reasonIn(said)))));
      }),
  );

/** The line of npm's report that says most. */
const reasonIn = (said: string): string => {
  const lines = said
    .split("\n")
    .filter((line) => line.startsWith("npm error"))
    .map((line) => line.replace(/^npm error\s*/, ""));
  return lines.find((line) => line !== "" && !/^(?:code|errno|syscall|type)\b/.test(line)) ?? "npm failed";
};

/**
 * Installs packages into an app's node_modules; nothing else there is touched, and nothing of a package that failed is left.
 * @errors NpmFailed
 */
export async function installPackages(folder: string, wanted: readonly Dependency[]): Promise<void> {
  const home = join(folder, "node_modules");
  await mkdir(home, { recursive: true });
  const apart = await mkdtemp(join(home, ".parley-"));
  try {
    await writeFile(join(apart, "package.json"), "{}");
    // The author may have a registry of their own.
    await copyFile(join(folder, ".npmrc"), join(apart, ".npmrc")).catch(() => undefined);
    await npm(
      apart,
      wanted.map(({ name, version }) => `${name}@${version}`),
    );
    for (const { name } of wanted) {
      const place = join(home, name);
      await mkdir(dirname(place), { recursive: true });
      await rm(place, { recursive: true, force: true });
      await rename(join(apart, "node_modules", name), place);
    }
  } finally {
    await rm(apart, { recursive: true, force: true });
  }
}
