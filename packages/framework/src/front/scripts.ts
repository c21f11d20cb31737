import { PAGE_SCRIPT } from "../package/pack/app-files.ts";
import type { Bundler } from "../package/bundler/bundler.ts";
import { stableBundle } from "../package/load/bundle.ts";
import { isRunnable, findingLine, type Finding } from "../package/model/finding.ts";
import type { Project } from "../package/model/project.ts";

/** The latest compilation of a script. @shape version: the app's version at that time; good: the last code that compiled */
interface CompiledScript {
  readonly version: string;
  readonly errors: readonly Finding[];
  readonly lastGoodCode?: string;
}

/** Replaces a script that has never compiled: the browser's console shows the reason. */
const errorScript = (lines: readonly string[]): string => `throw new Error(${JSON.stringify(lines.join("\n"))});\n`;

/** Compiles TypeScript of app/ as packing does, with a source map. If a script has an error, its last good version is served. */
export const pageScripts = (bundler: Bundler, project: () => Project, log: (line: string) => void) => {
  const scripts = new Map<string, CompiledScript>();

  const newest = async (file: string): Promise<string> => {
    const { folder, version } = project();
    const previous = scripts.get(file);
    const { code, findings } = await stableBundle(bundler, { folder, file, ...PAGE_SCRIPT, sourcemap: "inline" });
    const errors = isRunnable(findings) ? [] : findings.filter(({ level }) => level === "error");
    const lines = errors.map(findingLine);
    const isLogged = previous?.version === version && String(previous.errors.map(findingLine)) === String(lines);
    if (!isLogged) for (const line of lines) log(`error: ${line}`);
    const lastGoodCode = errors.length === 0 ? code : previous?.lastGoodCode;
    scripts.set(file, { version, errors, ...(lastGoodCode === undefined ? {} : { lastGoodCode }) });
    return lastGoodCode ?? errorScript(lines);
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
