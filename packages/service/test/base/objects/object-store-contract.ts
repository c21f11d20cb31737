import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { folderStore } from "../../../src/base/objects/folder-store.ts";
import type { ObjectStore } from "../../../src/base/objects/object-store.ts";
import { bucketClient } from "../../../src/base/objects/bucket-client.ts";
import { bucketStore } from "../../../src/base/objects/bucket-store.ts";
import type { BucketServer } from "./bucket-fixture.ts";
import { setQuota } from "./swift-server.ts";

/** The smallest size of a part in S3. */
const PART = 5 * 1_048_576;

async function* chunks(...contents: (string | Uint8Array)[]) {
  for (const content of contents) yield Buffer.from(content);
}
/** A content in pieces of an odd size, so that no piece ends with a part. */
async function* pieces(content: Uint8Array) {
  for (let at = 0; at < content.byteLength; at += 777_777) yield content.subarray(at, at + 777_777);
}
const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");
const bytesOf = async (store: ObjectStore, key: string, range?: { first: number; last: number }) => {
  const found = await store.read(key, range);
  return found && Buffer.concat(await found.content.toArray());
};
const keysIn = async (store: ObjectStore) => {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
};

export interface TestedStorage {
  readonly title: string;
  /** -> undefined for a folder */
  readonly start: () => Promise<BucketServer | undefined>;
  /** A storage for production, which checks what it is sent. */
  readonly isReal?: boolean;
}

/** Servers of several processes take long to start on a busy machine. @units milliseconds */
const START_TIMEOUT_MS = 400_000;

