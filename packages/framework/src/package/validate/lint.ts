import type { Linter, Rule, Scope } from "eslint";
import type { FindingWithPath } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";
import type { AppSource } from "./sources.ts";

/** Rules that find mistakes. Code style is not checked. */
export const MISTAKE_RULES: Linter.RulesRecord = Object.fromEntries(
  [
    ..."for-direction getter-return no-const-assign no-dupe-args no-dupe-else-if no-dupe-keys no-duplicate-case".split(
      " ",
    ),
    ..."no-func-assign no-invalid-regexp no-obj-calls no-self-assign no-this-before-super no-unreachable".split(" "),
    ..."no-unsafe-finally no-unsafe-negation use-isnan valid-typeof".split(" "),
  ].map((rule) => [rule, "warn"]),
);

/** A use of a name that the file does not declare. */
interface NameUse {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** Names that a script shares with the other scripts of its page. */
interface SharedNames {
  readonly definitions: string[];
  readonly uses: NameUse[];
}

type Reference = Scope.Reference & { readonly identifier: { readonly parent?: unknown } };

/** `typeof x` tests whether a name exists. */
const isTypeofOperand = ({ identifier }: Reference) => {
  const parent = identifier.parent as { readonly type: string; readonly operator?: string } | undefined;
  return parent?.type === "UnaryExpression" && parent.operator === "typeof";
};

const namesRule = (shared: SharedNames): Rule.RuleModule => ({
  create: ({ sourceCode }) => ({
    "Program:exit"(program) {
      const scope = sourceCode.getScope(program);
      shared.definitions.push(...scope.variables.filter(({ defs }) => defs.length > 0).map(({ name }) => name));
      for (const reference of scope.through as Reference[]) {
        const { name } = reference.identifier as { name: string };
        // An assignment in a sloppy script creates a global.
        if (reference.isWrite()) shared.definitions.push(name);
        else if (!isTypeofOperand(reference)) {
          const { line = 1, column = 0 } = reference.identifier.loc?.start ?? {};
          shared.uses.push({ name, line, column: column + 1 });
        }
      }
    },
    "AssignmentExpression > MemberExpression.left[object.name=/^(window|self|globalThis|global)$/][computed=false]"(
      member: Rule.Node & { readonly property: { readonly name: string } },
    ) {
      shared.definitions.push(member.property.name);
    },
  }),
});

const IS_MODULE = /^\s*(?:import\b(?!\s*\()|export\b)/m;

const sourceTypeOf = ({ file, text }: AppSource, defaultSourceType: "script" | "commonjs") =>
  /\.m[jt]s$/i.test(file) || IS_MODULE.test(text) ? "module" : defaultSourceType;

interface LintOptions {
  /** Kind of a file without `import` or `export`. */
  readonly defaultSourceType: "script" | "commonjs";
  /** Names that the environment provides. */
  readonly globals: readonly string[];
  /** Whether names that begin with a capital letter are accepted. */
  readonly acceptsCapitalised: boolean;
  /** Whether the environment may provide further, unknown names. */
  readonly hasUnknownGlobals: boolean;
  readonly help?: Readonly<Record<string, string>>;
}

const isTypeScript = ({ file }: AppSource): boolean => /ts$/i.test(file);

interface LintedSource extends AppSource {
  /** Names that a `declare` statement of TypeScript introduces. */
  readonly declared: readonly string[];
}

/** JavaScript of the sources, with the positions of the sources. Leaves out TypeScript that can't be parsed, which the bundler reports. */
const plainSources = async (sources: readonly AppSource[]): Promise<readonly LintedSource[]> => {
  // Imported on demand: most apps have no TypeScript.
  const { withoutTypes } = sources.some(isTypeScript) ? await import("./without-types.ts") : {};
  return sources.flatMap((source) => {
    if (!isTypeScript(source)) return [{ ...source, declared: [] }];
    const plain = withoutTypes?.(source.text);
    return plain ? [{ file: source.file, ...plain }] : [];
  });
};

/** Lints the scripts of one page or process, which share their global names. Runs offline in this process. */
export async function lint(sources: readonly AppSource[], options: LintOptions): Promise<FindingWithPath[]> {
  const scripts = await plainSources(sources);
  if (scripts.length === 0) return [];
  // Imported on demand, since loading takes half a second.
  const { Linter } = await import("eslint/universal");
  const linter = new Linter();
  const linted = scripts.map((source) => {
    const shared: SharedNames = { definitions: [...source.declared], uses: [] };
    const messages = linter.verify(
      source.text,
      {
        files: ["**/*.*"],
        plugins: { own: { rules: { names: namesRule(shared) } } },
        rules: { ...MISTAKE_RULES, "own/names": "warn" },
        linterOptions: { reportUnusedDisableDirectives: "off" },
        languageOptions: {
          ecmaVersion: "latest",
          sourceType: sourceTypeOf(source, options.defaultSourceType),
          parserOptions: { ecmaFeatures: { jsx: true } },
        },
      },
      { filename: source.file },
    );
    return { source, shared, messages };
  });
  const globalNames = new Set([...options.globals, ...linted.flatMap(({ shared }) => shared.definitions)]);
  const isKnown = (name: string) => globalNames.has(name) || (options.acceptsCapitalised && /^[A-Z]/.test(name));
  return linted.flatMap(({ source, shared, messages }) => [
    // ESLint comments of the author may refer to rules that do not exist here.
    ...messages
      .filter(({ fatal, ruleId }) => (fatal && !isTypeScript(source)) || Object.hasOwn(MISTAKE_RULES, ruleId ?? ""))
      .map(({ fatal, message, line, column }) =>
        createFinding(
          fatal ? "syntax" : "lint",
          source.file,
          { text: message.replace(/^Parsing error: /, "") },
          { line, column },
        ),
      ),
    ...(options.hasUnknownGlobals ? [] : firstUses(shared.uses))
      .filter(({ name }) => !isKnown(name))
      .map(({ name, line, column }) => {
        const help = options.help?.[name];
        return createFinding(
          "lint-undefined",
          source.file,
          { name },
          { line, column, ...(help !== undefined && { help }) },
        );
      }),
  ]);
}

const firstUses = (uses: readonly NameUse[]): NameUse[] => [
  ...new Map([...uses].reverse().map((use) => [use.name, use])).values(),
];
