/**
 * ESLint, as an author configures it: for Concierge, its tests, and the templates of `parley init`. All other code is checked by oxlint alone.
 * The names of the platform's globals are those of `parley validate`.
 */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import eslint from "@eslint/js";
import { build } from "esbuild";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("packages/framework/src/package/validate/global-names.ts", import.meta.url))],
  ...{ bundle: true, write: false, format: "esm", platform: "node", conditions: ["parley-source"] },
});
const { CALLBACK_NAMES, SERVER_NAMES } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);
const readonly = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

/** Namespaces of types, of Node and of handlebars. */
const TYPE_NAMESPACES = ["NodeJS", "Console", "hbs"];
const JEST_NAMES = ["describe", "test", "expect", "beforeAll", "beforeEach", "afterAll", "afterEach"];
const TEMPLATES = "packages/parley/src/init/template";

/** The file of an app that a template `<file>.tmpl` becomes. */
const template = {
  meta: { name: "template" },
  preprocess: (text, file) => [{ text, filename: basename(file, ".tmpl") }],
  postprocess: (messages) => messages.flat(),
};

export default defineConfig(
  // Everything but these folders.
  globalIgnores([
    ...["*", "!server", "!app", "!config", "!test", "!packages"],
    ...["test/*", "!test/concierge"],
    ...["packages/*", "!packages/parley", "packages/parley/*", "!packages/parley/src", "packages/parley/src/*"],
    ...["!packages/parley/src/init", "packages/parley/src/init/*", `!${TEMPLATES}`, `!${TEMPLATES}s`],
    `${TEMPLATES}/types`,
  ]),
  { files: [`${TEMPLATES}*/**/*.{ts,tsx,js,mjs}.tmpl`], processor: template },
  {
    files: ["**/*.{ts,tsx,js,mjs}"],
    extends: [eslint.configs.recommended, tseslint.configs.recommended],
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/server/**/*.{ts,js}"],
    languageOptions: {
      globals: { ...readonly([...SERVER_NAMES, ...TYPE_NAMESPACES]), exports: "writable" },
      parserOptions: { lib: ["es2023"] },
    },
    rules: { "no-undef": "error" },
  },
  {
    files: ["**/app/**/*.{ts,js}", "**/config/**/*.{ts,js}"],
    languageOptions: {
      globals: readonly([...CALLBACK_NAMES, "Option"]),
      parserOptions: { lib: ["es2023", "dom", "dom.iterable"] },
    },
    rules: { "no-undef": "error" },
  },
  {
    files: ["**/server/**/*.js"],
    languageOptions: { sourceType: "commonjs" },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  {
    // The page calls their functions, which may have names of the browser's.
    files: ["**/config/assets/**/*.js"],
    languageOptions: { sourceType: "script" },
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { vars: "local" }],
      "no-redeclare": ["error", { builtinGlobals: false }],
    },
  },
  {
    files: ["**/test/**/*.{js,mjs}", "**/scripts/**/*.mjs"],
    languageOptions: { globals: readonly([...SERVER_NAMES, ...JEST_NAMES]) },
  },
);
