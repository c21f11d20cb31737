/**
 * Evaluates the module of the client with the contract's values when a bundle is built, so that the bundle contains the values and not the
 * contract's schemas.
 */
import { join } from "node:path";
import { root } from "./installed.mjs";

const MODULE = join(root, "packages/client/src/contract-values.ts");

/** -> text of a module with the same exports as constants */
async function evaluated() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...{ entryPoints: [MODULE], bundle: true, write: false, format: "esm", platform: "node", target: "node20" },
    ...{ conditions: ["source", "module"], logLevel: "warning" },
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
  const values = Object.entries(await import(url));
  return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`).join("");
}

/** Plugin of esbuild. */
export const CONTRACT_VALUES = {
  name: "contract-values",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]client[/\\]src[/\\]contract-values\.ts$/ }, async () => ({
      contents: await evaluated(),
      loader: "js",
    })),
};
