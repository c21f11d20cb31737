import { join, posix } from "node:path";
import { appFilePath, readAppFileText } from "../files/app-file.ts";
import type { FoundDetail } from "../model/finding.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";
import { found } from "../model/rules.ts";
import type { AppSource } from "./sources.ts";

const PACKAGE = "package.json";
/** Where apps of the field say which framework's build makes their pages: file, member, member of it. */
const DECLARATIONS = [
  [PACKAGE, "fdkConfig", "frontendFramework"],
  [PACKAGE, "metaConfig", "framework"],
  [MANIFEST_FILE, "metaConfig", "framework"],
] as const;
/** A page's script that lies beside it. */
const SCRIPT = /<script\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/|\{\{)/i;
const CLIENT = /fresh_(?:client|parent)/;

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // What is wrong with the file is said elsewhere.
    return undefined;
  }
};

async function declaredFramework(folder: string): Promise<{ framework: string; file: string } | undefined> {
  for (const [file, part, name] of DECLARATIONS) {
    const framework = member(member(parsed(await readAppFileText(folder, file)), part), name);
    if (typeof framework === "string" && framework !== "" && framework !== "none") return { framework, file };
  }
  return undefined;
}

const scriptsOf = ({ file, text }: AppSource): string[] =>
  [...text.matchAll(SCRIPT)].flatMap(([, quoted, single, bare]) => {
    const address = (quoted ?? single ?? bare ?? "").split(/[?#]/)[0] ?? "";
    return address === "" || ELSEWHERE.test(address) || CLIENT.test(address)
      ? []
      : [posix.join(posix.dirname(file), address)];
  });

/** A page of app/ that would stay blank here, since only a framework's own build fills it. */
export async function blankPage(folder: string, page: AppSource): Promise<FoundDetail | undefined> {
  return (await pageRules(folder, [page])).find(({ code }) => code === "page-build");
}

/** Scripts that pages name and that are not there; and pages that only a framework's own build would fill. */
export async function pageRules(folder: string, pages: readonly AppSource[]): Promise<FoundDetail[]> {
  const declared = await declaredFramework(folder);
  const findings = await Promise.all(
    pages.map(async (page): Promise<FoundDetail[]> => {
      const named = scriptsOf(page);
      const there = await Promise.all(named.map((path) => appFilePath(join(folder), path)));
      const hasOwnCode = /<script\b(?![^>]*\ssrc\s*=)[^>]*>\s*\S/i.test(page.text);
      if (declared && !hasOwnCode && !there.some((path) => path !== undefined))
        return [found("page-build", page.file, { page: page.file, ...declared })];
      return named
        .filter((_path, index) => there[index] === undefined)
        .map((script) => found("page-script", page.file, { script, page: page.file }));
    }),
  );
  return findings.flat();
}
