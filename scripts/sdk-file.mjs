/**
 * Prints the types of the app framework as one self-contained file, for apps outside of this repository, which do not have its packages.
 * The entry is packages/framework/src/sdk; referenced types of other modules are included.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "oxfmt";
import ts from "typescript";
import { root } from "./installed.mjs";
import { collector, contractTypes, docOf } from "./release/types.mjs";

const programOf = (entries) => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (file) => readFileSync(file, "utf8"));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  return ts.createProgram(entries, { ...options, types: [] });
};

/** The statements in `declare global` of the entry. */
const globalStatements = (source) =>
  source.statements
    .filter((statement) => ts.isModuleDeclaration(statement) && statement.name.text === "global")
    .flatMap(({ body }) => body.statements);

/** These statements, with references to types written by `reference`. */
const globalsOf = (source, texts, reference) =>
  globalStatements(source).map((statement) => [
    docOf(statement),
    statement.getText().replace(/[A-Z]\w*/g, (word) => (texts.has(word) ? reference(word) : word)),
  ]);

const HEAD =
  "/** Types of the app framework's interfaces for app code. Generated file: edits are lost when it is regenerated. */\n\n";
const NAME = "@parley/framework/sdk";

const collected = () => {
  const entry = join(root, "packages/framework/src/sdk/globals.d.ts");
  const program = programOf([entry]);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const { texts, take, takeNames } = collector(checker, {
    folder: join(root, "packages"),
    aliases: contractTypes(program, join(root, "packages/contract/src/index.ts")),
  });
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) take(exported);
  globalStatements(source).forEach(takeNames);
  const declared = [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  return { source, texts, declared };
};

const formatted = async (parts) => {
  const { code } = await format("sdk.d.ts", HEAD + parts.join("\n\n"), { printWidth: 120 });
  return code;
};

/** -> the text of types/parley.d.ts: an ambient module and global declarations, which need no installed package */
export const sdkFile = () => {
  const { source, texts, declared } = collected();
  const globals = globalsOf(source, texts, (word) => `import("${NAME}").${word}`);
  return formatted([
    `declare module "${NAME}" {`,
    ...declared,
    "}",
    ...globals.map(([doc, text]) => `${doc}declare ${text}`),
  ]);
};

/** -> the text of the module that the released package exports under the same name */
export const sdkModule = () => {
  const { source, texts, declared } = collected();
  const globals = globalsOf(source, texts, (word) => word);
  return formatted([
    ...declared.map((text) => text.replace(/^(\/\*\*[\s\S]*?\*\/\s*)?/, "$1export ")),
    "declare global {",
    ...globals.map(([doc, text]) => `${doc}${text}`),
    "}",
  ]);
};
