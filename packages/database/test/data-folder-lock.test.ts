import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { DatabaseUnavailable } from "../src/index.ts";
import { lockFolder } from "../src/embedded/lock.ts";
import { temporaryFolders } from "./temporary-folders.ts";
import { startDataFolderProcess } from "./data-folder-process.ts";

const folders = temporaryFolders();
afterAll(() => folders.removeAll());

describe("a data folder's lock", () => {
  test("is held by one process, released completely, and can be held again", () => {
    const folder = folders.create();
    const unlock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(DatabaseUnavailable);
    unlock();
    lockFolder(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["a process that has ended", JSON.stringify({ pid: 2 ** 22 + 1, started: "then" })],
    ["an earlier process of a number that lives", JSON.stringify({ pid: process.pid, started: "then" })],
    ["nobody, half written", '{"pid": 12'],
    ["nobody, empty", ""],
  ])("left by %s is taken over", (_title, mark) => {
    const folder = folders.create();
    writeFileSync(join(folder, "lock"), mark);
    lockFolder(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("left by a kill goes to one of several concurrent processes", async () => {
    const folder = folders.create();
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, started: "then" }));
    const holders = await Promise.all(Array.from({ length: 4 }, () => startDataFolderProcess(folder, "hold")));
    const firstLines = holders.map((holder) => holder.firstLine).sort();
    expect(firstLines.map((line) => line.split(" ", 1)[0])).toEqual([
      ...Array.from({ length: 3 }, () => "DatabaseUnavailable:"),
      "marks",
    ]);
    for (const holder of holders) holder.child.kill("SIGKILL");
    await Promise.all(holders.map((holder) => holder.ended));
  });
});
