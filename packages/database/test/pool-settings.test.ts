import { expect, test } from "@jest/globals";
import { statement } from "../src/index.ts";
import { testDatabase } from "../src/testing.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

const database = fileFixture(testDatabase);

test("a pool's settings apply to its connections, beside the schema, and to no others", async () => {
  const settings = { enable_seqscan: "off", search_path: "elsewhere" };
  const query = statement(
    "",
    `select current_setting('enable_seqscan') as seqscan, current_setting('search_path') as path`,
  );
  const hot = database.pool("hot", { settings });
  expect(await hot.one(query, [])).toMatchObject({ seqscan: "off", path: "hot" });
  expect(await database.pool("hot").one(query, [])).toMatchObject({ seqscan: "on", path: "hot" });
  const spaced = database.pool("hot", { settings: { timezone: "<+03 X>-3", ...settings } });
  expect(await spaced.one(statement("", "select current_setting('timezone') as zone"), [])).toEqual({
    zone: "<+03 X>-3",
  });
});
