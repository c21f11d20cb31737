/**
 * Prints the types of the app framework as one self-contained file, for apps outside of this repository, which do not have its packages.
 * The entry is packages/framework/src/sdk; referenced types of other modules are included.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "oxfmt";
import ts from "typescript";
import { root } from "./installed.mjs";

const FLAGS =
  ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.MultilineObjectLiterals;

const programOf = (entries) => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (file) => readFileSync(file, "utf8"));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  return ts.createProgram(entries, { ...options, types: [] });
};

const isOurs = (declaration) => /[\\/]packages[\\/]\w+[\\/]src[\\/]/.test(declaration?.getSourceFile().fileName ?? "");

/** Whether a type is derived from a value, such as a schema, and has to be expanded. */
const isDerived = (node) => {
  let found = false;
  const visit = (inner) => {
    found ||= ts.isTypeQueryNode(inner);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return found;
};

/** Docstring without the tags @assumed and @spec, which are for contributors. */
const docOf = (node) => {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  return doc ? `${doc.getText().replace(/\s*\*?\s*@(?:assumed|spec)\b[\s\S]*?(?=\s*\*\/)/, "")}\n` : "";
};

/** Type declaration of a symbol in this repository's sources; a schema and its type can share a name. */
const typeOf = (symbol) =>
  symbol?.declarations?.find(
    (declaration) =>
      isOurs(declaration) && (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration)),
  );

/** Collects declarations by name, each with all types that it references. */
const collector = (checker) => {
  const texts = new Map();
  const real = (symbol) => (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const take = (found) => {
    const symbol = real(found);
    const declaration = typeOf(symbol);
    if (!declaration || texts.has(symbol.name)) return;
    texts.set(symbol.name, "");
    if (ts.isTypeAliasDeclaration(declaration) && isDerived(declaration.type)) {
      const text = checker.typeToString(checker.getTypeAtLocation(declaration), declaration, FLAGS);
      texts.set(symbol.name, `${docOf(declaration)}type ${symbol.name} = ${text};`);
    } else {
      texts.set(symbol.name, docOf(declaration) + declaration.getText().replace(/^export\s+/, ""));
      takeNamed(declaration);
    }
  };
  const takeNamed = (node) => {
    if (ts.isIdentifier(node)) take(checker.getSymbolAtLocation(node));
    ts.forEachChild(node, takeNamed);
  };
  return { texts, take, takeNamed };
};

/** `declare global` of the entry, with references to types written by `reference`. */
const globalsOf = (source, texts, reference) =>
  source.statements
    .filter((statement) => ts.isModuleDeclaration(statement) && statement.name.text === "global")
    .flatMap(({ body }) => body.statements)
    .map((statement) => [
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
  const { texts, take, takeNamed } = collector(checker);
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) take(exported);
  for (const statement of source.statements) if (ts.isModuleDeclaration(statement)) takeNamed(statement);
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
