import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA, realPorts } from "../../../src/index.ts";
import type { ObjectStore } from "../../../src/base/objects/object-store.ts";
import { folderStore } from "../../../src/base/objects/folder-store.ts";
import { sweepOrphans } from "../../../src/base/objects/orphans.ts";
import { bucketStore } from "../../../src/base/objects/bucket-store.ts";
import { reportObjectOwner } from "../../../src/console/reporting/reports/object-owner.ts";
import { uploadObjectOwner } from "../../../src/messaging/uploads/object-owner.ts";
import { importUploads } from "../../../src/messaging/uploads/store.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { startS3rver, type BucketServer } from "./bucket-fixture.ts";

const ADD_UPLOAD = statement(
  "",
  "insert into uploads (id, account_id, kind, created_time, object_key, body) select $1, min(id), 'image', now(), $2, '{}' from accounts",
);
const ADD_REPORT = statement(
  "",
  `insert into reports (id, account_id, event, created_time, start_time, end_time, without_pii)
   select $1, min(id), 'Chat-Transcript', now(), now(), now(), false from accounts`,
);
const WAITING = statement("", "select 1 as one from pg_locks where locktype = 'advisory' and not granted");
const ACCOUNT = statement("", "select min(id) as id from accounts");
const CLEAR = statement("", "delete from uploads");

let w: ServiceHarness;
let pool: Pool;
let server: BucketServer;
let folder: string;
beforeAll(async () => {
  w = await serviceHarness();
  pool = w.database.pool(SERVICE_SCHEMA, { max: 4 });
  server = await startS3rver();
  folder = await mkdtemp(join(tmpdir(), "parley-orphans-"));
});
afterAll(async () => {
  await server.close();
  await pool.end();
  await w.close();
  await rm(folder, { recursive: true, force: true });
});

const HOUR_MS = 3_600_000;
const GRACE_MS = 24 * HOUR_MS;
const owners = [uploadObjectOwner, reportObjectOwner];
async function* content() {
  yield Buffer.from("x");
}
const keysIn = async (store: ObjectStore) => {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
};
/** The store with other ages of its objects: neither a file system nor a bucket lets a test set them. */
const aged = (store: ObjectStore, ageOf: (key: string) => number): ObjectStore => ({
  ...store,
  async *list() {
    for await (const each of store.list()) yield { ...each, ageMs: ageOf(each.key) };
  },
});
const sweep = (objects: ObjectStore) =>
  sweepOrphans({ db: pool, objects, owners }, { signal: new AbortController().signal, graceMs: GRACE_MS });

const uuid = fc.uuid();
const object = fc.record({
  id: uuid,
  kind: fc.constantFrom("file", "image", "report", "foreign"),
  /** `imported`: the row's key names another account. `other key`: the row has another id. */
  row: fc.constantFrom("none", "own", "imported", "other key"),
  ageMs: fc.constantFrom(0, GRACE_MS - 1, GRACE_MS, GRACE_MS + 1, 400 * GRACE_MS),
});

test.each([["a folder"], ["a bucket"]])(
  "the sweep of %s removes old objects without a row, and never one that a row refers to",
  async (place) => {
    const store = place === "a folder" ? folderStore(folder) : bucketStore(server.place, { folder });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(object, { selector: ({ id }) => id, maxLength: 12 }), async (objects) => {
        await pool.rows(CLEAR, []);
        for (const prefix of ["uploads", "reports", "other"]) await store.removeAll(prefix);
        const ages = new Map<string, number>();
        const [kept, removed]: [string[], string[]] = [[], []];
        for (const { id, kind, row, ageMs } of objects) {
          const key =
            { report: `reports/1/${id}/1.zip`, foreign: `other/${id}` }[kind as "report"] ?? `uploads/7/${id}`;
          const keys = kind === "image" ? [key, `${key}-thumbnail`] : [key];
          const isUpload = kind === "file" || kind === "image";
          const isReferenced = isUpload ? row !== "none" : kind === "report" && row === "own";
          if (isUpload && row !== "none") {
            const rowId = row === "other key" ? realPorts.newId() : id;
            await pool.rows(ADD_UPLOAD, [rowId, row === "imported" ? `uploads/3/${id}` : key]);
          } else if (isReferenced) await pool.rows(ADD_REPORT, [id]);
          for (const each of keys) {
            await store.put(each, content());
            ages.set(each, ageMs);
          }
          const isKept = isReferenced || kind === "foreign" || ageMs <= GRACE_MS;
          (isKept ? kept : removed).push(...keys);
        }
        const counts = await sweep(aged(store, (key) => ages.get(key) ?? 0));
        expect(await keysIn(store)).toEqual(kept.sort());
        expect(counts.orphans).toBe(removed.length);
      }),
      { numRuns: 20 },
    );
  },
);

test("the sweep keeps everything while objects are new, by the clock of the storage", async () => {
  for (const store of [folderStore(folder), bucketStore(server.place, { folder })]) {
    const key = `uploads/1/${realPorts.newId()}`;
    await store.put(key, content());
    expect(await sweep(store)).toEqual({ orphans: 0, incomplete: 0 });
    expect(await store.size(key)).toBe(1);
    await store.remove(key);
  }
});

test("the sweep waits for an import that adds rows for old objects, and keeps these objects", async () => {
  const store = folderStore(folder);
  const id = realPorts.newId();
  const key = `uploads/1/${id}`;
  await store.put(key, content());
  const row = { id, kind: "file" as const, created_time: "2026-01-01T00:00:00.000Z", object_key: key, body: "{}" };
  let swept: ReturnType<typeof sweep> | undefined;
  await pool.transaction(async (tx) => {
    const account = await tx.one<{ id: number }>(ACCOUNT, []);
    expect(await importUploads(tx, account?.id ?? 0, [row])).toBe(1);
    swept = sweep(aged(store, () => 2 * GRACE_MS));
    await waitUntil(async () => (await pool.one(WAITING, [])) !== undefined);
  });
  await swept;
  expect(await store.size(key)).toBe(1);
});
