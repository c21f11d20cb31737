import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { File, Image } from "@parley/contract";
import type { ObjectStore } from "../../../src/base/objects/object-store.ts";
import { bucketStore } from "../../../src/base/objects/bucket-store.ts";
import type { BucketPlace } from "../../../src/base/objects/bucket-settings.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { clientForm } from "../../messaging/uploads/upload-form-builder.ts";
import { plainImage } from "../../messaging/uploads/image-builder.ts";
import { firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { startS3rver, type BucketServer } from "./bucket-fixture.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";

let server: BucketServer;
let proxy: FaultProxy;
let place: BucketPlace;
let w: ServiceHarness;
let bucket: ObjectStore;
beforeAll(async () => {
  server = await startS3rver();
  proxy = await startFaultProxy(server.place);
  place = { ...proxy.place, waits: { idleMs: 2_000, firstPauseMs: 5, retryForMs: 5_000 } };
  w = await serviceHarness({ config: { objects: { place } } });
  bucket = bucketStore(server.place, { folder: w.objectsFolder });
});
afterEach(() => proxy.always("pass"));
afterAll(async () => {
  await w.close();
  await proxy.close();
  await server.close();
});

const keysIn = async () => {
  const keys: string[] = [];
  for await (const { key } of bucket.list()) keys.push(key);
  return keys;
};
const upload = (content: string | Uint8Array, on = w) =>
  on.raw("POST", "/v2/files/upload", { body: clientForm("file", content, "text/html", "a.html") });
const uploadImage = async () => {
  const body = clientForm("image", await plainImage("png"), "image/png", "a.png");
  return (await (await w.raw("POST", "/v2/images/upload", { body })).json()) as Image;
};

test("an upload is put into the bucket, and served from there with the headers of a file from a folder", async () => {
  const content = randomBytes(3_000_000);
  const { url, file_size } = (await (await upload(content)).json()) as File;
  expect(file_size).toBe(3_000_000);
  expect(url).toContain(`${w.url}/objects/uploads/`);
  const reply = await fetch(url);
  expect(reply.status).toBe(200);
  expect(Buffer.from(await reply.arrayBuffer()).equals(content)).toBe(true);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    "content-type": "text/html",
    "content-length": "3000000",
    "content-disposition": `attachment; filename="a.html"; filename*=UTF-8''a.html`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
  const part = await fetch(url, { headers: { range: "bytes=1000000-1000009" } });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 1000000-1000009/3000000"]);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(1_000_000, 1_000_010));
  expect((await fetch(url, { method: "HEAD" })).headers.get("content-length")).toBe("3000000");
  // The folder has received it, and keeps nothing.
  expect((await readdir(w.objectsFolder)).filter((name) => name !== "secrets-key")).toEqual([]);
});

test("the deletion of a user removes the user's uploads from the bucket, with their thumbnails", async () => {
  const before = await keysIn();
  const portrait = await uploadImage();
  const photo = await uploadImage();
  expect((await keysIn()).length - before.length).toBe(4);
  const user = await w.client.users.createUser({ body: { avatar: { url: portrait.url } } });
  const message_parts = [{ image: { url: photo.url } }];
  const messages = [{ actor_type: "user" as const, actor_id: user.id, message_parts }];
  const channel_id = await firstChannelId(w);
  await w.client.conversations.createConversation({ body: { channel_id, users: [{ id: user.id }], messages } });
  expect((await fetch(photo.url)).status).toBe(200);
  await w.client.users.deleteUser({ params: { user_id: user.id } });
  await waitUntil(async () => (await keysIn()).length === before.length);
  expect(await keysIn()).toEqual(before);
  expect((await fetch(photo.url)).status).toBe(404);
});

test("an upload is refused with 503 while the storage fails, nothing is acknowledged, and messages are not affected", async () => {
  const { url } = (await (await upload("before")).json()) as File;
  const before = await keysIn();
  for (const fault of ["reset", { status: 503 }, { status: 507 }, { status: 403, code: "AccessDenied" }] as const) {
    proxy.always(fault);
    const reply = await upload("during");
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await reply.json()).toMatchObject({ status: "SERVICE_UNAVAILABLE" });
    expect((await fetch(url)).status).toBe(503);
    expect((await w.raw("GET", "/v2/roles")).status).toBe(200);
  }
  expect(await keysIn()).toEqual(before);
  expect(w.logLines.join("\n")).toContain("The object storage refused PUT in s3://parley/unit/");
  expect(w.logLines.join("\n")).toContain("Free space in the storage");
  proxy.always("pass");
  expect(await (await fetch(url)).text()).toBe("before");
  expect((await upload("after")).status).toBe(201);
});

test("a download that breaks between service and storage arrives complete", async () => {
  const content = randomBytes(2_000_000);
  const { url } = (await (await upload(content)).json()) as File;
  proxy.next("half reply", "stalled reply");
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(content)).toBe(true);
});

test("the service starts while the storage is away, says so, and takes uploads when it is back", async () => {
  proxy.always("reset");
  const second = await serviceHarness({ database: w.database, config: { objects: { place } } });
  expect(second.logLines.join("\n")).toContain("Uploads and downloads fail until the storage answers");
  expect((await second.raw("GET", "/v2/roles")).status).toBe(200);
  expect((await upload("x", second)).status).toBe(503);
  proxy.always("pass");
  expect((await upload("x", second)).status).toBe(201);
  await second.close();
});

test("the service does not start with a wrong key, and says what to do", async () => {
  const wrong = { ...place, keyId: "other" };
  await expect(serviceHarness({ database: w.database, config: { objects: { place: wrong } } })).rejects.toMatchObject({
    name: "UsageFailure",
    message: expect.stringContaining("Check PARLEY_S3_KEY_ID") as unknown,
  });
});
