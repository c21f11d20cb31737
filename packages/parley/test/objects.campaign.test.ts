import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { folderStore } from "@parley/service/objects";
import { startS3rver, type BucketServer } from "../../service/test/base/objects/bucket-fixture.ts";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** `parley serve` with a bucket and a previous folder, and the commands on the same instance. */
let server: BucketServer;
let serve: ServeHarness;
let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let previous: string;
let env: Record<string, string>;
const run = (args: readonly string[], more: Record<string, string | undefined> = {}) =>
  parley(args, { env: { ...env, PARLEY_DATA: serve.dataFolder, ...more } });
const json = async (args: readonly string[], more: Record<string, string | undefined> = {}) => {
  const { status, stdout, stderr } = await run([...args, "--json"], more);
  return { status, stderr, result: JSON.parse(stdout) as Record<string, unknown> };
};

async function* chunks(text: string) {
  yield Buffer.from(text);
}
const OLD = Array.from({ length: 5 }, (_, count) => `uploads/1/00000000-0000-7000-8000-00000000000${count}`);

beforeAll(async () => {
  temporary = await temporaryFolder("parley-objects-");
  previous = join(temporary.folder, "previous");
  await mkdir(previous);
  for (const key of OLD) await folderStore(previous).put(key, chunks(`old ${key}`));
  server = await startS3rver();
  const { endpoint, keyId, secret } = server.place;
  env = {
    PARLEY_OBJECTS: "s3://parley/chat",
    PARLEY_OBJECTS_PREVIOUS: previous,
    PARLEY_S3_ENDPOINT: endpoint,
    PARLEY_S3_KEY_ID: keyId,
    PARLEY_S3_SECRET: secret,
  };
  serve = await startServe(["--only", "service", "--workers", "2"], env);
}, 240_000);
afterAll(async () => {
  await serve.stop();
  await server.close();
  await temporary.remove();
});

const upload = async (content: string): Promise<string> => {
  const body = new FormData();
  body.set("file", new Blob([content], { type: "text/plain" }), "a.txt");
  const headers = { authorization: `Bearer ${serve.announced.token}` };
  const reply = await fetch(`${new URL(serve.announced.service).origin}/v2/files/upload`, {
    method: "POST",
    headers,
    body,
  });
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { url: string }).url;
};

test("parley serve puts uploads into the bucket while parley objects move copies the earlier uploads, and removes them on request", async () => {
  const url = await upload("new");
  expect(await (await fetch(url)).text()).toBe("new");
  const first = await json(["objects", "move"]);
  expect(first).toMatchObject({
    status: 0,
    result: { from: previous, to: "s3://parley/chat/", copied: 5, present: 0, different: [], vanished: 0, removed: 0 },
  });
  expect(await readdir(join(previous, "uploads/1"))).toHaveLength(5);
  const second = await json(["objects", "move", "--delete"]);
  expect(second).toMatchObject({ status: 0, result: { copied: 0, present: 5, removed: 5 } });
  expect(await readdir(join(previous, "uploads/1"))).toHaveLength(0);
  expect(await (await fetch(url)).text()).toBe("new");
});

test("parley objects move goes back to a folder, and names objects that have another content there", async () => {
  const folder = join(temporary.folder, "back");
  await mkdir(folder);
  await folderStore(folder).put(OLD[0] ?? "", chunks("another"));
  const back = { PARLEY_OBJECTS: folder, PARLEY_OBJECTS_PREVIOUS: "s3://parley/chat" };
  const { status, result, stderr } = await json(["objects", "move"], back);
  expect(status).toBe(1);
  expect(result).toMatchObject({ copied: 5, different: [OLD[0]] });
  expect(stderr).toContain(`1 objects have another content in ${folder}, which was kept: ${OLD[0]}.`);
  expect(await readFile(join(folder, OLD[1] ?? ""), "utf8")).toBe(`old ${OLD[1]}`);
});

test.each<[string, Record<string, string | undefined>, RegExp]>([
  ["no previous place", { PARLEY_OBJECTS_PREVIOUS: "" }, /PARLEY_OBJECTS_PREVIOUS is not set/],
  ["a folder that is missing", { PARLEY_OBJECTS_PREVIOUS: "/nowhere/objects" }, /\/nowhere\/objects is not a folder/],
  ["the same place", { PARLEY_OBJECTS_PREVIOUS: "s3://parley/chat/" }, /name the same place/],
  ["a wrong key", { PARLEY_S3_KEY_ID: "other" }, /InvalidAccessKeyId.*Check PARLEY_S3_KEY_ID/],
  ["a storage that is away", { PARLEY_S3_ENDPOINT: "http://127.0.0.1:1" }, /ECONNREFUSED.*Check that it runs/],
])("parley objects move with %s fails with a next step", async (_, more, message) => {
  const { status, stdout, stderr } = await run(["objects", "move"], more);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("parley doctor tries the bucket, and names the problem", async () => {
  const uploads = async (more = {}) => {
    const { result } = await json(["doctor"], more);
    return (result as { checks: { name: string; level: string; message: string; next?: string }[] }).checks.find(
      ({ name }) => name === "Uploads",
    );
  };
  expect(await uploads()).toEqual({
    name: "Uploads",
    level: "ok",
    message: "An object was written to s3://parley/chat/, read and removed.",
  });
  expect(await uploads({ PARLEY_S3_KEY_ID: "other" })).toMatchObject({ level: "fail" });
  expect(await uploads({ PARLEY_S3_ENDPOINT: "http://127.0.0.1:1" })).toMatchObject({ level: "fail" });
  expect(await uploads({ PARLEY_OBJECTS: "gs://x" })).toMatchObject({ level: "fail" });
});

test("parley backup includes the objects of the bucket, or leaves them out on request", async () => {
  const folder = join(temporary.folder, "backup");
  const { status, result } = await json(["backup", folder]);
  expect([status, result["objects"]]).toEqual([0, 6]);
  expect(await readFile(join(folder, "objects", OLD[2] ?? ""), "utf8")).toBe(`old ${OLD[2]}`);
  const without = join(temporary.folder, "without");
  const left = await json(["backup", without, "--no-objects"]);
  expect(left.result["objects"]).toBe(0);
  expect(left.stderr).toContain("Uploads and reports were left out.");
  expect(JSON.parse(await readFile(join(without, "backup.json"), "utf8"))).toMatchObject({ is_without_objects: true });
  const restored = { PARLEY_DATA: join(temporary.folder, "restored"), PARLEY_OBJECTS: "s3://parley/restored" };
  const back = await json(["restore", folder], { ...restored, PARLEY_OBJECTS_PREVIOUS: "" });
  expect([back.status, back.result["objects"]]).toEqual([0, 6]);
});

test("parley start keeps uploads in a folder, and says so", async () => {
  const { status, stderr } = await run(["start"], { PARLEY_DATA: join(temporary.folder, "local") });
  expect(status).toBe(1);
  expect(stderr).toContain("keeps uploads in one folder");
});
