import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { PathGuard } from "./path-guard.ts";

/** Where the bundler names a file: in a comment of its own line, or as the key of a CommonJS module. */
const NAMED = /^(\s*(?:\/\/ |"))((?:\(disabled\):)?)([^"\n]+?)("\([\w, ]*\) \{)?$/gm;

/** Texts under `name` and `version` of a package.json. */
const aboutPackage = (text: string): { readonly name?: string; readonly version?: string } => {
  try {
    const json: unknown = JSON.parse(text);
    const member = (key: string): unknown => (typeof json === "object" && json !== null ? Reflect.get(json, key) : "");
    const [name, version] = [member("name"), member("version")];
    return { ...(typeof name === "string" && { name }), ...(typeof version === "string" && { version }) };
  } catch {
    return {};
  }
};

/** The name and version of the package that a file belongs to, and its path in it. */
function nameInPackage(path: string, guard: PathGuard): string | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (guard.refusalOfFile(file)) return undefined;
    const { name, version = "0.0.0" } = existsSync(file) ? aboutPackage(readFileSync(file, "utf8")) : {};
    // Folders inside of a package may have such a file only to say what kind of modules lie there.
    if (name) return `${name}@${version}/${relative(folder, path).split(sep).join("/")}`;
  }
  return undefined;
}

/**
 * Where a package lies differs from machine to machine, and the bundler names files by their path from the app's folder: a file that
 * isn't the app's own is named by its package instead.
 */
export function withStableNames(folder: string, code: string, guard: PathGuard): string {
  const names = new Map<string, string>();
  for (const [, , , path = ""] of code.matchAll(NAMED)) {
    if (names.has(path) || !(path.startsWith("../") || path.includes("node_modules/"))) continue;
    const file = resolve(folder, path);
    const name = existsSync(file) && nameInPackage(file, guard);
    if (name) names.set(path, name);
  }
  return code.replace(
    NAMED,
    (_, before: string, disabled: string, path: string, after = "") =>
      before + disabled + (names.get(path) ?? path) + after,
  );
}
