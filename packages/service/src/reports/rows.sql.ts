import { statement, type Connection, type Statement } from "@parley/database";

/** What a stretch is read by. */
interface StretchQuery {
  /** Takes the account, the beginning (inclusive) and the end (exclusive). */
  readonly rows: Statement;
  readonly accountId: number;
  readonly from: Date;
  readonly to: Date;
  readonly signal: AbortSignal;
}

/** Few: they are in memory twice, those that are written and those that arrive, and a message may be a megabyte. */
const BATCH = 64;

const OPEN = "begin read only";
const CLOSE = "commit";
const FETCH = statement("", `fetch ${BATCH} from stretch`);

/**
 * Reads rows batch by batch, each batch while the one before is worked on, on a connection of its own.
 * @errors what the database says; the signal's reason
 */
export async function* readStretchRows(
  connect: () => Promise<Connection>,
  { rows, accountId, from, to, signal }: StretchQuery,
): AsyncGenerator<readonly unknown[]> {
  const connection = await connect();
  try {
    await connection.script(OPEN);
    const declared = statement("", `declare stretch no scroll cursor for ${rows.text}`);
    await connection.rows(declared, [accountId, from, to]);
    const fetch = () => {
      const batch = connection.rows<unknown>(FETCH, []);
      // It is awaited in the next round, if there is one.
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
