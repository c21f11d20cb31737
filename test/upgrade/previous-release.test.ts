import { expect, test } from "@jest/globals";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service";
import { compareReleases, type Place } from "./compatibility.ts";
import { previousRelease, previousStatements } from "./previous-release.ts";

/** The previous release runs on the schema of this release: docs/contributors/migrations.md. */

const { migrations } = previousRelease();
test.each([
  { schema: SERVICE_SCHEMA, list: SERVICE_MIGRATIONS, atLeast: 450 },
  { schema: APP_SCHEMA, list: APP_MIGRATIONS, atLeast: 80 },
])("the migrations of $schema break no statement of the previous release and block no request", async (row) => {
  const { schema, list, atLeast } = row;
  const previous = migrations[schema] ?? 0;
  const databases = await Promise.all([testDatabase(), testDatabase(), testDatabase()]);
  const [before, after, scratch] = databases.map((database) => ({ database, schema })) as [Place, Place, Place];
  const { planned, problems } = await compareReleases({
    ...{ before, after, scratch, migrations: list, previous },
    statements: previousStatements(),
  });
  await Promise.all(databases.map((database) => database.close()));
  expect(problems).toEqual([]);
  expect(planned).toBeGreaterThan(atLeast);
});

test("the previous release names the columns that it inserts, so that a new column has its default", () => {
  // Tables of a dry run, which belong to a session.
  const unnamed = /insert into (?!checked_)\w+(?:\s+as\s+\w+)?\s+(?:overriding|select|values|with|table)\b/i;
  expect(previousStatements().filter((text) => unnamed.test(text))).toEqual([]);
});
