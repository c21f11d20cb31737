import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { listObjects } from "@parley/service/objects";
import { folderStore } from "../../../src/base/objects/folder-store.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-listing-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* content(text: string) {
  yield Buffer.from(text);
}

test("a missing folder has no objects", async () => {
  expect(await listObjects(join(folder, "absent"))).toEqual([]);
});

test("every unchanged object is listed while others are added and removed", async () => {
  const store = folderStore(folder);
  const staying = Array.from({ length: 40 }, (_, number) => `files/${number % 4}/${number}.txt`);
  for (const key of staying) await store.put(key, content(key));
  await symlink(tmpdir(), join(folder, "elsewhere"));

  let isOver = false;
  const churning = Array.from({ length: 4 }, async (_, lane) => {
    for (let count = 0; !isOver; count += 1) {
      const key = `passing/${lane}-${count}/content`;
      await store.put(key, content("x"));
      await rm(join(folder, "passing", `${lane}-${count}`), { recursive: true });
    }
  });
  const wrong: string[][] = [];
  for (let count = 0; count < 300; count += 1) {
    const listed = await listObjects(folder);
    const stayed = listed.filter((key) => !key.startsWith("passing/"));
    if (stayed.sort().join() !== [...staying].sort().join()) wrong.push(stayed);
  }
  isOver = true;
  await Promise.all(churning);
  expect(wrong).toEqual([]);
});
