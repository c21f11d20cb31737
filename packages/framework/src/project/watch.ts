import { relative, sep } from "node:path";
import { watch } from "chokidar";

const WATCHED = ["server", "config", "app", "manifest.json", "package.json"];
/** Editors write a file in several steps. @units milliseconds */
const QUIET = 60;

export interface Watcher {
  /** Resolves when no call of `onChange` is under way any more. */
  close(): Promise<void>;
}

/** Calls back once after each burst of changes in an app's folder, never twice at a time; resolves when it watches. */
export async function watchProject(
  folder: string,
  onChange: () => Promise<void>,
  onTrouble: (error: unknown) => void,
): Promise<Watcher> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  const run = async () => {
    do {
      again = false;
      await onChange().catch(onTrouble);
    } while (again);
    running = undefined;
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      again = true;
      running ??= run();
    }, QUIET);
  };

  // The folder itself, so that a part of it which isn't there yet is noticed when it comes.
  const isOther = (path: string) => {
    const [first = ""] = relative(folder, path).split(sep);
    return first !== "" && !WATCHED.includes(first);
  };
  const watcher = watch(folder, { ignoreInitial: true, ignored: isOther });
  watcher.on("all", changed);
  watcher.on("error", onTrouble);
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
      await running;
    },
  };
}
