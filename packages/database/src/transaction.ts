import type { Connection } from "./connection.ts";

/**
 * Runs the work between a begin and a commit of one connection; a throw rolls back.
 * @shape begin: the statement that begins, where it says more than that
 */
export async function inTransaction<T>(connection: Connection, work: () => Promise<T>, begin = "begin"): Promise<T> {
  await connection.script(begin);
  try {
    const result = await work();
    await connection.script("commit");
    return result;
  } catch (error) {
    // The connection may be what failed; the error to show is the first one.
    await connection.script("rollback").catch(() => undefined);
    throw error;
  }
}
