import { PAGE_SCRIPT } from "../package/pack/app-files.ts";
import type { Bundler } from "../package/bundler/bundler.ts";
import { stableBundle } from "../package/load/bundle.ts";
import { isRunnable, findingLine, type Finding } from "../package/model/finding.ts";
import type { Project } from "../package/model/project.ts";

/** The latest compilation of a script. @shape version: the app's version at that time; good: the last code that compiled */
interface Made {
  readonly version: string;
  readonly errors: readonly Finding[];
  readonly good?: string;
}

/** Replaces a script that has never compiled: the browser's console shows the reason. */
const saying = (lines: readonly string[]): string => `throw new Error(${JSON.stringify(lines.join("\n"))});\n`;

/** Compiles TypeScript of app/ as packing does, with a source map. If a script has an error, its last good version is served. */
export const pageScripts = (bundler: Bundler, project: () => Project, log: (line: string) => void) => {
  const scripts = new Map<string, Made>();

  const newest = async (file: string): Promise<string> => {
    const { folder, version } = project();
    const before = scripts.get(file);
    const { code, findings } = await stableBundle(bundler, { folder, file, ...PAGE_SCRIPT, sourcemap: "inline" });
    const errors = isRunnable(findings) ? [] : findings.filter(({ level }) => level === "error");
    const lines = errors.map(findingLine);
    const isTold = before?.version === version && String(before.errors.map(findingLine)) === String(lines);
    if (!isTold) for (const line of lines) log(`error: ${line}`);
    const good = errors.length === 0 ? code : before?.good;
    scripts.set(file, { version, errors, ...(good === undefined ? {} : { good }) });
    return good ?? saying(lines);
  };

  return {
    /** @shape file: relative to the app's folder, such as `app/scripts/start.ts`; -> JavaScript */
    newest,
    /** Findings in the scripts that the app's newest version has requested. */
    findings: (): readonly Finding[] =>
      [...scripts.values()].flatMap(({ version, errors }) => (version === project().version ? errors : [])),
  };
};
export type PageScripts = ReturnType<typeof pageScripts>;
