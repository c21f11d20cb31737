import { statement, type Connection } from "@parley/database";

const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");

/**
 * Sends statements as one transaction without waiting in between. Statements that are sent later run after the transaction.
 * @shape send: sends all statements before it returns; -> their results
 * @errors the error of the first failing statement; nothing is written then, since the commit after it rolls back
 */
export const inPipelinedTransaction = async <T>(
  connection: Connection,
  send: () => readonly Promise<T>[],
): Promise<readonly T[]> => {
  const begun = connection.rows(BEGIN, []);
  let sent: readonly Promise<T>[];
  try {
    sent = send();
  } catch (error) {
    await Promise.all([begun, connection.rows(ROLLBACK, [])]);
    throw error;
  }
  const [results] = await Promise.all([Promise.all(sent), begun, connection.rows(COMMIT, [])]);
  return results;
};