/** Tests that every object store passes, and those of a storage for production. */
export function describeObjectStore({ title, start, isReal = false }: TestedStorage): void {
  describe(title, () => {
    let server: BucketServer | undefined;
    let folder: string;
    let store: ObjectStore;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "parley-objects-"));
      server = await start();
      store = server
        ? bucketStore(server.place, { folder, partBytes: PART, ...(isReal && { pageEntries: 7 }) })
        : folderStore(folder);
    }, START_TIMEOUT_MS);
    afterAll(async () => {
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test("is written, read and emptied by the check of the settings", async () => {
      await store.check();
      expect(await keysIn(store)).toEqual([]);
    });

    test.each([
      ["no byte", 0],
      ["one byte", 1],
      ["less than is received in memory", 100_000],
      ["more than is received in memory", 300_000],
      ["exactly one part", PART],
      ["one part and a byte", PART + 1],
      ["exactly two parts", 2 * PART],
      ["three parts", 2 * PART + 1_234_567],
    ])("returns the same content that it stored: %s", async (_, length) => {
      const content = randomBytes(length);
      const stored = { bytes: length, sha256: sha256(content) };
      expect(await store.put("sizes/one", pieces(content))).toEqual(stored);
      expect(await store.size("sizes/one")).toBe(length);
      expect(await store.describe("sizes/one")).toEqual(stored);
      expect((await bytesOf(store, "sizes/one"))?.equals(content)).toBe(true);
      for (const [first, last] of [
        [0, 0],
        [PART - 2, PART + 2],
        [length - 1, length - 1],
      ] as const) {
        if (first < 0 || last >= length) continue;
        const part = await bytesOf(store, "sizes/one", { first, last });
        // Compared in short, because a difference of megabytes takes minutes to print.
        expect([part?.byteLength, part?.toString("hex").slice(0, 20)]).toEqual([
          last - first + 1,
          content.toString("hex", first, last + 1).slice(0, 20),
        ]);
      }
      const found = await store.read("sizes/one");
      expect(found?.bytes).toBe(length);
      found?.content.destroy();
      await store.remove("sizes/one");
    });

    test.each([
      ["small", 10],
      ["in parts", PART + 10],
    ])("discards incomplete content, and keeps the object before: %s", async (_, length) => {
      async function* broken() {
        yield Buffer.alloc(length);
        throw new Error("cut off");
      }
      await expect(store.put("broken/new", broken())).rejects.toThrow("cut off");
      expect(await store.size("broken/new")).toBeUndefined();
      await store.put("broken/old", chunks("old"));
      await expect(store.put("broken/old", broken())).rejects.toThrow("cut off");
      expect(String(await bytesOf(store, "broken/old"))).toBe("old");
      await store.removeAll("broken");
      expect((await readdir(folder)).filter((name) => name.startsWith("."))).toEqual([]);
    });

    test("replaces an object as a whole", async () => {
      await store.put("same/key", chunks("first and longer"));
      await store.put("same/key", chunks("second"));
      expect(String(await bytesOf(store, "same/key"))).toBe("second");
      await store.remove("same/key");
    });

    test("knows nothing of objects that do not exist, and removes them without an error", async () => {
      await store.remove("none/here");
      expect(await store.read("none/here")).toBeUndefined();
      expect(await store.read("none/here", { first: 0, last: 1 })).toBeUndefined();
      expect(await store.size("none/here")).toBeUndefined();
      expect(await store.describe("none/here")).toBeUndefined();
      await store.removeAll("none");
    });

    test("removes the objects below a prefix, and not those of a longer name", async () => {
      for (const key of ["uploads/1/a", "uploads/1/b", "uploads/1-b", "uploads/12/a"])
        await store.put(key, chunks(key));
      await store.removeAll("uploads/1");
      expect(await keysIn(store)).toEqual(["uploads/1-b", "uploads/12/a"]);
      await store.removeAll("uploads");
    });

    test("lists more objects than a page of the storage has, with their sizes and ages", async () => {
      const keys = Array.from({ length: 30 }, (_, count) => `many/${String(count).padStart(2, "0")}`);
      await Promise.all(keys.map((key) => store.put(key, chunks("xyz"))));
      expect(await keysIn(store)).toEqual(keys);
      for await (const { bytes, ageMs } of store.list()) {
        expect(bytes).toBe(3);
        expect(ageMs).toBeLessThan(600_000);
      }
      await store.removeAll("many");
      expect(await keysIn(store)).toEqual([]);
    });

    test("removes the parts of an interrupted put once they are old enough", async () => {
      if (!server) return;
      // s3rver can't list them, and then nothing is removed.
      const client = bucketClient(server.place);
      const name = `${server.place.prefix}interrupted/key`;
      await client.send({ method: "POST", name, query: { uploads: "" } });
      expect(await store.removeIncomplete(3_600_000)).toBe(0);
      expect(await store.removeIncomplete(-3_600_000)).toBe(isReal ? 1 : 0);
      expect(await store.removeIncomplete(-3_600_000)).toBe(0);
    });

    const onlyReal = isReal ? test : test.skip;
    onlyReal("with a wrong secret is reported by the check of the settings, without the secret", async () => {
      const place = { ...(server as BucketServer).place, secret: "wrong-secret" };
      const failure = await bucketStore(place, { folder })
        .check()
        .catch((error: unknown) => error as Error);
      expect(failure).toMatchObject({
        name: "UsageFailure",
        message: expect.stringMatching(/SignatureDoesNotMatch.*Check PARLEY_S3_KEY_ID and PARLEY_S3_SECRET/) as unknown,
      });
      expect(String(failure)).not.toContain("wrong-secret");
    });

    onlyReal("refuses a content that was changed on the way, and that is sent again as it is", async () => {
      const client = bucketClient((server as BucketServer).place);
      const name = `${(server as BucketServer).place.prefix}changed/key`;
      const contents = ["XXXX", "true"];
      const body = {
        bytes: 4,
        sha256: sha256(Buffer.from("true")),
        open: () => Readable.from([Buffer.from(contents.shift() ?? "")], { objectMode: false }),
      };
      await client.send({ method: "PUT", name, body });
      expect(contents).toEqual([]);
      expect(String(await bytesOf(store, "changed/key"))).toBe("true");
      await store.remove("changed/key");
    });

    onlyReal("that is full refuses an object, and stores nothing", async () => {
      const { place } = server as BucketServer;
      await setQuota(place, 1_000);
      await expect(store.put("full/key", pieces(Buffer.alloc(300_000)))).rejects.toMatchObject({
        name: "ObjectStoreFailure",
        message: expect.stringContaining("EntityTooLarge") as unknown,
      });
      expect(await store.size("full/key")).toBeUndefined();
      await setQuota(place, 1_000_000_000);
      await store.put("full/key", pieces(Buffer.alloc(300_000)));
      await store.remove("full/key");
    });

    test("refuses names that are not keys", async () => {
      for (const key of ["", "../a", "a//b", ".a", "a b"]) {
        await expect(store.put(key, chunks("x"))).rejects.toThrow("is not a key");
        await expect(store.read(key)).rejects.toThrow("is not a key");
        await expect((async () => store.removeAll(key))()).rejects.toThrow("is not a key");
      }
    });
  });
}
