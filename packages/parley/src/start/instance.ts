import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { API_KEY } from "./keys.ts";
import { readSecret } from "./data-folder.ts";

/** Where a running instance is: how other commands find it through the data folder. */
export interface Instance {
  readonly pid: number;
  /** With the version segment. */
  readonly service: string;
  readonly app: string;
  readonly installPage: string;
  readonly account: string;
}

const file = (folder: string) => join(folder, "instance.json");

export const writeInstance = (folder: string, instance: Instance) =>
  writeFile(file(folder), `${JSON.stringify(instance, null, 2)}\n`);

export const removeInstance = (folder: string) => rm(file(folder), { force: true });

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
async function readInstance(folder: string): Promise<FoundInstance | undefined> {
  let text: string;
  try {
    text = await readFile(file(folder), "utf8");
  } catch {
    return undefined;
  }
  const instance = JSON.parse(text) as Instance;
  return isAlive(instance.pid) ? { ...instance, folder, token: await readSecret(folder, API_KEY) } : undefined;
}

/** Looks in the folder given, then, for the usual folder name, in each folder above: a command may run in a subfolder. */
export async function findInstance(dataFolder: string, above = true) {
  const name = dataFolder.slice(dirname(dataFolder).length);
  for (let folder = dirname(dataFolder); ; folder = dirname(folder)) {
    const found = await readInstance(join(folder, name));
    if (found || !above || folder === dirname(folder)) return found;
  }
}
