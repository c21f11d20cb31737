import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { openDatabase, statement, type Pool } from "@parley/database";
import { until, yard } from "./scene.ts";

const PLACE = statement(
  "",
  `select current_database() as name, current_setting('unix_socket_directories') as folder,
          current_setting('data_directory') as data`,
);

/** A role that may use our tables and make none outside their schema, and its database. */
async function poorRole(pool: Pool) {
  const place = await pool.one<{ name: string; folder: string; data: string }>(PLACE, []);
  const role = `poor_${place?.name}`;
  const run = (text: string) => pool.rows(statement("", text), []);
  await run(`create role ${role} login`);
  await run(`grant all on schema parley_service to ${role}`);
  await run(`grant all on all tables in schema parley_service to ${role}`);
  await run(`grant all on all sequences in schema parley_service to ${role}`);
  const folder = encodeURIComponent(resolve(place?.data ?? "", place?.folder ?? ""));
  const database = await openDatabase({ dataFolder: "", url: `postgres://${role}@/${place?.name}?host=${folder}` });
  return {
    role,
    run,
    database,
    async drop() {
      await database.close();
      await run(`drop owned by ${role}`);
      await run(`drop role ${role}`);
    },
  };
}

test("a role that may not make schemas is told once what to do, and works as soon as it is done", async () => {
  const at = await yard();
  const poor = await poorRole(at.pool);
  let done = 0;
  const one = at.process({ work: async () => void (done += 1) }, poor.database);
  try {
    await one.later(at.pool, { task: "work", payload: null, due: at.now() });
    one.wake();
    await until(() => at.lines.length > 0);
    expect(at.lines).toEqual([
      "jobs: background work waits, since the database's role may not make the schema parley_jobs. " +
        "Let one who may run: CREATE SCHEMA parley_jobs AUTHORIZATION <role>",
    ]);
    expect(await at.left()).toEqual([{ task: "work", tries: 0, queued: false }]);
    await poor.run(`create schema parley_jobs authorization ${poor.role}`);
    await until(() => done === 1);
    expect(at.lines).toHaveLength(1);
  } finally {
    await one.close();
    await poor.drop();
    await at.close();
  }
});
