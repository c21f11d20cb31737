/** A SQL statement. A named statement is prepared once per connection; a statement with an empty name is never prepared. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Creates a statement. */
export const statement = (name: string, text: string): Statement => ({ name, text });

/** Executes statements: a pool, a transaction or a dedicated connection. */
export interface Db {
  /** Executes a statement and returns all rows. */
  rows<R>(statement: Statement, values: readonly unknown[]): Promise<R[]>;
  /** Executes a statement and returns the first row. */
  one<R>(statement: Statement, values: readonly unknown[]): Promise<R | undefined>;
}

/** Executes statements in one transaction, for functions that must not be called outside of one. */
export interface Transaction extends Db {
  readonly isTransaction: true;
}

/**
 * An array parameter as text: the driver's escaping of each element would dominate the cost of batches. For UUIDs, numbers, booleans and fixed words,
 * which need no quotes.
 */
export const arrayLiteral = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? "null").join(",")}}`;

/** For texts without line feeds, such as JSON, to be split by `string_to_array(…, e'\n', '')`. An empty text becomes null. */
export const joinLines = (texts: readonly (string | null)[]): string => texts.map((text) => text ?? "").join("\n");
