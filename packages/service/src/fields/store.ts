import type { Field } from "@parley/contract";
import { statement, type Db } from "@parley/database";

const FIELDS = statement("fields", `select body from fields where account_id = $1 order by position, id`);

/** Rows of the table `fields`: the properties that an account's conversations have. */
export const fieldStore = (db: Db) => ({
  list: async (accountId: number): Promise<Field[]> =>
    (await db.rows<{ body: string }>(FIELDS, [accountId])).map(({ body }) => JSON.parse(body) as Field),
});
export type FieldStore = ReturnType<typeof fieldStore>;
