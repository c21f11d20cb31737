import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE_NAME = "@parley/parley";
/** Folder below which npm keeps the packages of `npx --package`; a later `npx` does not search it. */
const NPX_CACHE = `${sep}_npx${sep}`;

/** The folder of the package that this command belongs to: the released package, or the package of the repository. */
const packageFolder = (): string => {
  const isOwn = (folder: string): boolean => {
    const path = join(folder, "package.json");
    return existsSync(path) && (JSON.parse(readFileSync(path, "utf8")) as { bin?: object }).bin !== undefined;
  };
  const search = (folder: string): string => (isOwn(folder) ? folder : search(dirname(folder)));
  return search(dirname(fileURLToPath(import.meta.url)));
};

/** The folder of the commands of npm's global packages, in which npx looks after the folders above; undefined without npm. */
const globalCommands = (): string | undefined => {
  const { status, stdout } = spawnSync("npm", ["prefix", "--global"], { encoding: "utf8" });
  return status === 0 ? join(stdout.trim(), "bin") : undefined;
};

/** Whether `npx parley` finds this command in a folder: linked there or above, or installed globally. */
const isReachable = (folder: string): boolean => {
  const own = realpathSync(packageFolder());
  const leadsHere = (link: string): boolean => existsSync(link) && realpathSync(link).startsWith(own + sep);
  const isLinked = (from: string): boolean =>
    leadsHere(join(from, "node_modules", ".bin", "parley")) || (from !== dirname(from) && isLinked(dirname(from)));
  if (isLinked(folder)) return true;
  const commands = globalCommands();
  return commands !== undefined && leadsHere(join(commands, "parley"));
};

/** The package to install so that a folder has this command: as `npx --package` was given it, or the package's own folder. */
const packageToInstall = (folder: string): string => {
  const own = packageFolder();
  if (!own.includes(NPX_CACHE)) return own;
  const cached = own.slice(0, own.indexOf(`${sep}node_modules${sep}`));
  const { dependencies } = JSON.parse(readFileSync(join(cached, "package.json"), "utf8")) as {
    dependencies?: Readonly<Record<string, string>>;
  };
  const wanted = dependencies?.[PACKAGE_NAME] ?? "";
  if (wanted.startsWith("file:")) {
    const file = resolve(cached, wanted.slice("file:".length));
    const path = relative(folder, file);
    return path.split(sep).filter((part) => part === "..").length > 2 ? file : path;
  }
  return wanted === "" ? PACKAGE_NAME : `${PACKAGE_NAME}@${wanted}`;
};

/**
 * The arguments of `npm install` without which `npx parley` in the folder would reach an unrelated package of the registry.
 * @returns undefined when the command is reachable from there
 */
export const installStep = (folder: string): readonly string[] | undefined =>
  isReachable(folder) ? undefined : ["--save-dev", packageToInstall(folder)];
