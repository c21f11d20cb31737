import type { Pool } from "@parley/database";
import { ACME } from "./acme.ts";
import { SOLO } from "./solo.ts";
import { demoStore } from "./store.ts";

/** Makes the demo accounts where they aren't there; what somebody changed in them since stays. */
export const ensureDemo = (pool: Pool): Promise<void> =>
  pool.transaction(async (tx) => {
    for (const account of [ACME, SOLO]) await demoStore(tx).insert(account);
  });
