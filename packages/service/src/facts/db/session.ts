import { statement, type Connection, type Db } from "@parley/database";
import { KEYED_PLANS } from "../../db/plans.ts";

/** An advisory lock has two numbers: the first tells ours from anybody's. */
const FACTS = 0x7061_7203;

const LEAD = statement("", `select pg_try_advisory_lock(${FACTS}, 0) as leads`);
const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");

// What a crash takes back it takes back whole, the cursor too: no commit need wait for the disk.
const SETTINGS = Object.entries({ ...KEYED_PLANS, synchronous_commit: "off" });

/** The connection that facts are told on; that one process tells them is a lock that ends with it. */
export const sessionOn = (connection: Connection) => ({
  prepare: () => connection.script(SETTINGS.map(([name, value]) => `set ${name} = ${value}`).join(";")),
  /** -> false while another process tells. */
  lead: async (): Promise<boolean> => (await connection.one<{ leads: boolean }>(LEAD, []))?.leads ?? false,
  /** Does the work in one transaction; a throw, or false, rolls back. */
  async transaction(work: (tx: Db) => Promise<boolean>): Promise<boolean> {
    await connection.rows(BEGIN, []);
    try {
      const isDone = await work(connection);
      await connection.rows(isDone ? COMMIT : ROLLBACK, []);
      return isDone;
    } catch (error) {
      await connection.rows(ROLLBACK, []).catch(() => undefined);
      throw error;
    }
  },
});
export type FactSession = ReturnType<typeof sessionOn>;
