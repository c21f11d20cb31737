import { join, posix } from "node:path";
import { appFilePath, readAppFileText } from "../files/app-file.ts";
import type { FindingWithPath } from "../../model/finding.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import { createFinding } from "../../model/rules.ts";
import type { AppSource, AppSources } from "./sources.ts";

const PACKAGE_FILE = "package.json";
/** Places in which apps declare the framework whose build creates their pages: file, member, nested member. */
const FRAMEWORK_DECLARATIONS = [
  [PACKAGE_FILE, "fdkConfig", "frontendFramework"],
  [PACKAGE_FILE, "metaConfig", "framework"],
  [MANIFEST_FILE, "metaConfig", "framework"],
] as const;
/** Matches a script element with its source. */
const SCRIPT_ELEMENT = /<script\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const EXTERNAL_URL = /^(?:[a-z][a-z0-9+.-]*:|\/|\{\{)/i;
const CLIENT_SCRIPT = /fresh_(?:client|parent)/;

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // The manifest's rules report a syntax error.
    return undefined;
  }
};

async function declaredFramework(folder: string): Promise<{ framework: string; file: string } | undefined> {
  for (const [file, part, name] of FRAMEWORK_DECLARATIONS) {
    const framework = member(member(parsed(await readAppFileText(folder, file)), part), name);
    if (typeof framework === "string" && framework !== "" && framework !== "none") return { framework, file };
  }
  return undefined;
}

const scriptsOf = ({ file, text }: AppSource): string[] =>
  [...text.matchAll(SCRIPT_ELEMENT)].flatMap(([, quoted, single, bare]) => {
    const address = (quoted ?? single ?? bare ?? "").split(/[?#]/)[0] ?? "";
    return address === "" || EXTERNAL_URL.test(address) || CLIENT_SCRIPT.test(address)
      ? []
      : [posix.join(posix.dirname(file), address)];
  });

/** Bounds the time of the examination. @units characters */
const EXAMINED_LENGTH_MAX = 100_000;
/** Parts of a page that show nothing by themselves. */
const WITHOUT_CONTENT = /<!--[\s\S]*?-->|<(head|script|style|noscript|template|title)\b[\s\S]*?<\/\1\s*>/gi;
const VISIBLE_ELEMENT = /<(?:img|svg|input|button|select|textarea|table|iframe|video|audio|canvas|object|hr)\b/i;
const PLACEHOLDER = /\{\{\{[^}]*\}\}\}/g;

/** Whether a page shows something without a script. */
const isStatic = ({ text }: AppSource): boolean => {
  const body = text.slice(0, EXAMINED_LENGTH_MAX).replace(WITHOUT_CONTENT, "").replace(PLACEHOLDER, "");
  return VISIBLE_ELEMENT.test(body) || body.replace(/<[^>]*>/g, "").trim() !== "";
};

/** Whether the manifest, a script or another page names the page. @assumed The text is searched: a name that code puts together is not found. */
const isNamed = ({ file }: AppSource, texts: readonly AppSource[]): boolean => {
  const name = posix.basename(file);
  return texts.some((other) => other.file !== file && other.text.includes(name));
};

/** Finding for a page of app/ that is opened and stays blank because only the build of a framework would fill it. */
export async function blankPage(folder: string, page: AppSource): Promise<FindingWithPath | undefined> {
  return (await pageFindings(folder, [page], () => true)).find(({ code }) => code === "page-build");
}

/** Findings for missing scripts of pages, and for pages that are opened and that only the build of a framework would fill. */
export async function pageRules(folder: string, { own, pages }: AppSources): Promise<FindingWithPath[]> {
  const manifest = { file: MANIFEST_FILE, text: (await readAppFileText(folder, MANIFEST_FILE)) ?? "" };
  const texts = [manifest, ...own, ...pages];
  return pageFindings(folder, pages, (page) => isNamed(page, texts));
}

async function pageFindings(
  folder: string,
  pages: readonly AppSource[],
  isOpened: (page: AppSource) => boolean,
): Promise<FindingWithPath[]> {
  const declared = await declaredFramework(folder);
  const findings = await Promise.all(
    pages.map(async (page): Promise<FindingWithPath[]> => {
      const named = scriptsOf(page);
      const there = await Promise.all(named.map((path) => appFilePath(join(folder), path)));
      const hasOwnCode = /<script\b(?![^>]*\ssrc\s*=)[^>]*>\s*\S/i.test(page.text);
      const hasScript = hasOwnCode || there.some((path) => path !== undefined);
      if (declared && !hasScript && !isStatic(page) && isOpened(page))
        return [createFinding("page-build", page.file, { page: page.file, ...declared })];
      return named
        .filter((_path, index) => there[index] === undefined)
        .map((script) => createFinding("page-script", page.file, { script, page: page.file }));
    }),
  );
  return findings.flat();
}
