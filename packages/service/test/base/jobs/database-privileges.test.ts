import { expect, test } from "@jest/globals";
import { openDatabase, statement, type Database } from "@parley/database";
import { asAdministrator, testSocketFolder } from "@parley/database/testing";
import { jobsFixture } from "./jobs-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

const NAME = statement("", "select current_database() as name");

/** A role that may use the tables and can't create any outside their schema, and its database. */
async function poorRole(of: Database) {
  const admin = await asAdministrator(of);
  const pool = admin.pool("public", { max: 1 });
  const { name } = (await pool.one<{ name: string }>(NAME, [])) ?? { name: "" };
  const role = `poor_${name}`;
  const run = (text: string) => pool.rows(statement("", text), []);
  await run(`create role ${role} login password '${role}'`);
  await run(`grant all on schema parley_service to ${role}`);
  await run(`grant all on all tables in schema parley_service to ${role}`);
  await run(`grant all on all sequences in schema parley_service to ${role}`);
  const url = `postgres://${role}:${role}@/${name}?host=${encodeURIComponent(testSocketFolder())}`;
  const database = await openDatabase({ dataFolder: "", url });
  return {
    role,
    run,
    database,
    async drop() {
      await database.close();
      await run(`drop owned by ${role}`);
      await run(`drop role ${role}`);
      await admin.close();
    },
  };
}

test("a role without the privilege to create schemas gets one log line with the remedy, and works as soon as the privilege is granted", async () => {
  const at = await jobsFixture();
  const poor = await poorRole(at.database);
  let done = 0;
  const one = at.process({ work: async () => void (done += 1) }, poor.database);
  try {
    await one.schedule(at.pool, { task: "work", payload: null, due: at.now() });
    one.wake();
    await waitUntil(() => at.lines.length > 0);
    expect(at.lines).toEqual([
      "error: jobs: background jobs are paused: the database role may not create the schema parley_jobs. " +
        "As a role that may, run: CREATE SCHEMA parley_jobs AUTHORIZATION <role>",
    ]);
    expect(await at.left()).toEqual([{ task: "work", tries: 0, queued: false }]);
    await poor.run(`create schema parley_jobs authorization ${poor.role}`);
    await waitUntil(() => done === 1);
    expect(at.lines).toHaveLength(1);
  } finally {
    await one.close();
    await poor.drop();
    await at.close();
  }
});
