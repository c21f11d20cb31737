import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { File } from "@parley/contract";
import { statement } from "@parley/database";
import { createMetricRegistry, type MetricRegistry } from "@parley/telemetry";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { clientForm } from "./upload-form-builder.ts";
import { plainImage } from "./image-builder.ts";

/** A file system of its own, which can be filled and mounted as read-only. Only the administrator of the machine may mount it. */
const folder = await mkdtemp(join(tmpdir(), "parley-uploads-"));
const command = promisify(execFile);
const isMounted = await command("mount", ["-t", "tmpfs", "-o", "size=40m", "parley-test", folder]).then(
  () => true,
  () => false,
);

/** @units bytes */
const UPLOAD_BYTES = 2 * 1_048_576;
const COUNT_UPLOADS = statement("", "select count(*)::integer as count from uploads");

let w: ServiceHarness;
let metrics: MetricRegistry;
beforeAll(async () => {
  metrics = await createMetricRegistry({ process: "service-1", onError: (_, error) => expect(error).toBeUndefined() });
  w = await serviceHarness({ objectsFolder: folder, metrics });
});
afterAll(async () => {
  await w.close();
  if (isMounted) await command("umount", [folder]);
  await rm(folder, { recursive: true, force: true });
});

const post = async (path: string, body: FormData) => {
  const response = await w.raw("POST", path, { body });
  const { status } = (await response.clone().json()) as { status?: string };
  return { response, code: response.status, token: status, retryAfter: response.headers.get("retry-after") };
};
const uploadFile = (bytes = UPLOAD_BYTES) =>
  post("/v2/files/upload", clientForm("file", Buffer.alloc(bytes, 1), "application/zip", "a.zip"));
const uploadImage = async () =>
  post("/v2/images/upload", clientForm("image", await plainImage("png"), "image/png", "a.png"));

const get = async (path: string) => {
  const response = await w.raw("GET", path);
  return [response.status, (await response.json()) as { status: string; message?: string }] as const;
};
const contents = async () => (await readdir(folder, { recursive: true })).toSorted();
const uploadsUp = async () => {
  const all = (await metrics.snapshot()) as { name: string; values: { value: number }[] }[];
  return all.find(({ name }) => name === "parley_uploads_up")?.values[0]?.value;
};
const rowCount = async () => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const found = await pool.one<{ count: number }>(COUNT_UPLOADS, []);
  await pool.end();
  return found?.count;
};

const STATES = [
  {
    title: "full",
    reason: "The storage of uploads is full. Make room there.",
    step: "ENOSPC",
    begin: () => writeFile(join(folder, "filler"), Buffer.alloc(64 * 1_048_576)).catch(() => undefined),
    end: () => rm(join(folder, "filler"), { force: true }),
  },
  {
    title: "read-only",
    reason: "The storage of uploads takes no writes.",
    step: "EROFS",
    begin: () => command("mount", ["-o", "remount,ro", folder]),
    end: () => command("mount", ["-o", "remount,rw", folder]),
  },
];

(isMounted ? describe : describe.skip).each(STATES)(
  "while the storage of uploads is $title",
  ({ reason, step, begin, end }) => {
    let before: Awaited<ReturnType<typeof contents>>;
    let rows: number | undefined;
    let address: string;
    beforeAll(async () => {
      const { response } = await uploadFile(10);
      ({ url: address } = (await response.json()) as File);
      expect(await get("/health")).toEqual([200, { status: "ok" }]);
      expect(await uploadsUp()).toBe(1);
      await begin();
      [before, rows] = [await contents(), await rowCount()];
    });
    afterAll(end);

    test.each([
      ["a file", uploadFile],
      ["an image", uploadImage],
    ])("an upload of %s is answered with 503, and nothing of it is stored", async (_, upload) => {
      expect(await upload()).toMatchObject({ code: 503, token: "SERVICE_UNAVAILABLE", retryAfter: "1" });
      expect([await contents(), await rowCount()]).toEqual([before, rows]);
    });

    test("/health, a metric and the log say so, requests are accepted, and downloads succeed", async () => {
      expect(await get("/health")).toEqual([200, { status: "degraded", message: reason }]);
      expect(await get("/ready")).toEqual([200, { status: "ok" }]);
      expect(await uploadsUp()).toBe(0);
      expect(w.logLines.join("\n")).toContain(`The folder of uploads ${folder} does not work (${step}`);
      expect((await fetch(address)).status).toBe(200);
    });

    test("another process starts", async () => {
      const other = await serviceHarness({ database: w.database, objectsFolder: folder });
      expect(other.logLines.join("\n")).toContain("Uploads and downloads fail until the storage answers");
      await other.close();
    });

    test("uploads succeed without a restart when the storage works again", async () => {
      await end();
      await waitUntil(async () => (await get("/health"))[1].status === "ok");
      expect([(await uploadFile()).code, (await uploadImage()).code, await uploadsUp()]).toEqual([201, 201, 1]);
    });
  },
);
