import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { ObjectStore } from "../../../src/base/objects/object-store.ts";
import { bucketStore } from "../../../src/base/objects/bucket-store.ts";
import type { BucketPlace } from "../../../src/base/objects/bucket-settings.ts";
import { SHORT_WAITS, startS3rver, type BucketServer } from "./bucket-fixture.ts";
import { startFaultProxy, type Fault, type FaultProxy } from "./fault-proxy.ts";

const PART = 5 * 1_048_576;
const CONTENT = randomBytes(PART + 100_000);

let server: BucketServer;
let proxy: FaultProxy;
let folder: string;
let store: ObjectStore;
const storeAt = (place: Partial<BucketPlace>) =>
  bucketStore({ ...proxy.place, waits: SHORT_WAITS, ...place }, { folder, partBytes: PART });
async function* whole() {
  yield CONTENT;
}
async function* text(content: string) {
  yield Buffer.from(content);
}
const bytesOf = async (key: string) => {
  const found = await store.read(key);
  return found && Buffer.concat(await found.content.toArray());
};
/** The message of the error, without the addresses of the test. */
const failureOf = async (work: Promise<unknown>) => {
  const error = (await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as Error | undefined;
  return error && { name: error.name, message: error.message.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "ENDPOINT") };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-objects-"));
  server = await startS3rver();
  proxy = await startFaultProxy(server.place);
  store = storeAt({});
});
afterAll(async () => {
  await proxy.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  proxy.always("pass");
  proxy.taken();
});

describe("a bucket whose storage fails for a moment", () => {
  const PASSING: readonly Fault[] = [
    "reset",
    "silence",
    "lost reply",
    { status: 500, code: "InternalError" },
    { status: 502 },
    { status: 503, code: "SlowDown" },
    { status: 504 },
    { status: 429 },
  ];
  test.each(PASSING.map((fault) => [JSON.stringify(fault), fault] as const))(
    "stores, reads and removes an object after %s in each request",
    async (_, fault) => {
      proxy.next(fault);
      await store.put("moment/key", text("content"));
      proxy.next(fault, fault);
      expect(await store.size("moment/key")).toBe(7);
      proxy.next(fault);
      expect(String(await bytesOf("moment/key"))).toBe("content");
      proxy.next(fault);
      await store.remove("moment/key");
      expect(await store.size("moment/key")).toBeUndefined();
      expect(proxy.taken().length).toBeGreaterThanOrEqual(10);
    },
  );

  test.each<Fault>(["reset", "reset early", "silence", { status: 503 }, { status: 400, code: "RequestTimeout" }])(
    "sends a part again after %j, and stores the content as it is",
    async (fault) => {
      // The beginning, the first part, the second part, the completion.
      proxy.next("pass", fault, "pass", fault, fault);
      await store.put("parts/key", whole());
      expect((await bytesOf("parts/key"))?.equals(CONTENT)).toBe(true);
      await store.remove("parts/key");
    },
  );

  test("stores an object in parts once when the reply to the completion gets lost", async () => {
    proxy.next("pass", "pass", "pass", "lost reply");
    await store.put("parts/lost", whole());
    expect((await bytesOf("parts/lost"))?.equals(CONTENT)).toBe(true);
    await store.remove("parts/lost");
  });

  test.each<Fault>(["half reply", "stalled reply"])(
    "continues to read at the position where a %s ended",
    async (fault) => {
      await store.put("read/key", whole());
      proxy.taken();
      proxy.next(fault, fault, fault);
      expect((await bytesOf("read/key"))?.equals(CONTENT)).toBe(true);
      expect(proxy.taken()).toHaveLength(4);
      await store.remove("read/key");
    },
  );

  test("does not join the halves of two objects", async () => {
    await store.put("read/changing", whole());
    proxy.next("half reply");
    const found = await store.read("read/changing");
    const first = await found?.content.iterator({ destroyOnReturn: false }).next();
    expect(first?.done).toBe(false);
    await bucketStore(server.place, { folder }).put("read/changing", text("another content"));
    await expect(found?.content.toArray()).rejects.toThrow(/refused GET/);
  });
});

