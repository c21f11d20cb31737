import { fileURLToPath } from "node:url";

/**
 * Evaluates modules named `contract-values.ts`, whose exports are values of the contract, when a bundle is built, so that the bundle contains
 * the values and not the contract's schemas. Makes the style sheets of the contract's colours.
 */
const MODULE = /[/\\](?:client|console|messenger)[/\\]src[/\\](?:[\w-]+[/\\])*contract-values\.ts$/;

/** Style sheets by the name with which pages import them: the names of their texts in `COLORS`. */
const STYLE_SHEETS = {
  "@parley/contract/colors.css": "COLORS_CSS",
  "@parley/contract/themed-colors.css": "THEMED_COLORS_CSS",
};
const STYLE_SHEET = /^@parley\/contract\/(?:themed-)?colors\.css$/;
const COLORS = fileURLToPath(new URL("../packages/contract/src/display/colors.ts", import.meta.url));

/** -> exports of a module by name */
async function valuesOf(path) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...{ entryPoints: [path], bundle: true, write: false, format: "esm", platform: "node", target: "node20" },
    ...{ conditions: ["parley-source", "module"], logLevel: "warning" },
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
  return import(url);
}

/** -> text of a module with the same exports as constants */
const evaluated = async (path) =>
  Object.entries(await valuesOf(path))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");

const styleSheet = async (name) => (await valuesOf(COLORS))[STYLE_SHEETS[name]];

/** Plugin of esbuild. */
export const CONTRACT_VALUES = {
  name: "contract-values",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: MODULE }, async ({ path }) => ({ contents: await evaluated(path), loader: "js" }));
    onResolve({ filter: STYLE_SHEET }, ({ path }) => ({ path, namespace: "colors" }));
    onLoad({ filter: STYLE_SHEET, namespace: "colors" }, async ({ path }) => ({
      contents: await styleSheet(path),
      loader: "css",
    }));
  },
};

/** The same as a plugin of Vite. Its pages contain `%BRAND_COLOR%` where they name the colour. */
export const contractValues = () => ({
  name: CONTRACT_VALUES.name,
  enforce: "pre",
  // Vite recognises a module of its own by the first character.
  resolveId: (id) => (STYLE_SHEET.test(id) ? `\0${id}` : undefined),
  load: (id) => {
    if (MODULE.test(id)) return evaluated(id);
    return id.startsWith("\0") && STYLE_SHEET.test(id.slice(1)) ? styleSheet(id.slice(1)) : undefined;
  },
  transformIndexHtml: async (html) => html.replaceAll("%BRAND_COLOR%", (await valuesOf(COLORS)).BRAND_COLOR),
});
