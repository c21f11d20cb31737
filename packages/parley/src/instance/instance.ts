import { readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DATA_FOLDER } from "../environment/config.ts";
import { makeFolder } from "../environment/folder.ts";
import { readSecret } from "./data-folder.ts";
import { API_KEY } from "./keys.ts";

/** An app of a running instance. */
export interface AppPlace {
  readonly name: string;
  readonly folder: string;
  readonly app: string;
  readonly installPage: string;
  /** As it was when it was started. */
  readonly installed: boolean;
  /** Where the app shows itself, as its manifest names them. */
  readonly places: readonly string[];
}

/** Where a running instance is: how other commands find it through the data folder. */
export interface Instance {
  readonly pid: number;
  /** With the version segment. */
  readonly service: string;
  /** Of the first app. */
  readonly app: string;
  readonly installPage: string;
  readonly account: string;
  readonly apps?: readonly AppPlace[];
}

/** @shape dataFolder: where the rest lies, in the folder of an app that isn't the instance's first */
type Note = Instance & { readonly dataFolder?: string };

const file = (folder: string) => join(folder, "instance.json");

const write = (folder: string, note: Note) => writeFile(file(folder), `${JSON.stringify(note, null, 2)}\n`);

/**
 * Leaves word of an instance in its data folder, and in each of its apps' own folders that are elsewhere.
 * -> what takes it back
 */
export async function announceInstance(dataFolder: string, instance: Instance, folders: readonly string[]) {
  await write(dataFolder, instance);
  const others: string[] = [];
  for (const folder of folders.slice(1)) {
    const own = join(folder, DATA_FOLDER);
    // Another instance of this app alone may run meanwhile: its note stands.
    if (own === dataFolder || (await readInstance(own))) continue;
    await makeFolder(own);
    await writeFile(join(own, ".gitignore"), "*\n");
    await write(own, { ...instance, dataFolder });
    others.push(own);
  }
  return async () => {
    for (const folder of [dataFolder, ...others]) await rm(file(folder), { force: true });
  };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** An instance with the folder that it runs on. */
export interface FoundInstance extends Instance {
  readonly folder: string;
  readonly token: string | undefined;
}

/** -> undefined when none runs on this folder. */
export async function readInstance(folder: string): Promise<FoundInstance | undefined> {
  let note: Note;
  try {
    note = JSON.parse(await readFile(file(folder), "utf8")) as Note;
  } catch {
    return undefined;
  }
  const { dataFolder = folder, ...instance } = note;
  if (!isAlive(instance.pid)) return undefined;
  return { ...instance, folder: dataFolder, token: await readSecret(dataFolder, API_KEY) };
}

/** Looks in the folder given, then, for the usual folder name, in each folder above: a command may run in a subfolder. */
export async function findInstance(dataFolder: string, above = true) {
  const name = basename(dataFolder);
  for (let folder = dirname(dataFolder); ; folder = dirname(folder)) {
    const found = await readInstance(join(folder, name));
    if (found || !above || folder === dirname(folder)) return found;
  }
}

/** A folder by the one name that it has, whatever way led to it. */
export const trueFolder = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
