import { statement, type Db, type Statement } from "@parley/database";

/** Records of a page of an export. */
const PAGE_SIZE = 1_000;

const HAS_APPS = statement("", "select to_regclass('parley_apps.app_versions') is not null as has_apps");

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

// The values are JSON texts, which are inserted as they are stored: another representation could change numbers and the order of keys.
const INSTALLATIONS = statement(
  "",
  `select project as place,
          '{"type":"installation","app":' || to_json(project) ||
          case when app_version is null then '' else ',"version":' || to_json(app_version) end ||
          ',"state":' || to_json(state) || ',"created_time":' || to_json(${iso("created_time")}) || ',"updated_time":' ||
          to_json(${iso("updated_time")}) || ',"parameters":' || given || ',"secure_parameters":' ||
          (select coalesce(json_agg(key order by key), '[]')::text from jsonb_object_keys(secure) as key) || '}' as line
     from parley_apps.installations
    where account = $1 and project > $2
    order by project
    limit ${PAGE_SIZE}`,
);
const RECORDS = statement(
  "",
  `select json_build_array(project, key)::text as place,
          '{"type":"app_record","app":' || to_json(project) || ',"key":' || to_json(key) ||
          case when expires_time is null then '' else ',"expires_time":' || to_json(${iso("expires_time")}) end ||
          ',"value":' || value || '}' as line
     from parley_apps.records
    where account = $1 and (project, key) > ($2::json ->> 0, $2::json ->> 1)
    order by project, key
    limit ${PAGE_SIZE}`,
);
const ENTITIES = statement(
  "",
  `select json_build_array(project, entity, number)::text as place,
          '{"type":"app_entity","app":' || to_json(project) || ',"entity":' || to_json(entity) || ',"number":' || number ||
          ',"created_time":' || to_json(${iso("created_time")}) || ',"updated_time":' || to_json(${iso("updated_time")}) ||
          ',"value":' || value || '}' as line
     from parley_apps.entity_records
    where account = $1 and (project, entity, number) > ($2::json ->> 0, $2::json ->> 1, ($2::json ->> 2)::integer)
    order by project, entity, number
    limit ${PAGE_SIZE}`,
);
const SCHEDULES = statement(
  "",
  `select json_build_array(project, name)::text as place,
          '{"type":"app_schedule","app":' || to_json(project) || ',"name":' || to_json(name) || ',"schedule_at":' ||
          to_json(${iso("schedule_at")}) ||
          case when time_unit is null then '' else ',"repeat":' || json_build_object('time_unit', time_unit, 'frequency', frequency) end ||
          case when due_time is null then '' else ',"due_time":' || to_json(${iso("due_time")}) end ||
          ',"created_time":' || to_json(${iso("created_time")}) || ',"data":' || data || '}' as line
     from parley_apps.schedules
    where account = $1 and (project, name) > ($2::json ->> 0, $2::json ->> 1)
    order by project, name
    limit ${PAGE_SIZE}`,
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
  `select name
     from unnest($1::text[]) as accounts (name)
    where ${["installations", "records", "entity_records", "schedules"]
      .map((table) => `exists (select from parley_apps.${table} where account = name)`)
      .join(" or ")}`,
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
