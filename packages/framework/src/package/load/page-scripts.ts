import { posix } from "node:path";
import type { Bundler } from "../bundler/bundler.ts";
import type { Finding } from "../../model/finding.ts";
import { stableBundle } from "./bundle.ts";

/** Matches a page's reference to a script of the app in TypeScript or JSX. */
const SCRIPT_REFERENCE =
  /(<script\b[^>]*?\bsrc\s*=\s*["']?)(?!\w+:|\/)([^"'?#>=]+?\.(?:ts|[jt]sx))((?:[?#][^"'\s>]*)?(?=["'\s>]))/gi;

/** Bundle format of TypeScript in pages, packed or served. */
export const PAGE_SCRIPT = { platform: "browser", format: "iife" } as const;

/** Path of the JavaScript file that a script becomes in a package. */
export const inJavaScript = (path: string): string => path.replace(/\.(?:ts|[jt]sx)$/i, ".js");

/** Scripts of app/ in TypeScript or JSX that a page refers to. @shape path: of the page, such as app/index.html */
export const compiledScriptsOf = (path: string, text: string): readonly string[] =>
  [...text.matchAll(SCRIPT_REFERENCE)]
    .map(([, , name = ""]) => posix.join(posix.dirname(path), name))
    .filter((name) => name.startsWith("app/"));

/** The page with references to the packed scripts. */
export const withPackedScripts = (text: string): string =>
  text.replace(
    SCRIPT_REFERENCE,
    (_tag, before: string, name: string, rest: string) => before + inJavaScript(name) + rest,
  );

/** A script of a page as a package contains it. `code` is absent if it has errors. */
interface CompiledPageScript {
  readonly name: string;
  readonly code?: string | undefined;
  readonly findings: readonly Finding[];
}

/** Bundles scripts of pages. The same for `validate` and `pack`, so that both find the same errors. */
export const compilePageScripts = (
  bundler: Bundler,
  folder: string,
  names: readonly string[],
): Promise<readonly CompiledPageScript[]> =>
  Promise.all(
    [...new Set(names)].sort().map(async (name) => {
      const { code, findings } = await stableBundle(bundler, { folder, file: name, ...PAGE_SCRIPT });
      return { name, code, findings };
    }),
  );
