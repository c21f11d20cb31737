import { statement, type Connection } from "@parley/database";

/** Class of the advisory lock of moves of objects. */
const MOVE_LOCK_CLASS = 0x7061_7210;
const LOCK = statement("", `select pg_try_advisory_lock(${MOVE_LOCK_CLASS}, 0) as is_locked`);

/** Takes the lock of moves until the connection ends. -> false while another move runs on the database */
export const lockMove = async (connection: Connection): Promise<boolean> =>
  (await connection.one<{ is_locked: boolean }>(LOCK, []))?.is_locked ?? false;
