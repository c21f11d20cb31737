import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { PathGuard } from "./path-guard.ts";

/** Matches a file name in esbuild's output: in a comment on its own line, or as the key of a CommonJS module. */
const FILE_NAME = /^(\s*(?:\/\/ |"))((?:\(disabled\):)?)([^"\n]+?)("\([\w, ]*\) \{)?$/gm;

/** `name` and `version` in the text of a package.json. */
const packageIdentity = (text: string): { readonly name?: string; readonly version?: string } => {
  try {
    const json: unknown = JSON.parse(text);
    const member = (key: string): unknown => (typeof json === "object" && json !== null ? Reflect.get(json, key) : "");
    const [name, version] = [member("name"), member("version")];
    return { ...(typeof name === "string" && { name }), ...(typeof version === "string" && { version }) };
  } catch {
    return {};
  }
};

/** Name and version of the package to which a file belongs, followed by the path in the package. */
function nameInPackage(path: string, guard: PathGuard): string | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (guard.refusalOfFile(file)) return undefined;
    const { name, version = "0.0.0" } = existsSync(file) ? packageIdentity(readFileSync(file, "utf8")) : {};
    // A nested package.json without a name may only set the module type of its folder.
    if (name) return `${name}@${version}/${relative(folder, path).split(sep).join("/")}`;
  }
  return undefined;
}

/** Names files of packages by package and version. esbuild names them by their path from the app's folder, which differs between machines. */
export function withStableNames(folder: string, code: string, guard: PathGuard): string {
  const names = new Map<string, string>();
  for (const [, , , path = ""] of code.matchAll(FILE_NAME)) {
    if (names.has(path) || !(path.startsWith("../") || path.includes("node_modules/"))) continue;
    const file = resolve(folder, path);
    const name = existsSync(file) && nameInPackage(file, guard);
    if (name) names.set(path, name);
  }
  return code.replace(
    FILE_NAME,
    (_, before: string, disabled: string, path: string, after = "") =>
      before + disabled + (names.get(path) ?? path) + after,
  );
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
