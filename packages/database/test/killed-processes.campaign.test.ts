import { logText } from "@parley/telemetry";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "@jest/globals";
import { isConnectionLost, openDatabase, statement } from "../src/index.ts";
import { ignorePreparedCluster } from "../src/testing.ts";
import { temporaryFolders } from "./temporary-folders.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { guardsIn, startDataFolderProcess, postmasterOf, processesIn } from "./data-folder-process.ts";

ignorePreparedCluster();
const folders = temporaryFolders();
afterAll(() => folders.removeAll());

const MAKE = statement("", "create table marks (id int)");
const MARK = statement("mark", "insert into marks values ($1)");
const ALL = statement("all", "select id from marks order by id");

async function untilEmpty(folder: string): Promise<void> {
  await waitUntil(() => processesIn(folder).length === 0);
}

describe("a kill", () => {
  test("of the whole server while rows are written loses no acknowledged row, and pools reconnect", async () => {
    const dataFolder = folders.create();
    const lines: string[] = [];
    const database = await openDatabase({ dataFolder, log: (...line) => void lines.push(logText(...line)) });
    const pool = database.pool("marks", { max: 2 });
    const listener = await database.connect("marks");
    const lost = new Promise<Error>((resolve) => listener.onLost(resolve));
    await pool.rows(MAKE, []);

    const acknowledged: number[] = [];
    const failures: unknown[] = [];
    for (let id = 0; id < 300; id++) {
      if (id === 100) process.kill(postmasterOf(dataFolder), "SIGKILL");
      await pool.rows(MARK, [id]).then(
        () => acknowledged.push(id),
        (error: unknown) => failures.push(error),
      );
      if (id > 95 && id < 130) await setTimeout(2);
    }
    expect(isConnectionLost(await lost)).toBe(true);
    expect(failures.filter((error) => !isConnectionLost(error))).toEqual([]);
    expect(acknowledged.at(-1)).toBe(299);
    const stored = (await pool.rows<{ id: number }>(ALL, [])).map(({ id }) => id);
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
    expect(lines.join("\n")).toContain("starting it again");
    await database.close();
    await untilEmpty(dataFolder);
  });

  test("of one backend fails its own statement and no later statement", async () => {
    const database = await openDatabase({ dataFolder: folders.create() });
    const pool = database.pool("marks", { max: 1 });
    const other = database.pool("marks", { max: 1 });
    const WHO = statement("", "select pg_backend_pid() as pid");
    const sleeping = pool.rows(statement("", "select pg_sleep(20)"), []);
    const FIND = statement(
      "",
      "select pid from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'",
    );
    let victim: { pid: number } | undefined;
    while (!victim) victim = await other.one<{ pid: number }>(FIND, []);
    await other.rows(statement("", "select pg_terminate_backend($1)"), [victim.pid]);
    await expect(sleeping).rejects.toMatchObject({ code: "57P01" });
    expect(await pool.one<{ pid: number }>(WHO, [])).not.toEqual(victim);

    // Killed while idle: the next statement opens a new connection.
    const idle = await pool.one<{ pid: number }>(WHO, []);
    await other.rows(statement("", "select pg_terminate_backend($1)"), [idle?.pid]);
    await setTimeout(50);
    expect(await pool.one<{ pid: number }>(WHO, [])).not.toEqual(idle);
    await database.close();
  });

  test("of Node leaves no process behind, and the next start finds the rows", async () => {
    const dataFolder = folders.create();
    const holder = await startDataFolderProcess(dataFolder, "hold");
    expect(holder.firstLine).toBe("marks 1");
    expect(processesIn(dataFolder).length).toBeGreaterThan(0);
    holder.child.kill("SIGKILL");
    await holder.ended;
    await untilEmpty(dataFolder);
    expect((await startDataFolderProcess(dataFolder, "count")).firstLine).toBe("marks 2");
  });

  test("of Node followed by a start at once ends the old server first", async () => {
    const dataFolder = folders.create();
    for (const count of [1, 2, 3]) {
      const holder = await startDataFolderProcess(dataFolder, "hold");
      expect(holder.firstLine).toBe(`marks ${count}`);
      holder.child.kill("SIGKILL");
      await holder.ended;
    }
    expect((await startDataFolderProcess(dataFolder, "count")).firstLine).toBe("marks 4");
    await untilEmpty(dataFolder);
  });

  test("of Node, its guards and the postmaster together leaves a data folder that starts again", async () => {
    const dataFolder = folders.create();
    const holder = await startDataFolderProcess(dataFolder, "hold");
    const postmaster = postmasterOf(dataFolder);
    // While suspended, Node can't end the server that has lost its guards. The guards are killed first: a remaining one would end it cleanly.
    holder.child.kill("SIGSTOP");
    for (const guard of guardsIn(dataFolder)) process.kill(guard, "SIGKILL");
    process.kill(postmaster, "SIGKILL");
    holder.child.kill("SIGKILL");
    await holder.ended;
    expect((await startDataFolderProcess(dataFolder, "count")).firstLine).toBe("marks 2");
    await untilEmpty(dataFolder);
  });

  test("of the guards and Node leaves an orphan, which the next start ends cleanly", async () => {
    const dataFolder = folders.create();
    const holder = await startDataFolderProcess(dataFolder, "hold");
    const orphan = postmasterOf(dataFolder);
    // While suspended, Node can't start new guards.
    holder.child.kill("SIGSTOP");
    for (const guard of guardsIn(dataFolder)) process.kill(guard, "SIGKILL");
    holder.child.kill("SIGKILL");
    await holder.ended;
    expect(processesIn(dataFolder)).toContain(orphan);
    expect((await startDataFolderProcess(dataFolder, "count")).firstLine).toBe("marks 2");
    await untilEmpty(dataFolder);
  });

  test("of the guards alone leaves the server with Node, which starts a new guard", async () => {
    const dataFolder = folders.create();
    const database = await openDatabase({ dataFolder });
    const postmaster = postmasterOf(dataFolder);
    for (const guard of guardsIn(dataFolder)) process.kill(guard, "SIGKILL");
    await waitUntil(() => !processesIn(dataFolder).includes(postmaster));
    await database.pool("marks").rows(MAKE, []);
    expect(postmasterOf(dataFolder)).not.toBe(postmaster);
    expect(guardsIn(dataFolder).length).toBeGreaterThan(0);
    await database.close();
    await untilEmpty(dataFolder);
  });

  test("has no effect on the refusal of a data folder that another process uses", async () => {
    const dataFolder = folders.create();
    const holder = await startDataFolderProcess(dataFolder, "hold");
    const { firstLine } = await startDataFolderProcess(dataFolder, "count");
    expect(firstLine).toBe(
      `DatabaseUnavailable: The data folder ${dataFolder} is in use by process ${holder.child.pid}. Stop that one first, or choose another data folder.`,
    );
    holder.child.kill("SIGKILL");
    await holder.ended;
    await untilEmpty(dataFolder);
  });
});
