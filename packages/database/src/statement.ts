/** One SQL statement; a name makes each connection prepare it once, an empty name never does. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement, so that `store.ts` files read as a list of them. */
export const statement = (name: string, text: string): Statement => ({ name, text });

/** What runs statements: a pool, a transaction or a connection of one's own. */
export interface Db {
  /** Runs a statement for all of its rows, as plain objects. */
  rows<R>(statement: Statement, values: readonly unknown[]): Promise<R[]>;
  /** Runs a statement for its first row. */
  one<R>(statement: Statement, values: readonly unknown[]): Promise<R | undefined>;
}
