import { failureText, type Log } from "@parley/telemetry";
import { blankPage } from "./validate/pages.ts";
import { readAppSources } from "./validate/sources.ts";
import { isRunnable, findingLine, type Finding } from "../model/finding.ts";
import { loadProject, type ProjectTools } from "./load/load.ts";
import type { LoadedProject, Project } from "../model/project.ts";
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

/** The app's folder contains errors that prevent it from running. */
export class ProjectUnusable extends Error {
  override readonly name = "ProjectUnusable";
  readonly findings: readonly Finding[];
  constructor(folder: string, findings: readonly Finding[]) {
    const errors = findings.filter(({ level }) => level === "error");
    super([`The app in ${folder} can't be run:`, ...errors.map((finding) => `  ${findingLine(finding)}`)].join("\n"));
    this.findings = findings;
  }
}

/** The last valid version of an app, with the findings of the newest version. */
export interface NewestProject {
  readonly project: Project;
  readonly findings: readonly Finding[];
}

interface LiveProject {
  readonly newest: () => NewestProject;
  /** Reloads the app whenever its folder changes, and calls `changed` after each change of version. */
  follow(changed: () => void): Promise<void>;
  close(): Promise<void>;
}

interface LiveProjectOptions {
  readonly folder: string;
  readonly tools: ProjectTools;
  /** Prepares the folder before each load, for example by installing dependencies. Its findings are added to the app's. */
  readonly prepare?: () => Promise<readonly Finding[]>;
  readonly log: Log;
}

/** Loads an app. An invalid later version changes only the findings. @errors ProjectUnusable */
export async function liveProject(options: LiveProjectOptions): Promise<LiveProject> {
  const { folder, tools, log, prepare } = options;
  const report = (findings: readonly Finding[]) => {
    for (const finding of findings)
      log(findingLine(finding), { level: finding.level === "warning" ? "warn" : "error" });
  };
  /** Blank pages do not prevent a version from running, because the app's server is unaffected. */
  const reportBlankPages = async () => {
    const { pages } = await readAppSources(folder, "app");
    const blank = await Promise.all(pages.map((page) => blankPage(folder, page)));
    report(blank.flatMap((finding) => finding ?? []));
  };
  const loadNow = async (): Promise<LoadedProject> => {
    const before = (await prepare?.()) ?? [];
    const loaded = await loadProject(folder, tools);
    const findings = [...before, ...loaded.findings];
    return loaded.project && isRunnable(before) ? { project: loaded.project, findings } : { findings };
  };
  const first = await folderState(folder);
  const { project, findings } = await loadNow();
  if (!project) throw new ProjectUnusable(folder, findings);
  report(findings);
  await reportBlankPages();
  let newest: NewestProject = { project, findings };
  let watcher: Watcher | undefined;

  const load = async (): Promise<boolean> => {
    const loaded = await loadNow();
    newest = { project: loaded.project ?? newest.project, findings: loaded.findings };
    report(loaded.findings);
    await reportBlankPages();
    log(loaded.project ? "The app was reloaded." : "The last good version of the app keeps running.");
    return loaded.project !== undefined;
  };

  return {
    newest: () => newest,
    async follow(changed) {
      watcher = await watchProject(
        folder,
        async () => {
          if (await load()) changed();
        },
        (error) => log(`The app's folder can't be watched: ${failureText(error)}`, { level: "error" }),
        first,
      );
    },
    close: async () => watcher?.close(),
  };
}
