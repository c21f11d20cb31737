import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "@jest/globals";
import type { Environment } from "@parley/contract";
import { objectsConfig } from "../../../src/base/objects/config.ts";

const KEY: Environment = { PARLEY_S3_KEY_ID: "id", PARLEY_S3_SECRET: "hidden-secret" };
const BUCKET = {
  kind: "bucket",
  bucket: "chat.example",
  prefix: "",
  endpoint: "https://s3.us-east-1.amazonaws.com",
  region: "us-east-1",
  keyId: "id",
  secret: "hidden-secret",
  isPathStyle: false,
};

test.each<[string, Environment, object]>([
  ["nothing", {}, { place: undefined, previous: undefined, isSwept: true }],
  ["a folder", { PARLEY_OBJECTS: "files" }, { place: { kind: "folder", folder: resolve("files") } }],
  ["the sweep turned off", { PARLEY_OBJECTS_SWEEP: "off" }, { isSwept: false }],
  ["a bucket of Amazon S3", { ...KEY, PARLEY_OBJECTS: "s3://chat.example" }, { place: BUCKET }],
  [
    "a region",
    { ...KEY, PARLEY_OBJECTS: "s3://chat.example/", PARLEY_S3_REGION: "eu-central-1" },
    { place: { ...BUCKET, region: "eu-central-1", endpoint: "https://s3.eu-central-1.amazonaws.com" } },
  ],
  [
    "a prefix and another storage, with the bucket in the path",
    { ...KEY, PARLEY_OBJECTS: "s3://chat.example/a/b/", PARLEY_S3_ENDPOINT: "http://10.0.0.9:9000/" },
    { place: { ...BUCKET, prefix: "a/b/", endpoint: "http://10.0.0.9:9000", isPathStyle: true } },
  ],
  [
    "another storage with the bucket in the host name",
    {
      ...KEY,
      PARLEY_OBJECTS: "s3://chat.example",
      PARLEY_S3_ENDPOINT: "https://s3.example.com",
      PARLEY_S3_PATH_STYLE: "off",
    },
    { place: { ...BUCKET, endpoint: "https://s3.example.com" } },
  ],
  [
    "a previous place",
    { ...KEY, PARLEY_OBJECTS: "s3://chat.example", PARLEY_OBJECTS_PREVIOUS: "/old" },
    { place: BUCKET, previous: { kind: "folder", folder: "/old" } },
  ],
])("the settings of objects are read: %s", (_, env, expected) => {
  expect(objectsConfig(env)).toMatchObject(expected);
});

test.each<[string, Environment, RegExp]>([
  ["another scheme", { PARLEY_OBJECTS: "gs://bucket" }, /^PARLEY_OBJECTS must be a folder or s3:/],
  ["a bucket that is none", { ...KEY, PARLEY_OBJECTS: "s3://A_b/x" }, /^PARLEY_OBJECTS must be a folder, or s3:/],
  ["an address as a bucket", { ...KEY, PARLEY_OBJECTS: "s3://10.0.0.1" }, /^PARLEY_OBJECTS must be/],
  ["a prefix that leads out", { ...KEY, PARLEY_OBJECTS: "s3://bucket/../x" }, /^PARLEY_OBJECTS must be/],
  ["no key", { PARLEY_OBJECTS: "s3://bucket" }, /^PARLEY_S3_KEY_ID must be the id of an access key/],
  ["no secret", { PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_KEY_ID: "id" }, /^PARLEY_S3_SECRET must be .*_FILE/],
  [
    "an endpoint with a password",
    { ...KEY, PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_ENDPOINT: "https://u:hidden-secret@s3.example.com" },
    /^PARLEY_S3_ENDPOINT must be/,
  ],
  [
    "an endpoint that is none",
    { ...KEY, PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_ENDPOINT: "s3" },
    /^PARLEY_S3_ENDPOINT/,
  ],
  [
    "a style that is none",
    { ...KEY, PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_PATH_STYLE: "yes" },
    /^PARLEY_S3_PATH_STYLE/,
  ],
  ["a sweep that is none", { PARLEY_OBJECTS_SWEEP: "no" }, /^PARLEY_OBJECTS_SWEEP must be on or off/],
  [
    "a secret and a file",
    { ...KEY, PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_SECRET_FILE: "/etc/hosts" },
    /^PARLEY_S3_SECRET and PARLEY_S3_SECRET_FILE are both set/,
  ],
  [
    "a file that is missing",
    { PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_KEY_ID: "id", PARLEY_S3_SECRET_FILE: "/nowhere/file" },
    /PARLEY_S3_SECRET_FILE can't be read \(ENOENT\)/,
  ],
  [
    "the same place twice",
    { ...KEY, PARLEY_OBJECTS: "s3://bucket/x", PARLEY_OBJECTS_PREVIOUS: "s3://bucket/x/" },
    /name the same place/,
  ],
])("a wrong setting of objects is refused with the variable, without the secret: %s", (_, env, message) => {
  let text = "";
  try {
    objectsConfig(env);
  } catch (error) {
    expect((error as Error).name).toBe("UsageFailure");
    text = (error as Error).message;
  }
  expect(text).toMatch(message);
  expect(text).not.toContain("hidden-secret");
});

test("the secret is read from a file, without the line's end", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-secret-"));
  const file = join(folder, "secret");
  await writeFile(file, "from-file\n");
  const env = { PARLEY_OBJECTS: "s3://bucket", PARLEY_S3_KEY_ID: "id", PARLEY_S3_SECRET_FILE: file };
  expect(objectsConfig(env).place).toMatchObject({ secret: "from-file" });
  await writeFile(file, "\n");
  expect(() => objectsConfig(env)).toThrow("is empty");
  await rm(folder, { recursive: true });
});
