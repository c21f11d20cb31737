import { RE2JS, RE2JSException } from "re2js";

/** One rule of a parameter's `regex`: an expression and what to say when a value does not match it. */
export interface Pattern {
  readonly name: string;
  readonly expression: string;
  readonly message: string | undefined;
}

const ERROR = "-error";

/** Splits a parameter's `regex` into its pairs. */
export const patternsOf = (regex: Readonly<Record<string, string>> = {}): Pattern[] =>
  Object.entries(regex).flatMap(([name, expression]) =>
    name.endsWith(ERROR) ? [] : [{ name, expression, message: regex[`${name}${ERROR}`] }],
  );

/**
 * Says whether the text has a match anywhere, in time linear in its length: an app's expression can't hang the host.
 * @errors RE2JSException
 */
export const matches = (expression: string, text: string): boolean => RE2JS.compile(expression).matcher(text).find();

/** What is wrong with an expression; undefined for a good one. */
export const patternFault = (expression: string): string | undefined => {
  try {
    RE2JS.compile(expression);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
};
