import { isObject, type IparamValue } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { readJson } from "../input/json-file.ts";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isPackage, unpackedFolder } from "./packages.ts";
import { resolveFolder } from "../instance/instance.ts";

const isValue = (value: unknown): value is IparamValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

const EXPECTED = 'Write one JSON object of values by key, such as {"greeting": "Hello"}.';

/** Reads values of installation parameters from a JSON file or from standard input. @errors CommandFailure */
export async function readValues(file: string): Promise<Record<string, IparamValue>> {
  const values = await readJson(file, EXPECTED);
  if (!isObject(values)) throw new CommandFailure(`The file ${file} does not contain a JSON object. ${EXPECTED}`);
  for (const [key, value] of Object.entries(values))
    if (!isValue(value))
      throw new CommandFailure(
        `The value of '${key}' in ${file} is invalid: use a string, a number, true, false or a list of strings.`,
      );
  return values as Record<string, IparamValue>;
}

/** -> error code when the path can't be accessed, otherwise undefined */
const accessError = (path: string): Promise<string | undefined> =>
  stat(path).then(
    () => undefined,
    ({ code = "error" }: NodeJS.ErrnoException) => code,
  );

interface AppFolders {
  readonly folders: readonly string[];
  /** Folders that were unpacked from packages, whose code is not the operator's own. */
  readonly packages: ReadonlySet<string>;
}

/** Resolves the folders of apps, without duplicates; the current folder by default. @errors CommandFailure for a folder without an app */
export async function appFolders(dirs: readonly string[], cwd: string): Promise<AppFolders> {
  const folders: string[] = [];
  const packages = new Set<string>();
  for (const dir of dirs.length > 0 ? dirs : ["."]) {
    const given = resolve(cwd, dir);
    const isPacked = await isPackage(given);
    const folder = isPacked ? await unpackedFolder(given) : given;
    const reason = await accessError(join(folder, "manifest.json"));
    if (reason === "EACCES")
      throw new CommandFailure(`The folder ${folder} can't be read (${reason}). Grant this user read access to it.`);
    if (reason !== undefined)
      throw new CommandFailure(
        `There is no app in ${folder}: it has no manifest.json. Change to an app's folder, name one, or create one with 'parley init'.`,
      );
    const whole = await resolveFolder(folder);
    if (!folders.includes(whole)) folders.push(whole);
    if (isPacked) packages.add(whole);
  }
  return { folders, packages };
}
