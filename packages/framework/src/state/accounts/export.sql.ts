import { statement, type Db, type Statement } from "@parley/database";

/** Records of a page of an export. */
const PAGE_SIZE = 1_000;

const HAS_APPS = statement("", "SELECT to_regclass('parley_apps.app_versions') IS NOT NULL AS has_apps");

const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

// The values are JSON texts, which are inserted as they are stored: another representation could change numbers and the order of keys.
const INSTALLATIONS = statement(
  "",
  `SELECT project AS place,
          '{"type":"installation","app":' || to_json(project) ||
          CASE WHEN app_version IS NULL THEN '' ELSE ',"version":' || to_json(app_version) END ||
          ',"state":' || to_json(state) || ',"created_time":' || to_json(${iso("created_time")}) || ',"updated_time":' ||
          to_json(${iso("updated_time")}) || ',"parameters":' || given || ',"secure_parameters":' ||
          (SELECT coalesce(json_agg(key ORDER BY key), '[]')::text FROM jsonb_object_keys(secure) AS key) || '}' AS line
     FROM parley_apps.installations
    WHERE account = $1 AND project > $2
    ORDER BY project
    LIMIT ${PAGE_SIZE}`,
);
const RECORDS = statement(
  "",
  `SELECT json_build_array(project, key)::text AS place,
          '{"type":"app_record","app":' || to_json(project) || ',"key":' || to_json(key) ||
          CASE WHEN expires_time IS NULL THEN '' ELSE ',"expires_time":' || to_json(${iso("expires_time")}) END ||
          ',"value":' || value || '}' AS line
     FROM parley_apps.records
    WHERE account = $1 AND (project, key) > ($2::json ->> 0, $2::json ->> 1)
    ORDER BY project, key
    LIMIT ${PAGE_SIZE}`,
);
const ENTITIES = statement(
  "",
  `SELECT json_build_array(project, entity, number)::text AS place,
          '{"type":"app_entity","app":' || to_json(project) || ',"entity":' || to_json(entity) || ',"number":' || number ||
          ',"created_time":' || to_json(${iso("created_time")}) || ',"updated_time":' || to_json(${iso("updated_time")}) ||
          ',"value":' || value || '}' AS line
     FROM parley_apps.entity_records
    WHERE account = $1 AND (project, entity, number) > ($2::json ->> 0, $2::json ->> 1, ($2::json ->> 2)::integer)
    ORDER BY project, entity, number
    LIMIT ${PAGE_SIZE}`,
);
const SCHEDULES = statement(
  "",
  `SELECT json_build_array(project, name)::text AS place,
          '{"type":"app_schedule","app":' || to_json(project) || ',"name":' || to_json(name) || ',"schedule_at":' ||
          to_json(${iso("schedule_at")}) ||
          CASE WHEN time_unit IS NULL THEN '' ELSE ',"repeat":' || json_build_object('time_unit', time_unit, 'frequency', frequency) END ||
          CASE WHEN due_time IS NULL THEN '' ELSE ',"due_time":' || to_json(${iso("due_time")}) END ||
          ',"created_time":' || to_json(${iso("created_time")}) || ',"data":' || data || '}' AS line
     FROM parley_apps.schedules
    WHERE account = $1 AND (project, name) > ($2::json ->> 0, $2::json ->> 1)
    ORDER BY project, name
    LIMIT ${PAGE_SIZE}`,
);

/** Statements of an export with the place before their first row. */
const KINDS: readonly (readonly [Statement, string])[] = [
  [INSTALLATIONS, ""],
  [RECORDS, '["",""]'],
  [ENTITIES, '["","",0]'],
  [SCHEDULES, '["",""]'],
];

const WITH_RECORDS = statement(
  "",
  `SELECT name
     FROM unnest($1::text[]) AS accounts (name)
    WHERE ${["installations", "records", "entity_records", "schedules"]
      .map((table) => `EXISTS (SELECT FROM parley_apps.${table} WHERE account = name)`)
      .join(" OR ")}`,
);

/** -> those of the accounts that have installations or records of apps */
export const accountsWithAppRecords = async (db: Db, accounts: readonly string[]): Promise<ReadonlySet<string>> => {
  if (!(await db.one<{ has_apps: boolean }>(HAS_APPS, []))?.has_apps) return new Set();
  return new Set((await db.rows<{ name: string }>(WITH_RECORDS, [accounts])).map(({ name }) => name));
};

/** The records of the apps of an account that has some, as JSON texts. Secure values are not exported, only their keys. */
export async function* exportAppRecords(db: Db, account: string): AsyncGenerator<readonly string[]> {
  for (const [page, first] of KINDS)
    for (let place: string | undefined = first; place !== undefined;) {
      const rows: { place: string; line: string }[] = await db.rows(page, [account, place]);
      if (rows.length > 0) yield rows.map(({ line }) => line);
      place = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.place;
    }
}
