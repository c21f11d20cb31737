import { randomUUID } from "node:crypto";
import { statement, type Pool } from "@parley/database";

export const rowsOf = (pool: Pool, text: string, values: readonly unknown[] = []) =>
  pool.rows(statement("", text), values);

/** JSON with characters that a copy could change. */
export const TRICKY_JSON = JSON.stringify({
  ключ: "\u2028\u{1F511}\u007f\\\"'\t",
  n: 1.5e300,
  deep: [null, { a: [] }],
});
/** Stores a row in every table whose rows belong to an account, with characters that a copy could change. */
export const fillAppTables = async (apps: Pool, account: string, invocations: number): Promise<string> => {
  const run = (text: string, values: readonly unknown[]) => rowsOf(apps, text, values);
  const id = randomUUID();
  await run(
    `insert into installations (id, project, account, domain, given, secure, version, created_time, updated_time, app_version, previous)
     values ($1, 'demo', $2, 'x.localhost', $3, '{"key":"c2VhbGVk"}', 3, now(), now(), '1.0.0', '{"version":"0.9.0","given":"{}","secure":{}}')`,
    [id, account, TRICKY_JSON],
  );
  await run(
    "insert into records values ('demo', $1, 'a key/ü', $2, null), ('demo', $1, 'b', '1', '2040-01-01T00:00:00Z')",
    [account, TRICKY_JSON],
  );
  await run(
    "insert into schedules values ('demo', $1, 'weekly', $2, '2040-01-01T00:00:00Z', 'days', 7, '2040-01-01T00:00:00Z', now(), now())",
    [account, TRICKY_JSON],
  );
  await run("insert into failed_schedules values ($1, 'demo', $2, $1, 'weekly', '{}', now(), 3, 'reason', now())", [
    randomUUID(),
    account,
  ]);
  await run("insert into targets values ($1, 'demo', $2, now(), '', 'c2VhbGVk')", [randomUUID(), account]);
  await run("insert into oauth_tokens values ('demo', $1, 'crm', '', 'c2VhbGVk', null, now())", [account]);
  await run(
    "insert into consents (project, account, subject, state, changed_time) values ('demo', $1, 'api.example.com', 'given', now())",
    [account],
  );
  await run(
    "insert into app_settings (project, account, key, sealed, changed_time) values ('demo', $1, 'k', 'c2VhbGVk', now())",
    [account],
  );
  await run("insert into entity_records values ('demo', $1, 'order', 4, $2, now(), now())", [account, TRICKY_JSON]);
  await run("insert into entity_counters values ('demo', $1, 'order', 9)", [account]);
  await run("insert into jobs values ($1, 'demo', $2, 'sync', '', 'running', '', now(), null)", [
    randomUUID(),
    account,
  ]);
  await run("insert into change_reports values ($1, $2, '{}', now())", [randomUUID(), account]);
  await run(
    `insert into invocations select gen_random_uuid()::text, 'demo', $1, 'event', 'e', 'h', null, now(), true, repeat('x', 500)
       from generate_series(1, $2::integer)`,
    [account, invocations],
  );
  return id;
};

const TABLES = `select c.relname as name from pg_class c where c.relnamespace = 'parley_apps'::regnamespace and c.relkind = 'r'
   and c.relname not in ('migrations', 'platform_processes', 'installation_leases') order by 1`;
/** Every row of the tables of apps as text. */
export const appTableContents = async (pool: Pool, where = ""): Promise<Map<string, string[]>> => {
  const tables = (await rowsOf(pool, TABLES)) as { name: string }[];
  const entries: [string, string[]][] = [];
  for (const { name } of tables) {
    const rows = (await rowsOf(pool, `select row_to_json(t)::text as row from ${name} t ${where} order by 1`)) as {
      row: string;
    }[];
    entries.push([name, rows.map(({ row }) => row)]);
  }
  return new Map(entries);
};
