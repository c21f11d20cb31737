import type { BusinessHours } from "@parley/contract";
import { statement, type Db } from "@parley/database";

const HOURS = statement(
  "business_hours",
  `select body
     from business_hours
    where account_id = $1 and (group_id is null or group_id = $2)
    order by group_id nulls last
    limit 1`,
);

/** Rows of the table `business_hours`. */
export const businessHoursStore = (db: Db) => ({
  /** The hours of the group, or else of the account. -> undefined without hours */
  of: async (accountId: number, groupId: string | undefined): Promise<BusinessHours | undefined> => {
    const row = await db.one<{ body: string }>(HOURS, [accountId, groupId ?? null]);
    return row && (JSON.parse(row.body) as BusinessHours);
  },
});
export type BusinessHoursStore = ReturnType<typeof businessHoursStore>;
