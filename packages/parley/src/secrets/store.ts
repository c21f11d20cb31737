import { statement, type Connection } from "@parley/database";

/** Class of the advisory lock of a rotation. */
const ROTATION_LOCK_CLASS = 0x7061_7205;
const LOCK = statement("", `select pg_try_advisory_lock(${ROTATION_LOCK_CLASS}, 0) as is_locked`);

/** Takes the lock of rotations until the connection ends. -> false while another rotation runs on the database */
export const lockRotation = async (connection: Connection): Promise<boolean> =>
  (await connection.one<{ is_locked: boolean }>(LOCK, []))?.is_locked ?? false;
