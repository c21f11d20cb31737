import type { Plugin } from "esbuild";

const PACKAGE = /^(?:@[^/]+\/)?[^./][^/]*/;

/** Whatever the code asks of it while it loads, there it is. */
const ANYTHING = `
const anything = new Proxy(function () {}, {
  get: (target, name) => (name === "then" || typeof name === "symbol" ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});
module.exports = anything;`;

/** Puts something in the place of declared packages that aren't installed, so that the code can be looked at without them. */
export const standIns = (declared: readonly string[], absent: (name: string) => void): Plugin => ({
  name: "absent-packages",
  setup(builder) {
    builder.onResolve({ filter: PACKAGE }, async ({ path, pluginData, ...options }) => {
      const [name = ""] = PACKAGE.exec(path) ?? [];
      if (pluginData === PACKAGE || !declared.includes(name)) return undefined;
      const { errors } = await builder.resolve(path, {
        kind: options.kind,
        resolveDir: options.resolveDir,
        importer: options.importer,
        pluginData: PACKAGE,
      });
      if (errors.length === 0) return undefined;
      absent(name);
      return { path, namespace: "absent" };
    });
    builder.onLoad({ filter: /./, namespace: "absent" }, () => ({ contents: ANYTHING, loader: "js" }));
  },
});
