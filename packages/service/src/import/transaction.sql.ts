import { statement, type Connection } from "@parley/database";

const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");

/**
 * Sends statements as one transaction, all at once: nothing waits between them, and what is sent next stands behind them.
 * @shape send: sends them all before it returns; -> what each of them came to
 * @errors that of the first one that fails; nothing is written then, since a commit behind it rolls back
 */
export const inOneStatement = async <T>(
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
