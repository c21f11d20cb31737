import type { Connection } from "./connection.ts";
import type { Transaction } from "./statement.ts";

/**
 * Runs the callback in a transaction on one connection; an exception rolls back.
 * @shape begin: the statement that starts the transaction
 */
export async function inTransaction<T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  begin = "begin",
): Promise<T> {
  await connection.script(begin);
  try {
    const result = await work({ ...connection, isTransaction: true });
    await connection.script("commit");
    return result;
  } catch (error) {
    // The rollback fails if the connection is lost; the original error is thrown.
    await connection.script("rollback").catch(() => undefined);
    throw error;
  }
}
