import { statement, type Connection, type Statement } from "@parley/database";

/** The query of a period. */
interface PeriodQuery {
  /** Parameters: the account, the start (inclusive) and the end (exclusive). */
  readonly rows: Statement;
  readonly accountId: number;
  readonly from: Date;
  readonly to: Date;
  readonly signal: AbortSignal;
}

/** Rows per fetch. Two batches are in memory, one being written and one being read, and a message may have a megabyte. */
const BATCH_ROWS = 64;

const OPEN = "begin read only";
const CLOSE = "commit";
const FETCH = statement("", `fetch ${BATCH_ROWS} from stretch`);

/**
 * Reads rows in batches on a separate connection. The next batch is fetched while the current one is processed.
 * @errors database errors; the signal's reason
 */
export async function* readPeriodRows(
  connect: () => Promise<Connection>,
  { rows, accountId, from, to, signal }: PeriodQuery,
): AsyncGenerator<readonly unknown[]> {
  const connection = await connect();
  try {
    await connection.script(OPEN);
    const declared = statement("", `declare stretch no scroll cursor for ${rows.text}`);
    await connection.rows(declared, [accountId, from, to]);
    const fetch = () => {
      const batch = connection.rows<unknown>(FETCH, []);
      // The next iteration awaits it, if there is one.
      batch.catch(() => undefined);
      return batch;
    };
    let next = fetch();
    for (let batch = await next; batch.length > 0; batch = await next) {
      signal.throwIfAborted();
      next = fetch();
      yield batch;
    }
    await connection.script(CLOSE);
  } finally {
    await connection.close();
  }
}
