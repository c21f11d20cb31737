import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DatabaseUnavailable, openDatabase, statement } from "../src/index.ts";
import { testUrl } from "../src/testing.ts";

const open = (url: string) => openDatabase({ dataFolder: "/nowhere", url });

/** Returns an unused port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("an external database by DATABASE_URL", () => {
  let silent: ReturnType<typeof createServer>;
  beforeAll(async () => {
    // Accepts connections and closes them at once.
    silent = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
  });
  afterAll(() => {
    silent.close();
  });

  test("is used without changes to it", async () => {
    const database = await open(testUrl("postgres"));
    expect(database.embedded).toBe(false);
    const pool = database.pool("by_url");
    expect(await pool.one(statement("", "select current_schema() as name"), [])).toEqual({ name: "by_url" });
    await database.close();
  });

  test("keeps the settings of its URL", async () => {
    const database = await open(`${testUrl("postgres")}&options=-c%20work_mem%3D5MB`);
    const SHOW = statement("", "select current_setting('work_mem') as memory, current_schema() as name");
    expect(await database.pool("by_url").one(SHOW, [])).toEqual({ memory: "5MB", name: "by_url" });
    await database.close();
  });

  test.each([
    ["no server listens", async () => `postgres://me:secret-word@127.0.0.1:${await freePort()}/x`, "ECONNREFUSED"],
    [
      "the other side hangs up",
      async () => `postgres://me:secret-word@127.0.0.1:${(silent.address() as AddressInfo).port}/x`,
      "Connection terminated",
    ],
    ["the database is not there", async () => testUrl("nothing"), 'database "nothing" does not exist'],
    ["it is not an address", async () => "postgres//secret-word", "not an address"],
    ["its port is not valid", async () => "postgres://me:secret-word@127.0.0.1:99999/x", "its port is not a number"],
  ])("is refused with one line without its password if %s", async (_title, urlOf, reason) => {
    const url = await urlOf();
    const error: unknown = await open(url).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    const { message } = error as Error;
    expect(message).toContain(reason);
    expect(message).toContain("DATABASE_URL");
    expect(message).not.toMatch(/secret-word|\n/);
    const port = /:(\d+)\/x$/.exec(url)?.[1];
    if (port && Number(port) < 65_536) expect(message).toContain(`127.0.0.1:${port}`);
  });
});
