import { inspect } from "node:util";

/** An error that PostgreSQL answered. */
interface DatabaseError extends Error {
  /** The SQLSTATE, such as `22P02`. */
  readonly code: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly dataType?: string;
  readonly routine?: string;
}

/** Members of a database error that contain no values. */
const NAMING_MEMBERS = ["code", "schema", "table", "column", "constraint", "dataType", "routine"] as const;

const isDatabaseError = (error: Error): error is DatabaseError =>
  (error as Partial<Record<"severity", unknown>>).severity !== undefined &&
  typeof (error as Partial<DatabaseError>).code === "string";

/** Messages of this class of SQLSTATE (data exceptions) repeat the invalid value. */
const isDataException = (code: string): boolean => code.startsWith("22");

const messageWithoutValues = ({ message, code }: DatabaseError): string =>
  isDataException(code) ? "a value of the wrong kind" : message;

/** The text of an unexpected error for the log, with its stack. It omits the values of a database statement, which may be personal data. */
export const failureTextWithStack = (error: Error): string => {
  if (!isDatabaseError(error)) return inspect(error);
  const names = NAMING_MEMBERS.flatMap((name) => (error[name] === undefined ? [] : [`${name} ${error[name]}`]));
  const stack = error.stack ?? "";
  const at = stack.indexOf("\n    at ");
  return `database: ${messageWithoutValues(error)} (${names.join(", ")})${at === -1 ? "" : stack.slice(at)}`;
};

/** The first line of an error's text for the log. It omits the values of a database statement, which may be personal data. */
export const failureText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error).split("\n", 1)[0] ?? "";
  const message = isDatabaseError(error) ? `${messageWithoutValues(error)} (code ${error.code})` : error.message;
  return (message || error.name).split("\n", 1)[0] ?? "";
};
