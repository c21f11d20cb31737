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
const ENTITY = "project = $1 and account = $2 and entity = $3";

/** A number is never reused, even after a deletion. */
const CREATE = statement(
  "create_entity_record",
  `with counted as (
     insert into entity_counters (project, account, entity, last) values ($1, $2, $3, 1)
     on conflict (project, account, entity) do update set last = entity_counters.last + 1
     returning last
   )
   insert into entity_records (project, account, entity, number, value, created_time, updated_time)
   select $1, $2, $3, last, $4::jsonb, $5, $5 from counted
   returning ${COLUMNS}`,
);
const FIND = statement("find_entity_record", `select ${COLUMNS} from entity_records where ${ENTITY} and number = $4`);
const LIST = statement(
  "list_entity_records",
  `select ${COLUMNS} from entity_records
   where ${ENTITY} and number > $4 and ($5::jsonb[] is null or value @> any ($5::jsonb[]))
   order by number limit $6`,
);
const CHANGE = statement(
  "change_entity_record",
  `update entity_records set value = value || $5::jsonb, updated_time = $6 where ${ENTITY} and number = $4 returning ${COLUMNS}`,
);
const REMOVE = statement(
  "remove_entity_record",
  `delete from entity_records where ${ENTITY} and number = $4 returning number`,
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
