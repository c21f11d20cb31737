import { inspect } from "node:util";

/** What the database's own errors say besides the values. */
const NAMES = ["code", "schema", "table", "column", "constraint", "dataType", "routine"] as const;

/** Its messages of this class repeat the value that was wrong. */
const isOfData = (code: string): boolean => code.startsWith("22");

/** What is logged of a fault: whole, but for the values that a statement was about, since these may be personal. */
export const faultText = (error: Error): string => {
  const said = error as Error & { readonly severity?: unknown } & Partial<Record<(typeof NAMES)[number], string>>;
  if (said.severity === undefined || said.code === undefined) return inspect(error);
  const names = NAMES.flatMap((name) => (said[name] === undefined ? [] : [`${name} ${said[name]}`]));
  const stack = error.stack ?? "";
  const at = stack.indexOf("\n    at ");
  const message = isOfData(said.code) ? "a value of the wrong kind" : error.message;
  return `database: ${message} (${names.join(", ")})${at === -1 ? "" : stack.slice(at)}`;
};
