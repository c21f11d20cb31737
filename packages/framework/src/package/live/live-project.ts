import { blankPage } from "../validate/pages.ts";
import { readAppSources } from "../validate/sources.ts";
import { isRunnable, findingLine, type Finding } from "../model/finding.ts";
import { loadProject, type ProjectTools } from "../load/load.ts";
import type { LoadedProject, Project } from "../model/project.ts";
import { folderState, watchProject, type Watcher } from "./watch.ts";

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
  readonly log: (line: string) => void;
}

/** Loads an app. An invalid later version changes only the findings. @errors ProjectUnusable */
export async function liveProject(options: LiveProjectOptions): Promise<LiveProject> {
  const { folder, tools, log, prepare } = options;
  const report = (findings: readonly Finding[]) => {
    for (const finding of findings) log(`${finding.level}: ${findingLine(finding)}`);
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
        (error) => log(`error: The app's folder can't be watched: ${String(error)}`),
        first,
      );
    },
    close: async () => watcher?.close(),
  };
}
