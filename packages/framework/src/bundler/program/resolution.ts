import type { Plugin } from "esbuild";
import type { BundleJob } from "../job.ts";
import type { PathGuard } from "./path-guard.ts";
import type { PathRefused } from "./messages.ts";

const PACKAGE = /^(?:@[^/]+\/)?[^./][^/]*/;

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
 * Judges each import before it is resolved, by its words, and after, by the file that it means. A declared package that is not installed
 * gets a stand-in where the job says so, so that the code can be looked at without it.
 */
export const resolution = ({ standIns = [] }: BundleJob, guard: PathGuard, absent: (name: string) => void): Plugin => ({
  name: "resolution",
  setup(builder) {
    const refused = (refusal: PathRefused) => ({ errors: [{ text: refusal.reason, detail: refusal }] });
    // Where nothing outside the folder may be used, the look at each file before it is read is enough for all that says nothing special.
    const filter = guard.hasPackagesAbove || standIns.length > 0 ? /./ : /\.\.|^\/|^[A-Za-z]+:/;
    builder.onResolve({ filter }, async (asked) => {
      if (asked.pluginData === INNER || asked.namespace === STAND_IN_NAMESPACE) return undefined;
      const { path, kind, importer, namespace, resolveDir } = asked;
      const early = guard.refusalOfImport(asked);
      if (early) return refused(early);
      const [name = ""] = PACKAGE.exec(path) ?? [];
      const mayBeAbsent = standIns.includes(name);
      if (!mayBeAbsent && !(guard.hasPackagesAbove && guard.isInApp(resolveDir))) return undefined;
      const target = await builder.resolve(path, {
        kind,
        importer,
        namespace,
        resolveDir,
        with: asked.with,
        pluginData: INNER,
      });
      if (target.errors.length > 0) {
        if (!mayBeAbsent) return undefined;
        absent(name);
        return { path, namespace: STAND_IN_NAMESPACE };
      }
      if (target.external || target.namespace !== "file") return undefined;
      const late = guard.refusalOfTarget(asked, target.path);
      // Resolved once more by esbuild itself, which keeps more of what it finds than it tells.
      return late && refused(late);
    });
    builder.onLoad({ filter: /./, namespace: STAND_IN_NAMESPACE }, () => ({ contents: STAND_IN, loader: "js" }));
  },
});
