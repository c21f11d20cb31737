import { PAGE_SCRIPT } from "../package/pack/app-files.ts";
import type { Bundler } from "../package/bundler/bundler.ts";
import { stableBundle } from "../package/load/bundle.ts";
import { isRunnable, findingLine, type Finding } from "../package/model/finding.ts";
import type { Project } from "../package/model/project.ts";

/** What was made of a script lately. @shape version: the app's at that time; good: the last code that could be made */
interface Made {
  readonly version: string;
  readonly errors: readonly Finding[];
  readonly good?: string;
}

/** Stands in for a script that has never been good: the browser's console says why nothing happens. */
const saying = (lines: readonly string[]): string => `throw new Error(${JSON.stringify(lines.join("\n"))});\n`;

/** Scripts of app/ in TypeScript, shown as they are packed, with a source map; one that has an error leaves the last good one. */
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
    /** @shape file: from the app's folder, `app/scripts/start.ts`; -> JavaScript */
    newest,
    /** What is wrong with the scripts that the app's newest version asked for. */
    findings: (): readonly Finding[] =>
      [...scripts.values()].flatMap(({ version, errors }) => (version === project().version ? errors : [])),
  };
};
export type PageScripts = ReturnType<typeof pageScripts>;
