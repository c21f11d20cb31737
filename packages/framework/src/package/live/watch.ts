import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { watch } from "chokidar";

const WATCHED_PATHS = ["server", "config", "app", "manifest.json", "package.json"];
/** Debounce time, since editors write a file in several steps. @units milliseconds */
const DEBOUNCE_MS = 60;

export interface Watcher {
  /** Resolves when the last call of `onChange` has ended. */
  close(): Promise<void>;
}

const IGNORED_FOLDERS = ["node_modules"];

/** Fingerprint of an app's files, which changes when a file is written, created or deleted. Links are not followed. */
export async function folderState(folder: string): Promise<string> {
  const lineOf = async (path: string): Promise<string> => {
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isDirectory()) return found ? `${path} ${found.mtimeMs} ${found.size}` : "";
    const names = (await readdir(path).catch(() => [])).filter((name) => !IGNORED_FOLDERS.includes(name)).sort();
    return (await Promise.all(names.map((name) => lineOf(join(path, name))))).join("\n");
  };
  return (await Promise.all(WATCHED_PATHS.map((name) => lineOf(join(folder, name))))).join("\n");
}

/**
 * Calls `onChange` once after each burst of changes in an app's folder, never concurrently. Resolves when the watcher is ready.
 * @shape since: fingerprint of the folder when it was loaded; a difference counts as a change
 */
export async function watchProject(
  folder: string,
  onChange: () => Promise<void>,
  onError: (error: unknown) => void,
  since?: string,
): Promise<Watcher> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isDirty = false;

  const run = async () => {
    do {
      isDirty = false;
      await onChange().catch(onError);
    } while (isDirty);
    running = undefined;
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isDirty = true;
      running ??= run();
    }, DEBOUNCE_MS);
  };

  // The folder itself is watched, so that the creation of a missing part is noticed.
  const isOther = (path: string) => {
    const [first = ""] = relative(folder, path).split(sep);
    return first !== "" && !WATCHED_PATHS.includes(first);
  };
  const watcher = watch(folder, { ignoreInitial: true, ignored: isOther, followSymlinks: false });
  watcher.on("all", changed);
  watcher.on("error", onError);
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  if (since !== undefined && since !== (await folderState(folder))) changed();
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
      await running;
    },
  };
}
