/** Writes the types of an entry as one declaration file that refers to no package of this repository and to no schema library. */
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { format } from "oxfmt";
import ts from "typescript";
import { root } from "../installed.mjs";
import { typePrinter } from "./type-printer.mjs";

const CONTRACT = "packages/contract/src/index.ts";

/** Declarations import sources by relative path and other packages by name; here, every module is a declaration file below `folder`. */
const relinked = (text, path, folder) =>
  text
    .replace(/(["'])(\.[^"']+)\.ts\1/g, '"$2.js"')
    .replace(/"@parley\/(\w+)"/g, (_, name) =>
      JSON.stringify(`./${relative(dirname(path), join(folder, "packages", name, "src/index.js"))}`),
    );

const FORMAT_HOST = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};
function refuse(diagnostics) {
  const errors = diagnostics.filter(({ category }) => category === ts.DiagnosticCategory.Error);
  if (errors.length > 0)
    throw new Error(`The declarations can't be written:\n${ts.formatDiagnostics(errors, FORMAT_HOST)}`);
}

/**
 * Writes a declaration file for each source that the entries import. The native compiler is faster, but now and then it leaves out the files
 * behind an `export * from`.
 */
function emitDeclarations(entries, folder) {
  rmSync(folder, { recursive: true, force: true });
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const program = ts.createProgram(
    [CONTRACT, ...entries].map((path) => join(root, path)),
    { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: folder, rootDir: root },
  );
  refuse([...program.getGlobalDiagnostics(), ...program.emit().diagnostics]);
  for (const entry of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".d.ts"))) {
    const path = join(folder, entry);
    writeFileSync(path, relinked(readFileSync(path, "utf8"), path, folder));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

/** Docstring without the tags @assumed and @spec, which are for contributors. */
export const docOf = (node) => {
  const doc = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  return doc ? `${doc.getText().replace(/\s*\*?\s*@(?:assumed|spec)\b[\s\S]*?(?=\s*\*\/)/, "")}\n` : "";
};

/**
 * Collects the declarations that an entry exports, with all that they refer to.
 * @shape folder: contains the modules whose declarations are collected; external: libraries that the types may import; aliases: symbols
 * that keep their names in evaluated types
 */
export function collector(checker, { folder, external = [], aliases = [] }) {
  /** Texts of declarations, by name. */
  const texts = new Map();
  const symbols = new Map();
  const imports = new Map();
  const isEmitted = (declaration) => {
    const { fileName } = declaration.getSourceFile();
    return fileName.startsWith(`${folder}/`) && !fileName.includes("/node_modules/");
  };
  const isGeneric = (declaration) => (declaration.typeParameters?.length ?? 0) > 0;
  const real = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const libraryOf = (declaration) =>
    /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(declaration.getSourceFile().fileName)?.[1];
  /** A type declaration of an entry's module, or a class, function or constant. Of a schema and its type, it is the type. */
  const declarationOf = (symbol) => {
    const found = symbol.declarations?.filter(isEmitted) ?? [];
    return found.find((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) ?? found[0];
  };
  const isName = (node) =>
    ts.isIdentifier(node) && !ts.isPropertySignature(node.parent) && !ts.isPropertyDeclaration(node.parent);
  const some = (node, rule) =>
    rule(node) || (ts.forEachChild(node, (child) => some(child, rule) || undefined) ?? false);

  const schematic = new Map();
  /** Whether a declaration depends on a value, on a library that is not external, or on a declaration that does. */
  const isSchematic = (declaration) => {
    const known = schematic.get(declaration);
    if (known !== undefined) return known;
    schematic.set(declaration, false);
    const found = some(declaration, (node) => {
      if (ts.isTypeQueryNode(node)) return true;
      if (!isName(node)) return false;
      const symbol = checker.getSymbolAtLocation(node);
      if (!symbol) return false;
      const [first] = real(symbol).declarations ?? [];
      if (!first || first === declaration || ts.isTypeParameterDeclaration(first)) return false;
      if (!isEmitted(first)) return isForeign(first);
      const other = declarationOf(real(symbol));
      return (ts.isTypeAliasDeclaration(other) || ts.isInterfaceDeclaration(other)) && isSchematic(other);
    });
    schematic.set(declaration, found);
    return found;
  };
  const isForeign = (declaration) => {
    const library = libraryOf(declaration);
    return library !== undefined && !/^(?:typescript|@types\/node)$/.test(library) && !external.includes(library);
  };

  const take = (found) => {
    const symbol = real(found);
    const declaration = declarationOf(symbol);
    const [first] = symbol.declarations ?? [];
    if (!declaration) {
      const library = first && libraryOf(first);
      if (external.includes(library)) imports.set(symbol.name, library);
      else if (first && isForeign(first))
        throw new Error(
          `The types refer to ${symbol.name} of ${library}, which a user does not install; last declaration: ${[...symbols.keys()].at(-1)}.`,
        );
      return;
    }
    if (ts.isTypeParameterDeclaration(declaration) || !ts.isSourceFile(statementOf(declaration).parent)) return;
    if (symbols.has(symbol.name) && symbols.get(symbol.name) !== symbol)
      throw new Error(`Two declarations are named ${symbol.name}.`);
    if (symbols.has(symbol.name)) return;
    symbols.set(symbol.name, symbol);
    texts.set(symbol.name, textOf(symbol.name, declaration));
  };
  /** Takes all declarations that a node refers to. */
  const takeNames = (node) => {
    const symbol = isName(node) && checker.getSymbolAtLocation(node);
    if (symbol) take(symbol);
    ts.forEachChild(node, takeNames);
  };
  /** The statement of a declaration: that of a constant is two levels above. */
  const statementOf = (declaration) =>
    ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const print = typePrinter(checker, {
    take,
    docOf,
    aliases: aliases.filter((symbol) => {
      const declaration = declarationOf(symbol);
      return ts.isTypeAliasDeclaration(declaration) && !isGeneric(declaration) && isSchematic(declaration);
    }),
    isComputed: (symbol) => {
      const declaration = declarationOf(symbol);
      return declaration !== undefined && isGeneric(declaration) && isSchematic(declaration);
    },
    // An alias without parameters stays a name.
    isNamed: (symbol) => {
      const declaration = declarationOf(symbol);
      return declaration !== undefined && !isGeneric(declaration) && isExpandable(declaration);
    },
  });
  /** A declaration whose expansion contains no schema. Tables of schemas have no such expansion. */
  const isExpandable = (declaration) =>
    ts.isTypeAliasDeclaration(declaration) || !isSchematic(declaration) || ts.isClassDeclaration(declaration);
  const textOf = (name, declaration) => {
    if (ts.isTypeAliasDeclaration(declaration) && !isGeneric(declaration) && isSchematic(declaration))
      return `${docOf(declaration)}type ${name} = ${print(checker.getTypeAtLocation(declaration))};`;
    const statement = statementOf(declaration);
    if (some(declaration, ts.isTypeQueryNode)) throw new Error(`The type ${name} depends on a value.`);
    takeNames(declaration);
    const isValue = !ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration);
    const plain = statement.getText().replace(/^(?:export\s+)?(?:declare\s+)?/, "");
    return `${docOf(statement)}${isValue ? "declare " : ""}${plain}`;
  };
  return { texts, imports, take, takeNames };
}

/** @shape path: of the contract's module in a program -> the symbols of its types, sorted by name */
export const contractTypes = (program, path) => {
  const checker = program.getTypeChecker();
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter(({ flags, name }) => flags & ts.SymbolFlags.TypeAlias && name !== "Api")
    .sort((one, other) => (one.name < other.name ? -1 : 1));
};

/** @returns the text of a declaration file */
function bundled(program, entry, { folder, external }) {
  const checker = program.getTypeChecker();
  const aliases = contractTypes(program, join(folder, CONTRACT.replace(/\.ts$/, ".d.ts")));
  const { texts, imports, take } = collector(checker, { folder, external, aliases });
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
  exported.forEach(take);
  const sorted = (entries) => [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  const names = new Set(exported.map(({ name }) => name));
  return [
    ...sorted(imports).map(([name, library]) => `import type { ${name} } from "${library}";\n`),
    ...sorted(texts).map(([name, text]) =>
      names.has(name) ? text.replace(/^(\/\*\*[\s\S]*?\*\/\s*)?/, "$1export ") : text,
    ),
    "export {};\n",
  ].join("\n");
}

/**
 * @shape entries: paths of sources, relative to the root; folder: for intermediate files; external: libraries that the types may import
 * @returns texts of declaration files, in the order of the entries
 */
export async function bundledTypes(entries, { folder, external }) {
  emitDeclarations(entries, folder);
  const files = entries.map((entry) => join(folder, entry.replace(/\.ts$/, ".d.ts")));
  const program = ts.createProgram(files, {
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
      strict: true,
      preserveSymlinks: true,
    },
    ...{ types: [], noEmit: true },
  });
  refuse(files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file))));
  const texts = files.map((file) => bundled(program, file, { folder, external }));
  rmSync(folder, { recursive: true });
  return Promise.all(texts.map(async (text) => (await format("index.d.ts", text, { printWidth: 120 })).code));
}
