import { statement, type Pool } from "@parley/database";
import type { RecordOwner } from "./records.sql.ts";

/** A row of `entity_records`; `value` is an object. */
export interface EntityRow {
  /** From 1, in the order in which the records of an entity were created. */
  readonly number: number;
  readonly value: Readonly<Record<string, unknown>>;
  readonly created_time: Date;
  readonly updated_time: Date;
}

const COLUMNS = "number, value, created_time, updated_time";
const ENTITY = "project = $1 AND account = $2 AND entity = $3";

/** A number is never reused, even after a deletion. */
const CREATE = statement(
  "create_entity_record",
  `WITH counted AS (
     INSERT INTO entity_counters (project, account, entity, last) VALUES ($1, $2, $3, 1)
     ON CONFLICT (project, account, entity) DO UPDATE SET last = entity_counters.last + 1
     RETURNING last
   )
   INSERT INTO entity_records (project, account, entity, number, value, created_time, updated_time)
   SELECT $1, $2, $3, last, $4::jsonb, $5, $5 FROM counted
   RETURNING ${COLUMNS}`,
);
const FIND = statement("find_entity_record", `SELECT ${COLUMNS} FROM entity_records WHERE ${ENTITY} AND number = $4`);
const LIST = statement(
  "list_entity_records",
  `SELECT ${COLUMNS} FROM entity_records
   WHERE ${ENTITY} AND number > $4 AND ($5::jsonb[] IS NULL OR value @> ANY ($5::jsonb[]))
   ORDER BY number LIMIT $6`,
);
const CHANGE = statement(
  "change_entity_record",
  `UPDATE entity_records SET value = value || $5::jsonb, updated_time = $6 WHERE ${ENTITY} AND number = $4 RETURNING ${COLUMNS}`,
);
const REMOVE = statement(
  "remove_entity_record",
  `DELETE FROM entity_records WHERE ${ENTITY} AND number = $4 RETURNING number`,
);

type Value = Readonly<Record<string, unknown>>;

const keyOf = ({ project, account }: RecordOwner, entity: string) => [project, account, entity];

/** Rows of the tables `entity_records` and `entity_counters`. */
export const entityStore = (pool: Pool) => ({
  create: async (owner: RecordOwner, entity: string, value: Value, now: Date) =>
    (await pool.one<EntityRow>(CREATE, [...keyOf(owner, entity), JSON.stringify(value), now])) as EntityRow,
  find: (owner: RecordOwner, entity: string, number: number) =>
    pool.one<EntityRow>(FIND, [...keyOf(owner, entity), number]),
  /** Records that contain all members of at least one of the matches, or all records; in the order of creation. */
  list: (owner: RecordOwner, entity: string, after: number, matches: readonly Value[] | undefined, limit: number) =>
    pool.rows<EntityRow>(LIST, [
      ...keyOf(owner, entity),
      after,
      matches?.map((match) => JSON.stringify(match)) ?? null,
      limit,
    ]),
  change: (owner: RecordOwner, entity: string, number: number, value: Value, now: Date) =>
    pool.one<EntityRow>(CHANGE, [...keyOf(owner, entity), number, JSON.stringify(value), now]),
  remove: async (owner: RecordOwner, entity: string, number: number) =>
    (await pool.one(REMOVE, [...keyOf(owner, entity), number])) !== undefined,
});
export type EntityStore = ReturnType<typeof entityStore>;
