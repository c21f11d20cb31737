import { RE2JS, RE2JSException } from "re2js";

/** One rule of a parameter's `regex`: an expression, and the message for a value that does not match. */
export interface IparamPattern {
  readonly name: string;
  readonly expression: string;
  readonly message: string | undefined;
}

const ERROR = "-error";

/** Splits a parameter's `regex` into its pairs. */
export const patternsOf = (regex: Readonly<Record<string, string>> = {}): IparamPattern[] =>
  Object.entries(regex).flatMap(([name, expression]) =>
    name.endsWith(ERROR) ? [] : [{ name, expression, message: regex[`${name}${ERROR}`] }],
  );

/** Budget of the checks of one save. A step takes about 14 ns, the whole budget 140 ms. @units steps: instructions of the program times characters */
const STEPS_MAX = 10_000_000;
/** @units instructions */
const PROGRAM_SIZE_MAX = 10_000;
/** Compiling takes about 10 µs per instruction, so larger expressions are not compiled. @units instructions */
const ESTIMATE_MAX = 4 * PROGRAM_SIZE_MAX;
/** Size of the cache of compiled expressions. */
const COMPILED_MAX = 200;

const ATOM = /\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|\(\?[^:)]*:?|[\s\S]/gu;

/** Estimated number of instructions of an expression. A repeated part counts as often as it can be repeated. */
const estimatedSize = (expression: string): number => {
  /** Sizes of the open groups, and of the last atom in each. */
  const groups = [{ size: 0, last: 0 }];
  const add = (size: number) => {
    const group = groups.at(-1);
    if (group) [group.size, group.last] = [group.size + size, size];
  };
  for (const [atom, least, max] of expression.matchAll(ATOM)) {
    const group = groups.at(-1);
    if (least !== undefined && group) add(group.last * (Math.max(Number(least), Number(max || 0)) - 1));
    else if (atom.startsWith("(")) groups.push({ size: 2, last: 0 });
    else if (atom === ")" && groups.length > 1) add(groups.pop()?.size ?? 0);
    else add(1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
};

const compiled = new Map<string, RE2JS>();

/** @errors RE2JSException */
const compile = (expression: string): RE2JS => {
  const cached = compiled.get(expression);
  if (cached) return cached;
  const pattern = RE2JS.compile(expression);
  const [oldest] = compiled.keys();
  if (oldest !== undefined && compiled.size >= COMPILED_MAX) compiled.delete(oldest);
  compiled.set(expression, pattern);
  return pattern;
};

/** Remaining budget for the matches of one save. */
interface MatchBudget {
  /** @units instructions of the program times characters */
  steps: number;
}
export const newMatchBudget = (): MatchBudget => ({ steps: STEPS_MAX });

/**
 * Whether the text contains a match, in time linear in its length and in the size of the expression. -> a number when the budget does not
 * suffice: the maximum length of the text. An app's expression can't block the host.
 * @errors RE2JSException @units characters
 */
export const matchesPattern = (expression: string, text: string, budget: MatchBudget): boolean | number => {
  const pattern = compile(expression);
  const size = Math.max(1, pattern.programSize());
  const maxLength = Math.floor(budget.steps / size);
  if (text.length > maxLength) return maxLength;
  budget.steps -= size * text.length;
  return pattern.matcher(text).find();
};

const tooLarge = (size: string): string =>
  `It becomes a program of ${size} instructions, of which ${PROGRAM_SIZE_MAX} are allowed: repeat less.`;

/** The problem of an expression; undefined for a valid expression. */
export const patternFault = (expression: string): string | undefined => {
  if (estimatedSize(expression) > ESTIMATE_MAX) return tooLarge(`more than ${ESTIMATE_MAX}`);
  try {
    const size = RE2JS.compile(expression).programSize();
    return size > PROGRAM_SIZE_MAX ? tooLarge(String(size)) : undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
};
