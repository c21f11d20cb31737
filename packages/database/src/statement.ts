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
