import { dirname, resolve } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import type { BundlerMessage, BundleJob } from "../job.ts";
import type { PathRefused } from "./messages.ts";
import type { PathGuard } from "./path-guard.ts";

const PACKAGE = /^(?:@[^/]+\/)?[^./][^/]*/;
/** Imports that may name a place outside by their words. */
const SPECIAL = /\.\.|^\/|^[A-Za-z]+:/;

/** Answers whatever the code asks of it while it loads. */
const STAND_IN = `
const anything = new Proxy(function () {}, {
  get: (target, name) => (name === "then" || typeof name === "symbol" ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});
module.exports = anything;`;
const STAND_IN_NAMESPACE = "absent";

/** Marks the questions of the plugin itself. */
const INNER = Symbol("inner resolution");

/**
 * Judges imports by their words, before anything is looked for. A declared package that is not installed gets a stand-in where the job says so,
 * so that the code can be looked at without it.
 */
export const resolution = ({ standIns = [] }: BundleJob, guard: PathGuard, absent: (name: string) => void): Plugin => ({
  name: "resolution",
  setup(builder) {
    const refused = (refusal: PathRefused) => ({ errors: [{ text: refusal.reason, detail: refusal }] });
    builder.onResolve({ filter: standIns.length > 0 ? /./ : SPECIAL }, async (asked) => {
      if (asked.pluginData === INNER || asked.namespace === STAND_IN_NAMESPACE) return undefined;
      const { path, kind, importer, namespace, resolveDir } = asked;
      const refusal = guard.refusalOfImport(asked);
      if (refusal) return refused(refusal);
      const [name = ""] = PACKAGE.exec(path) ?? [];
      if (!standIns.includes(name)) return undefined;
      const options = { kind, importer, namespace, resolveDir, with: asked.with, pluginData: INNER };
      const { errors } = await builder.resolve(path, options);
      if (errors.length === 0) return undefined;
      absent(name);
      return { path, namespace: STAND_IN_NAMESPACE };
    });
    builder.onLoad({ filter: /./, namespace: STAND_IN_NAMESPACE }, () => ({ contents: STAND_IN, loader: "js" }));
  },
});

/**
 * Judges what each import of a finished bundle was found to mean: a file may be read for the bundle because a package above the app's
 * folder may lead there, and not for the app's own import of it.
 */
export function refusalsIn({ inputs }: Metafile, folder: string, guard: PathGuard): BundlerMessage[] {
  return Object.entries(inputs).flatMap(([file, { imports }]) => {
    const resolveDir = dirname(resolve(folder, file));
    return imports.flatMap(({ path, original = path, external }): BundlerMessage[] => {
      const asked = { path: original, resolveDir, with: {} };
      const refusal = external ? undefined : guard.refusalOfTarget(asked, resolve(folder, path));
      return refusal ? [{ level: "refused", text: refusal.reason, path: refusal.path, file }] : [];
    });
  });
}
