import { afterAll, expect, test } from "@jest/globals";
import { migrate, statement } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { ACME } from "../../../src/operations/demo/acme.ts";
import { serviceHarness } from "../../service-harness.ts";
import { ACCOUNT_ID, insertUsers, readAllPages } from "./users-fixture.ts";

const RANKS = SERVICE_MIGRATIONS.findIndex(({ name }) => name === "ranks");
const ADD_ACCOUNT = statement(
  "",
  `insert into accounts (id, name, configuration, plan_type) values ($1, 'acme', $2, 'Free')`,
);
const DELETE = statement("", `update users set deleted_time = now() where id = $1`);

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test("GET /users counts users that existed before their ranges were counted", async () => {
  const database = await testDatabase();
  ends.push(() => database.close());
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS.slice(0, RANKS));
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(ADD_ACCOUNT, [ACCOUNT_ID, JSON.stringify(ACME.configuration)]);
  const minutes = Array.from({ length: 1500 }, (_, minute) => ({
    created_time: new Date(minute * 60_000).toISOString(),
  }));
  const [deleted, ...others] = await insertUsers(pool, minutes);
  await pool.rows(DELETE, [deleted?.id]);

  const w = await serviceHarness({ database });
  ends.push(() => w.close());
  const everybody = { created_from: "1970-01-01T00:00:00Z", items_per_page: 100 };
  expect(await readAllPages(w, everybody)).toEqual({ ids: others.map(({ id }) => id), totals: new Set([1499]) });
});
