import { statement, type Connection, type Db } from "@parley/database";
import { KEYED_PLANS } from "../db/pools.ts";

/** Class of the leader locks; the second number is the hash of the projection's name. */
const PROJECTOR_LOCK_CLASS = 0x7061_7203;
/** Channel on which a reader asks the leader, whichever process that is, to project at once. The payload is the projection's name. */
const READER_CHANNEL = "parley_projection";

const LEAD = statement("", `select pg_try_advisory_lock(${PROJECTOR_LOCK_CLASS}, hashtext($1)) as leads`);
const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");
const NOTIFY = statement("notify_projector", `select pg_notify('${READER_CHANNEL}', $1)`);

// A crash undoes rows and cursor together, so no commit needs to wait for the disk.
const SETTINGS = Object.entries({ ...KEYED_PLANS, synchronous_commit: "off" });

/** The connection of a projector. A session lock, which ends with the connection, makes one process the leader of a projection. */
export const openProjectorSession = (connection: Connection, name: string) => ({
  /** @shape onReader: called when a reader of any process waits for the projection */
  prepare: async (onReader: () => void): Promise<void> => {
    await connection.script(SETTINGS.map(([setting, value]) => `set ${setting} = ${value}`).join(";"));
    await connection.listen(READER_CHANNEL, (payload) => {
      if (payload === name) onReader();
    });
  },
  /** -> false while another process is the leader */
  tryLead: async (): Promise<boolean> => (await connection.one<{ leads: boolean }>(LEAD, [name]))?.leads ?? false,
  /** Runs the work in one transaction; an exception or undefined rolls back. */
  async transaction<T>(work: (tx: Db) => Promise<T | undefined>): Promise<T | undefined> {
    await connection.rows(BEGIN, []);
    try {
      const done = await work(connection);
      await connection.rows(done === undefined ? ROLLBACK : COMMIT, []);
      return done;
    } catch (error) {
      await connection.rows(ROLLBACK, []).catch(() => undefined);
      throw error;
    }
  },
});
export type ProjectorSession = ReturnType<typeof openProjectorSession>;

// Positions are returned as one text: at many thousand a second, a row for each would cost more than all other work.
const POSITIONS = statement(
  "positions_after",
  `select string_agg(seq::text, ',' order by seq) as positions
     from (select seq from outbox where seq > $1 order by seq limit $2) ahead`,
);
const CURSOR = statement("projection_cursor", `select seq from projection_cursors where name = $1`);
const ENDS = statement(
  "projection_ends",
  `select (select seq from projection_cursors where name = $1) as projected,
          (select seq from outbox order by seq desc limit 1) as last`,
);
const MOVE = statement(
  "move_projection_cursor",
  `update projection_cursors set seq = $3 where name = $1 and seq = $2 returning seq`,
);
const HOLD = statement(
  "hold_projection_cursor",
  `select seq from projection_cursors where name = $1 and seq = $2 for no key update`,
);

/** The cursor of a projection, and the positions of the log that it reads. */
export const projectorStore = (db: Db, name: string) => ({
  /** Visible positions after a position. */
  positionsAfter: async (after: number, limit: number): Promise<number[]> => {
    const row = await db.one<{ positions: string | null }>(POSITIONS, [after, limit]);
    return row?.positions ? row.positions.split(",").map(Number) : [];
  },
  /** Position up to which everything is projected. */
  cursor: async (): Promise<number> => (await db.one<{ seq: number }>(CURSOR, [name]))?.seq ?? 0,
  /** Position up to which events are projected, and the last visible position of the log. */
  ends: async (): Promise<{ projected: number; last: number }> => {
    const row = await db.one<{ projected: number | null; last: number | null }>(ENDS, [name]);
    return { projected: row?.projected ?? 0, last: row?.last ?? 0 };
  },
  /** Moves the cursor from its expected position. -> false when it was at another position, and nothing was moved */
  move: async (from: number, to: number): Promise<boolean> => (await db.rows(MOVE, [name, from, to])).length === 1,
  /** Locks the cursor at its expected position until the end of the transaction. -> false when it was at another position */
  hold: async (at: number): Promise<boolean> => (await db.rows(HOLD, [name, at])).length === 1,
  /** Asks the leader, in whichever process, to project at once. */
  notifyLeader: async (): Promise<void> => {
    await db.one(NOTIFY, [name]);
  },
});
