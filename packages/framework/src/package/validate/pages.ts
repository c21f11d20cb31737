import { join, posix } from "node:path";
import { appFilePath, readAppFileText } from "../files/app-file.ts";
import type { FindingWithPath } from "../model/finding.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";
import { createFinding } from "../model/rules.ts";
import type { AppSource } from "./sources.ts";

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

/** Finding for a page of app/ that stays blank because only the build of a framework would fill it. */
export async function blankPage(folder: string, page: AppSource): Promise<FindingWithPath | undefined> {
  return (await pageRules(folder, [page])).find(({ code }) => code === "page-build");
}

/** Findings for missing scripts of pages, and for pages that only the build of a framework would fill. */
export async function pageRules(folder: string, pages: readonly AppSource[]): Promise<FindingWithPath[]> {
  const declared = await declaredFramework(folder);
  const findings = await Promise.all(
    pages.map(async (page): Promise<FindingWithPath[]> => {
      const named = scriptsOf(page);
      const there = await Promise.all(named.map((path) => appFilePath(join(folder), path)));
      const hasOwnCode = /<script\b(?![^>]*\ssrc\s*=)[^>]*>\s*\S/i.test(page.text);
      if (declared && !hasOwnCode && !there.some((path) => path !== undefined))
        return [createFinding("page-build", page.file, { page: page.file, ...declared })];
      return named
        .filter((_path, index) => there[index] === undefined)
        .map((script) => createFinding("page-script", page.file, { script, page: page.file }));
    }),
  );
  return findings.flat();
}
