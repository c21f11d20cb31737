import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { openPackageCache } from "../../src/publishing/package-cache.ts";
import { publishingFixture, type PublishingFixture } from "./publishing-fixture.ts";

/** Copies of published versions, from which a process of the platform runs them. */

let fixture: PublishingFixture;
let digest: string;
let packages: string;
beforeAll(async () => {
  fixture = await publishingFixture();
  packages = join(fixture.dataFolder, "app-packages");
  ({ digest } = await fixture.publisher.publish({ archive: await fixture.archive(), name: "cached", version: "1" }));
});
afterAll(() => fixture.close());

const open = (cachedCodeMax?: number) =>
  openPackageCache({
    folder: fixture.dataFolder,
    store: fixture.store,
    ...(cachedCodeMax !== undefined && { cachedCodeMax }),
  });
const copy = () => join(packages, digest);

test("a copy can be read by its owner only, and is made once", async () => {
  const cache = await open();
  const [found, same] = await Promise.all([cache.version("cached", "1"), cache.version("cached", "1")]);
  expect(found?.project.folder).toBe(copy());
  expect(same).toBe(found);
  expect(await cache.version("cached", "1")).toBe(found);
  for (const path of [packages, copy(), join(copy(), "app")]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect((await stat(join(copy(), "manifest.json"))).mode & 0o777).toBe(0o600);
  const { ino } = await stat(copy());
  await (await open()).version("cached", "1");
  expect((await stat(copy())).ino).toBe(ino);
  expect(await readdir(packages)).toEqual([digest]);
});

describe("a copy is replaced if", () => {
  test.each<[string, (folder: string) => Promise<unknown>]>([
    ["a file was changed", (folder) => writeFile(join(folder, "app/index.html"), "<p>changed")],
    ["a file is missing", (folder) => rm(join(folder, "manifest.json"))],
    ["a file was added", (folder) => writeFile(join(folder, "app/added.js"), "alert(1)")],
    ["a link was added", (folder) => symlink("/etc/passwd", join(folder, "app/link"))],
    [
      "a file was replaced by a link",
      async (folder) => {
        await rm(join(folder, "app/index.html"));
        await symlink("/etc/passwd", join(folder, "app/index.html"));
      },
    ],
    ["it is a link", (folder) => rm(folder, { recursive: true }).then(() => symlink("/etc", folder))],
    ["it is a file", (folder) => rm(folder, { recursive: true }).then(() => writeFile(folder, ""))],
    ["others can read it", (folder) => chmod(folder, 0o755)],
    ["it is empty", (folder) => rm(folder, { recursive: true }).then(() => mkdir(folder, { mode: 0o700 }))],
  ])("%s", async (_what, damage) => {
    await (await open()).version("cached", "1");
    await damage(copy());
    const found = await (await open()).version("cached", "1");
    expect(await readFile(join(found?.project.folder ?? "", "app/index.html"), "utf8")).toContain("<title>App</title>");
    expect((await readdir(join(copy(), "app"))).sort()).toEqual(["icon.svg", "index.html"]);
    expect((await stat(copy())).mode & 0o777).toBe(0o700);
    expect(await readdir(packages)).toEqual([digest]);
    expect(await readFile("/etc/passwd", "utf8")).toContain("root");
  });
});

test("several processes that open a version at once have one whole copy", async () => {
  await rm(copy(), { recursive: true });
  const caches = await Promise.all(Array.from({ length: 6 }, () => open()));
  const found = await Promise.all(caches.map((cache) => cache.version("cached", "1")));
  expect(new Set(found.map((one) => one?.project.folder))).toEqual(new Set([copy()]));
  expect(await readdir(packages)).toEqual([digest]);
});

test("a version that does not exist is undefined, and is found once it is published", async () => {
  const cache = await open();
  expect(await cache.version("cached", "later")).toBeUndefined();
  expect(await cache.version("nothing", "1")).toBeUndefined();
  await fixture.publisher.publish({ archive: await fixture.archive(), name: "cached", version: "later" });
  expect(await cache.version("cached", "later")).toMatchObject({ digest, version: "later" });
});

test("the code in memory is bounded: the version that was not used for the longest time is read again", async () => {
  await fixture.publisher.publish({ archive: await fixture.archive(), name: "second", version: "1" });
  const size = (await fixture.store.versionWithCode("second", "1"))?.project.length ?? 0;
  const cache = await open(Math.ceil(1.5 * size));
  const first = await cache.version("cached", "1");
  expect(await cache.version("cached", "1")).toBe(first);
  const second = await cache.version("second", "1");
  expect(await cache.version("second", "1")).toBe(second);
  const again = await cache.version("cached", "1");
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});

test("a project that another release stored in another format is refused with a next step", async () => {
  await fixture.publisher.publish({ archive: await fixture.archive(), name: "future", version: "1" });
  await fixture.pool.rows(
    statement(
      "",
      `update app_versions set project = replace(project, '"format":1', '"format":2') where app = 'future'`,
    ),
    [],
  );
  const cache = await open();
  await expect(cache.version("future", "1")).rejects.toThrow(
    /Version 1 of future was published by another release.*publish the app again/,
  );
  await fixture.pool.rows(
    statement(
      "",
      `update app_versions set project = replace(project, '"format":2', '"format":1') where app = 'future'`,
    ),
    [],
  );
  expect(await cache.version("future", "1")).toMatchObject({ app: "future" });
});

test("when the copies are opened, those without a version and the folders of ended processes are removed", async () => {
  const { pid: ended } = spawnSync(process.execPath, ["-e", ""]);
  const unknown = "0".repeat(64);
  const [ofEnded, ofOther, ofEarlier, ofThis, ofOld] = [
    `.work-${ended}-a`,
    `.work-${process.ppid}-b`,
    `.work-${process.pid}-c`,
    `.work-${process.pid}-d`,
    `.work-${process.ppid}-e`,
  ];
  for (const name of [unknown, ofEnded, ofOther, ofEarlier, ofThis, ofOld, "of-the-operator"])
    await mkdir(join(packages, name, "app"), { recursive: true });
  const past = new Date(performance.timeOrigin - 60_000);
  await utimes(join(packages, ofEarlier), past, past);
  const days = new Date(performance.timeOrigin - 2 * 24 * 60 * 60 * 1_000);
  await utimes(join(packages, ofOld), days, days);
  await open();
  expect((await readdir(packages)).sort()).toEqual([ofOther, ofThis, "of-the-operator", digest].sort());
});
