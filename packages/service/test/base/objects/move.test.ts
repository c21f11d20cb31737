import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { folderStore } from "../../../src/base/objects/folder-store.ts";
import { moveObjects } from "../../../src/base/objects/move.ts";
import type { ObjectStore } from "../../../src/base/objects/object-store.ts";
import { withPrevious } from "../../../src/base/objects/previous-store.ts";
import { bucketStore } from "../../../src/base/objects/bucket-store.ts";
import { startS3rver, type BucketServer } from "./bucket-fixture.ts";

let server: BucketServer;
let folder: string;
let disk: ObjectStore;
let bucket: ObjectStore;
beforeAll(async () => {
  server = await startS3rver();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-move-"));
  disk = folderStore(folder);
  bucket = bucketStore(server.place, { folder });
  await bucket.removeAll("uploads");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* chunks(content: string | Uint8Array) {
  yield Buffer.from(content);
}
const textOf = async (store: ObjectStore, key: string) => {
  const found = await store.read(key);
  return found && String(Buffer.concat(await found.content.toArray()));
};
const keysIn = async (store: ObjectStore) => {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
};
const KEYS = Array.from({ length: 12 }, (_, count) => `uploads/1/${String(count).padStart(2, "0")}`);
const fill = (store: ObjectStore) => Promise.all(KEYS.map((key) => store.put(key, chunks(`content of ${key}`))));

test.each([
  ["a folder to a bucket", () => [disk, bucket] as const],
  ["a bucket to a folder", () => [bucket, disk] as const],
])(
  "a move from %s copies everything, continues when it is repeated, and removes the originals if it is asked to",
  async (_, places) => {
    const [from, to] = places();
    await fill(from);
    expect(await moveObjects({ from, to, removes: false })).toMatchObject({ copied: 12, present: 0, removed: 0 });
    for (const key of KEYS) expect(await textOf(to, key)).toBe(`content of ${key}`);
    expect(await keysIn(from)).toEqual(KEYS);
    await to.remove(KEYS[3] ?? "");
    expect(await moveObjects({ from, to, removes: true })).toMatchObject({ copied: 1, present: 11, removed: 12 });
    expect(await keysIn(from)).toEqual([]);
    expect(await keysIn(to)).toEqual(KEYS);
  },
);

test("a move that is interrupted continues, and has removed no original without a copy", async () => {
  await fill(disk);
  const controller = new AbortController();
  const progress = ({ copied }: { readonly copied: number }) => {
    if (copied >= 5) controller.abort(new Error("interrupted"));
  };
  const interrupted = moveObjects({ from: disk, to: bucket, removes: true, signal: controller.signal, progress });
  await expect(interrupted).rejects.toThrow("interrupted");
  const present = await keysIn(bucket);
  expect(present.length).toBeGreaterThanOrEqual(5);
  expect(present.length).toBeLessThan(12);
  expect([...new Set([...present, ...(await keysIn(disk))])].sort()).toEqual(KEYS);
  await moveObjects({ from: disk, to: bucket, removes: true });
  expect(await keysIn(bucket)).toEqual(KEYS);
});

test("a move keeps an object that is there with another content, names it, and does not remove its original", async () => {
  await disk.put("uploads/1/a", chunks("older"));
  await bucket.put("uploads/1/a", chunks("newer"));
  const counts = await moveObjects({ from: disk, to: bucket, removes: true });
  expect(counts).toMatchObject({ copied: 0, present: 0, different: ["uploads/1/a"], removed: 0 });
  expect([await textOf(disk, "uploads/1/a"), await textOf(bucket, "uploads/1/a")]).toEqual(["older", "newer"]);
});

test("a move fails when the storage returns another content than it was given, and removes nothing", async () => {
  await disk.put("uploads/1/a", chunks("original"));
  const forgetful: ObjectStore = {
    ...bucket,
    read: async (key) => (await bucket.read(key)) && disk.read("uploads/1/b"),
  };
  await disk.put("uploads/1/b", chunks("another"));
  const moved = moveObjects({ from: disk, to: forgetful, removes: true, concurrency: 1 });
  await expect(moved).rejects.toThrow(/The copy of uploads\/1\/[ab] differs from the original/);
  expect(await textOf(disk, "uploads/1/a")).toBe("original");
});

test("an object that is removed while it is copied is not there afterwards", async () => {
  const service = withPrevious(bucket, disk);
  await disk.put("uploads/1/a", chunks("erased"));
  // The service erases it when the copy is complete and before the move looks at the original again.
  const from: ObjectStore = {
    ...disk,
    async size(key) {
      await service.remove(key);
      return disk.size(key);
    },
  };
  expect(await moveObjects({ from, to: bucket, removes: false })).toMatchObject({ copied: 0, vanished: 1 });
  expect([await keysIn(disk), await keysIn(bucket)]).toEqual([[], []]);
});

test("while objects are moved, the service finds each in one of the places, and puts new objects into the present place", async () => {
  const service = withPrevious(bucket, disk);
  await fill(disk);
  let isMoved = false;
  const move = moveObjects({ from: disk, to: bucket, removes: true, concurrency: 2 }).then((counts) => {
    isMoved = true;
    return counts;
  });
  let reads = 0;
  while (!isMoved || reads === 0)
    for (const key of KEYS) {
      expect(await textOf(service, key)).toBe(`content of ${key}`);
      // The server of the test's bucket has an object before its content: no size but zero is waited for.
      const size = (await service.size(key)) || (await waitUntil(async () => (await service.size(key)) || undefined));
      expect(size).toBe(`content of ${key}`.length);
      reads += 1;
    }
  expect((await move).copied).toBe(12);
  await service.put("uploads/1/new", chunks(randomBytes(10)));
  expect(await disk.size("uploads/1/new")).toBeUndefined();
  expect(await bucket.size("uploads/1/new")).toBe(10);
  await disk.put("uploads/1/old", chunks("x"));
  await service.removeAll("uploads/1");
  expect([await keysIn(disk), await keysIn(bucket)]).toEqual([[], []]);
});
