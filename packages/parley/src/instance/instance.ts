import { readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DATA_FOLDER } from "../environment/config.ts";
import { makeFolder } from "../environment/folder.ts";
import { readSecret } from "./data-folder.ts";
import { API_KEY } from "./keys.ts";

/** An app of a running instance. */
export interface InstanceApp {
  readonly name: string;
  readonly folder: string;
  readonly app: string;
  readonly installPage: string;
  /** Whether the app was installed when the instance started. */
  readonly installed: boolean;
  /** Locations of the manifest where the app has a page. */
  readonly places: readonly string[];
}

/** Description of a running instance. Other commands find it through the data folder. */
export interface Instance {
  readonly pid: number;
  /** URL of the service, with the version segment. */
  readonly service: string;
  /** Address of the first app. */
  readonly app: string;
  readonly installPage: string;
  readonly account: string;
  readonly apps?: readonly InstanceApp[];
  /** Origin of the platform's API; absent for an instance that serves no published apps. */
  readonly platform?: string;
}

/** @shape dataFolder: data folder of the instance, in the note of an app that isn't its first app */
type InstanceFile = Instance & { readonly dataFolder?: string };

const file = (folder: string) => join(folder, "instance.json");

const write = (folder: string, content: InstanceFile) =>
  writeFile(file(folder), `${JSON.stringify(content, null, 2)}\n`);

/**
 * Writes the instance's description to its data folder, and to the data folders of its other apps.
 * -> a function that removes these files
 */
export async function announceInstance(dataFolder: string, instance: Instance, folders: readonly string[]) {
  await write(dataFolder, instance);
  const others: string[] = [];
  for (const folder of folders.slice(1)) {
    const dataFolderOfApp = join(folder, DATA_FOLDER);
    // Another instance of this app is running: its file is kept.
    if (dataFolderOfApp === dataFolder || (await readInstance(dataFolderOfApp))) continue;
    await makeFolder(dataFolderOfApp);
    await writeFile(join(dataFolderOfApp, ".gitignore"), "*\n");
    await write(dataFolderOfApp, { ...instance, dataFolder });
    others.push(dataFolderOfApp);
  }
  return async () => {
    for (const folder of [dataFolder, ...others]) await rm(file(folder), { force: true });
  };
}

/** Whether a process of this machine runs. */
export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** A running instance with its data folder and API key. */
export interface FoundInstance extends Instance {
  readonly folder: string;
  readonly token: string | undefined;
}

/** -> undefined when no instance runs on this folder */
export async function readInstance(folder: string): Promise<FoundInstance | undefined> {
  let content: InstanceFile;
  try {
    content = JSON.parse(await readFile(file(folder), "utf8")) as InstanceFile;
  } catch {
    return undefined;
  }
  const { dataFolder = folder, ...instance } = content;
  if (!isProcessAlive(instance.pid)) return undefined;
  return { ...instance, folder: dataFolder, token: await readSecret(dataFolder, API_KEY) };
}

/** Looks in the given folder, then for a folder of the same name in each parent: commands may run in a subfolder. */
export async function findInstance(dataFolder: string, inParents = true) {
  const name = basename(dataFolder);
  for (let folder = dirname(dataFolder); ; folder = dirname(folder)) {
    const found = await readInstance(join(folder, name));
    if (found || !inParents || folder === dirname(folder)) return found;
  }
}

/** Resolves symbolic links, so that a folder has one path. */
export const resolveFolder = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
