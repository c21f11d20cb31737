import { inTransaction, type Connection, type Database, type Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { RecordAudit } from "../../../identity/audit/record.sql.ts";
import { runLoop } from "../../../base/concurrency/run-loop.ts";
import { createClockSleep, createStopController, sleep } from "../../../base/concurrency/wake-signal.ts";
import { SERVICE_SCHEMA } from "../../../base/db/migrations.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { notify } from "../../../base/log/notifications.sql.ts";
import type { ObjectStore } from "../../../base/objects/object-store.ts";
import { setupStore } from "../document/store.ts";
import { accountRowsIn, type AccountRows } from "./account-rows.ts";
import type { AccountDataOwner } from "./account-data.ts";
import { deletionStore, type DeletionStore } from "./deletion.sql.ts";
import { lifecycleStore, type LifecycleRow } from "./store.ts";

type DueAccount = Pick<LifecycleRow, "id" | "name">;

interface AccountDeletionDeps {
  readonly database: Database;
  /** Looks for accounts that are closed, and for those whose deletion is due. */
  readonly db: Pool;
  readonly ports: Ports;
  readonly objects: Pick<ObjectStore, "removeAll">;
  /** Prefixes of the keys of an account's objects. */
  readonly objectPrefixes: (accountId: number) => readonly string[];
  /** Data of the account in tables of other components. */
  readonly accountData: readonly AccountDataOwner[];
  readonly recordAudit: RecordAudit;
  readonly log: Log;
}

/** Interval at which each process looks for accounts to delete. @units milliseconds */
const POLL_INTERVAL_MS = 2_000;
/** Pause after each step that has deleted rows: the database serves others meanwhile. @units milliseconds */
const STEP_PAUSE_MS = 5;

/** Deletes the rows of an account in all tables once. -> the number of deleted rows */
const deletePass = async (
  store: DeletionStore,
  tables: readonly AccountRows[],
  accountId: number,
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  for (const rows of tables)
    for (const block of await store.steps(rows.table)) {
      signal.throwIfAborted();
      const deleted = await store.deleteStep(rows, accountId, block);
      count += deleted;
      if (deleted > 0) await sleep(STEP_PAUSE_MS, signal);
    }
  return count;
};

/**
 * Deletes closed accounts whose time has come: their rows in all tables, their objects, and at last the account itself.
 *
 * States of an account: closed → started (it can't be reopened) → deleted. A pass deletes what it finds, so that a deletion that was
 * interrupted starts again from the beginning and continues. One process at a time deletes an account: its connection holds a lock, and
 * every statement runs on that connection. Other components delete their data of the account on it, too.
 */
export const createAccountDeletion = (deps: AccountDeletionDeps) => {
  const { database, db, ports, objects, objectPrefixes, accountData, recordAudit, log } = deps;
  const stop = createStopController();
  const { signal } = stop;
  const clockSleep = createClockSleep(ports);

  const removeObjects = async (accountId: number): Promise<void> => {
    for (const prefix of objectPrefixes(accountId)) await objects.removeAll(prefix);
  };

  /** Deletes the account if no row of it is left. -> false if a transaction has added one meanwhile */
  const finish = (connection: Connection, { id, name }: DueAccount, tables: readonly AccountRows[]): Promise<boolean> =>
    inTransaction(connection, async (tx) => {
      const store = lifecycleStore(connection);
      const rows = deletionStore(connection, (work) => work());
      // No document creates the account anew before the commit.
      await setupStore(connection).lock(name);
      await store.lockRow(id);
      for (const table of tables) if (table.kind === "own" && (await rows.hasRows(table, id))) return false;
      // Those that a request has added since; it fails without the account, and removes its own.
      await removeObjects(id);
      for (const owner of accountData) await owner.deleteRemainder(connection, name);
      await store.remove(id);
      await recordAudit(tx, {
        actor: { type: "system" },
        action: "account.delete",
        account: { id, name },
        subject: name,
      });
      await notify(connection, "control");
      return true;
    });

  const deleteOn = async (connection: Connection, account: DueAccount): Promise<void> => {
    const store = deletionStore(connection, (work) => inTransaction(connection, work));
    if (!(await store.lock(account.id))) return;
    if (!(await lifecycleStore(connection).start(account.id, ports.now()))) return;
    log("Deleting the data of the closed account.", { part: "accounts", account: account.name });
    const tables = accountRowsIn(await store.catalogue());
    let isDeleted = false;
    while (!isDeleted) {
      // Deleting a row may add others, such as the earlier version of a group.
      while ((await deletePass(store, tables, account.id, signal)) > 0);
      await removeObjects(account.id);
      for (const owner of accountData) while ((await owner.deleteRows(connection, account.name, signal)) > 0);
      isDeleted = await finish(connection, account, tables);
    }
    log("The data of the closed account is deleted.", { part: "accounts", account: account.name });
  };

  /** Marks closed accounts for components whose tables did not exist at the close. */
  const markClosed = async (): Promise<void> => {
    if (accountData.length === 0) return;
    for (const { name } of await lifecycleStore(db).closed())
      await db.transaction(async (tx) => {
        if (!(await lifecycleStore(tx).byName(name))?.closed_time) return;
        for (const owner of accountData) await owner.setClosed(tx, name, true);
      });
  };

  const step = async (): Promise<void> => {
    await markClosed();
    for (const account of await lifecycleStore(db).due(ports.now())) {
      if (signal.aborted) return;
      const connection = await database.connect(SERVICE_SCHEMA);
      try {
        await deleteOn(connection, account);
      } finally {
        await connection.close();
      }
    }
    await clockSleep(POLL_INTERVAL_MS, signal);
  };

  let running: Promise<void> | undefined;
  return {
    begin: () => {
      running ??= runLoop("deletion of closed accounts", step, { signal, log });
    },
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
};
