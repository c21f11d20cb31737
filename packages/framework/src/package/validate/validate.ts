import { pageRules } from "./pages.ts";
import { secureIparamReads, setUpWithoutRenderData } from "./handler-code.ts";
import { requestCallRules } from "./request-calls.ts";
import { scriptRules } from "./scripts.ts";
import { sizeRules } from "./size-limits.ts";
import { readAppSources } from "./sources.ts";
import { readNpmrc } from "../dependencies/npmrc.ts";
import { isRunnable, type Finding } from "../../model/finding.ts";
import { appFilePath, readAppFileText } from "../files/app-file.ts";
import { linkRules } from "../load/link-rules.ts";
import { compiledScriptsOf, compilePageScripts } from "../load/page-scripts.ts";
import { loadProject, OWN_PAGE_FILE, type ProjectTools } from "../load/load.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import type { LoadedProject } from "../../model/project.ts";

/** Order of findings by file: the manifest first, then as an author reads the app. */
const FILE_ORDER = [MANIFEST_FILE, "config", "server", "app"];
const partOf = (file: string) => FILE_ORDER.findIndex((part) => file === part || file.startsWith(`${part}/`));

const compareFindings = (one: Finding, other: Finding): number =>
  partOf(one.file) - partOf(other.file) ||
  (one.file < other.file ? -1 : one.file > other.file ? 1 : 0) ||
  (one.line ?? 0) - (other.line ?? 0) ||
  (one.column ?? 0) - (other.column ?? 0);

/** Removes findings that several tools report for the same line. */
const withoutRepeats = (findings: readonly Finding[]): Finding[] => {
  const lineOf = ({ file, line }: Finding) => `${file}:${line}`;
  const linted = new Set(findings.filter(({ code }) => code === "lint").map(lineOf));
  const broken = new Set<string>();
  return findings.filter((finding) => {
    const line = lineOf(finding);
    if (finding.code === "syntax-warning") return !linted.has(line);
    return finding.code !== "syntax" || (!broken.has(line) && broken.add(line));
  });
};

const existingFiles = async (folder: string, files: readonly string[]): Promise<readonly string[]> => {
  const paths = await Promise.all(files.map((file) => appFilePath(folder, file)));
  return files.filter((_file, index) => paths[index] !== undefined);
};

/** Checks the app's scripts, pages and sizes, independently of loading. */
async function analyseSources(folder: string, { bundler }: ProjectTools) {
  const [ownPage, app, server, assets] = await Promise.all([
    readAppFileText(folder, OWN_PAGE_FILE),
    readAppSources(folder, "app"),
    readAppSources(folder, "server"),
    readAppSources(folder, "config/assets"),
  ]);
  const scripts = { folder, app, server, assets, hasOwnPage: ownPage !== undefined };
  const compiled = app.pages.flatMap(({ file, text }) => compiledScriptsOf(file, text));
  const findings = await Promise.all([
    scriptRules(bundler, scripts),
    sizeRules(folder),
    pageRules(folder, app),
    // A missing script is a finding of its page.
    existingFiles(folder, compiled)
      .then((names) => compilePageScripts(bundler, folder, names))
      .then((all) => all.flatMap((script) => script.findings)),
  ]);
  return { server, callers: [...server.own, ...app.own, ...app.pages, ...assets.own], findings: findings.flat() };
}

/**
 * Checks an app's folder without running the app: loads it, and checks its scripts, pages and sizes. Needs no network; dependencies may be
 * missing.
 * @errors errors of the machine, as for `loadProject`
 */
export async function validateProject(folder: string, tools: ProjectTools): Promise<LoadedProject> {
  const links = await linkRules(folder);
  if (links.length > 0) return { findings: links };
  const [loaded, npmrc, { server, callers, findings: sourceFindings }] = await Promise.all([
    loadProject(folder, tools, { allowsMissingPackages: true }),
    readNpmrc(folder),
    analyseSources(folder, tools),
  ]);
  const absent = loaded.findings.filter(({ code }) => code === "manifest-file");
  // Without a manifest, all other findings are consequences.
  if (absent.length > 0) return { findings: absent };
  const { project } = loaded;
  const findings = withoutRepeats([
    ...loaded.findings,
    ...npmrc.findings,
    ...(project
      ? [
          ...secureIparamReads(server.own, project),
          ...setUpWithoutRenderData(server.own, project),
          ...requestCallRules(callers, project),
        ]
      : []),
    ...sourceFindings,
  ]).sort(compareFindings);
  return project && isRunnable(findings) ? { project, findings } : { findings };
}
