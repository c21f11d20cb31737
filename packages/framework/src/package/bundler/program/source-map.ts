import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type PathGuard, PathRefused } from "./path-guard.ts";
import { pathRefusals } from "../../files/app-file.ts";

const SOURCE_MAP_URL = /sourceMappingURL=([^\s'"`*]+)/g;

/** All paths that the URL of a source map may stand for. */
const candidatePaths = (file: string, address: string): string[] => {
  const forms = new Set([address, address.replace(/[?#].*$/, "")]);
  for (const form of [...forms])
    try {
      forms.add(decodeURIComponent(form));
    } catch {
      // Without valid percent-encoding, the text has no second form.
    }
  return [...forms].flatMap((form) => {
    if (!/^file:/i.test(form)) return [isAbsolute(form) ? form : resolve(dirname(file), form)];
    try {
      return [fileURLToPath(form)];
    } catch {
      return [];
    }
  });
};

/** esbuild reads the source map that a file names without calling plugins. */
export function refusalOfSourceMap(guard: PathGuard, file: string, text: string): PathRefused | undefined {
  for (const [, address = ""] of text.matchAll(SOURCE_MAP_URL)) {
    if (/^data:/i.test(address)) continue;
    for (const place of candidatePaths(file, address))
      if (guard.refusalOfFile(place)) return new PathRefused(address, pathRefusals.sourceMap);
  }
  return undefined;
}

interface SourceMap {
  readonly sources: readonly string[];
}

/**
 * Appends the map to the code as a comment. The source texts are those that were bundled, because esbuild would insert the text of any file
 * that a source map of the app names.
 * @shape texts: by absolute path
 */
export const withInlineMap = (
  folder: string,
  code: string,
  map: string,
  texts: ReadonlyMap<string, string>,
): string => {
  const read = JSON.parse(map) as SourceMap;
  const byName = new Map([...texts].map(([path, text]) => [relative(folder, path).split(sep).join("/"), text]));
  const completeMap = { ...read, sourcesContent: read.sources.map((source) => byName.get(source) ?? null) };
  const comment = Buffer.from(JSON.stringify(completeMap)).toString("base64");
  return `${code}//# sourceMappingURL=data:application/json;base64,${comment}\n`;
};
