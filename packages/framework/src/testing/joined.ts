import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { testingConfig } from "./config.ts";
import type { Announcement } from "./instance.ts";

export interface Joined {
  readonly announcement: Announcement;
  /** Lets others have it. */
  readonly leave: () => void;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** -> whether it is ours now; two test files at a time would disturb each other's data. */
const take = (file: string): boolean => {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const holder = Number(readFileSync(file, { encoding: "utf8", flag: "a+" }));
    if (holder > 0 && isAlive(holder)) return false;
    rmSync(file, { force: true });
    return take(file);
  }
};

const trueFolder = (folder: string): string => {
  try {
    return realpathSync(resolve(folder));
  } catch {
    return resolve(folder);
  }
};

/** The world of `parley test`, where it has the app and nobody else is in it. */
export const joinWorld = (folder: string): Joined | undefined => {
  const line = testingConfig().world;
  if (line === undefined) return undefined;
  const announcement = JSON.parse(line) as Announcement;
  const wanted = trueFolder(folder);
  if (!announcement.apps.some((app) => app.folder === wanted)) return undefined;
  const file = join(announcement.dataFolder, "taken");
  if (!take(file)) return undefined;
  return { announcement, leave: () => rmSync(file, { force: true }) };
};