describe("a bucket whose storage fails for long", () => {
  test.each<Fault>(["reset", "silence", { status: 503, code: "SlowDown" }])(
    "fails after %j in all requests, and stores nothing",
    async (fault) => {
      proxy.always(fault);
      expect(await failureOf(store.put("long/key", text("content")))).toEqual({
        name: "ObjectStoreFailure",
        message: expect.stringMatching(
          /^The object storage did not complete PUT in s3:\/\/parley\/unit\/ at ENDPOINT \(.+\)\. Check that it runs and that this machine reaches PARLEY_S3_ENDPOINT\.$/,
        ) as unknown,
      });
      proxy.always("pass");
      expect(await store.size("long/key")).toBeUndefined();
    },
    30_000,
  );

  test("removes the parts of an object that could not be completed", async () => {
    proxy.next("pass", { status: 400, code: "InvalidPart" });
    await expect(store.put("long/parts", whole())).rejects.toThrow("InvalidPart");
    expect(proxy.taken().at(-1)).toMatch(/^DELETE .*uploadId=/);
    expect(await store.size("long/parts")).toBeUndefined();
  });

  test("fails when nothing listens, and when nothing answers", async () => {
    const deaf = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await once(deaf, "listening");
    const { port } = deaf.address() as AddressInfo;
    const at = storeAt({
      endpoint: `http://127.0.0.1:${port}`,
      waits: { ...SHORT_WAITS, idleMs: 50, retryForMs: 300 },
    });
    expect((await failureOf(at.size("a/b")))?.message).toContain("no data for 0.05 s");
    deaf.close();
    await once(deaf, "close");
    expect((await failureOf(at.size("a/b")))?.message).toContain("ECONNREFUSED");
  });
});

describe("a bucket whose storage refuses", () => {
  test.each<[Fault & object, string]>([
    [{ status: 507 }, "Free space in the storage, or raise its quota."],
    [{ status: 403, code: "QuotaExceeded" }, "Free space in the storage, or raise its quota."],
    [{ status: 403, code: "AccessDenied" }, "Allow the key s3:GetObject"],
    [{ status: 403, code: "RequestTimeTooSkewed" }, "Set the machine's clock"],
    [{ status: 301, code: "PermanentRedirect" }, "Set PARLEY_S3_REGION to the region of the bucket."],
    [{ status: 404, code: "NoSuchBucket" }, "Create the bucket, or correct PARLEY_OBJECTS."],
    [{ status: 405 }, "Check that PARLEY_S3_ENDPOINT is the address of an S3-compatible storage"],
  ])("with %j fails at once and says what to do", async (fault, step) => {
    proxy.always(fault);
    const failure = await failureOf(store.put("refused/key", text("content")));
    expect(failure?.name).toBe("ObjectStoreFailure");
    expect(failure?.message).toContain(`(${fault.status}`);
    expect(failure?.message).toContain(step);
    expect(proxy.taken()).toHaveLength(1);
    // The start of the service reports the same as a wrong setting. A full storage is not a wrong setting: the service starts and is degraded.
    const isFull = step.startsWith("Free space");
    expect(await failureOf(store.check())).toMatchObject({
      name: isFull ? "ObjectStoreFailure" : "UsageFailure",
      message: expect.stringContaining(step) as unknown,
    });
  });

  test.each<[string, Partial<BucketPlace>, string]>([
    ["a wrong key", { keyId: "wrong-key" }, "Check PARLEY_S3_KEY_ID and PARLEY_S3_SECRET"],
    ["a wrong bucket", { bucket: "other" }, "Create the bucket, or correct PARLEY_OBJECTS."],
  ])("with %s is reported by the check of the settings, without the secret", async (_, change, step) => {
    const failure = await failureOf(storeAt(change).check());
    expect(failure).toMatchObject({ name: "UsageFailure", message: expect.stringContaining(step) as unknown });
    expect(failure?.message).not.toContain("S3RVER");
  });
});
