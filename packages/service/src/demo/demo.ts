import type { Db, Pool } from "@parley/database";
import { writeLists } from "../setup/write.sql.ts";
import { listsAsInserts } from "../setup/sections/state.ts";
import { setupStore } from "../setup/store.ts";
import type { DemoAccount } from "./demo-account.ts";
import { ACME } from "./acme.ts";
import { STAND_ALONE } from "./solo.ts";
import { insertAgents } from "../agents/store.ts";

const ensure = async (tx: Db, { id, lists, agents, ...settings }: DemoAccount): Promise<void> => {
  if (!(await setupStore(tx).insert(id, settings))) return;
  await writeLists(tx, id, listsAsInserts(lists));
  await insertAgents(tx, id, agents);
};

/** Creates the demo accounts if they don't exist. Existing ones are not changed. */
export const ensureDemo = (pool: Pool): Promise<void> =>
  pool.transaction(async (tx) => {
    for (const account of [ACME, STAND_ALONE]) await ensure(tx, account);
  });
