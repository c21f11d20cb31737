/**
 * Evaluates modules named `contract-values.ts`, whose exports are values of the contract, when a bundle is built, so that the bundle contains
 * the values and not the contract's schemas.
 */
const MODULE = /[/\\](?:client|console|messenger)[/\\]src[/\\](?:[\w-]+[/\\])*contract-values\.ts$/;

/** -> text of a module with the same exports as constants */
async function evaluated(path) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...{ entryPoints: [path], bundle: true, write: false, format: "esm", platform: "node", target: "node20" },
    ...{ conditions: ["parley-source", "module"], logLevel: "warning" },
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
  const values = Object.entries(await import(url));
  return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`).join("");
}

/** Plugin of esbuild. */
export const CONTRACT_VALUES = {
  name: "contract-values",
  setup: ({ onLoad }) =>
    onLoad({ filter: MODULE }, async ({ path }) => ({ contents: await evaluated(path), loader: "js" })),
};

/** The same as a plugin of Vite. */
export const contractValues = () => ({
  name: CONTRACT_VALUES.name,
  enforce: "pre",
  load: (id) => (MODULE.test(id) ? evaluated(id) : undefined),
});
