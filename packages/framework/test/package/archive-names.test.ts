import { createHash } from "node:crypto";
import { unpackPackage } from "../../src/package/pack/archive.ts";
import { describe, expect, test } from "@jest/globals";
import { readArchive } from "../../src/package/archive/archive-reader.ts";
import { buildZip, type ZipPart } from "../support/zip-builder.ts";

const FILE: ZipPart = { name: "app/a.txt", content: "hello" };

const named = (...names: readonly (string | Buffer)[]): Buffer =>
  buildZip(names.map((name) => ({ name, content: "x" })));

describe("an archive is refused for the name", () => {
  test.each<[string | Buffer, RegExp]>([
    ["../evil.js", /outside the app's folder/],
    ["app/../../evil.js", /outside the app's folder/],
    ["app/./evil.js", /outside the app's folder/],
    ["././evil.js", /outside the app's folder/],
    ["/etc/passwd", /outside the app's folder/],
    ["./", /special file/],
    ["", /outside the app's folder/],
    ["app//a.js", /outside the app's folder/],
    ["app\\..\\evil.js", /outside the app's folder/],
    ["C:/evil.js", /outside the app's folder/],
    ["C:evil.js", /outside the app's folder/],
    ["app/a.js:stream", /outside the app's folder/],
    ["app/.. /evil.js", /outside the app's folder/],
    ["app/a.js.", /outside the app's folder/],
    ["app/．．/evil.js", /outside the app's folder/],
    ["app／evil.js", /outside the app's folder/],
    [".npmrc", /hidden/],
    ["app/.git/config", /hidden/],
    ["app/.report.json", /hidden/],
    ["app/a\0.js", /control characters/],
    ["app/a\n.js", /control characters/],
    ["app/a\u001b[2J.js", /control characters/],
    ["app/a\u202ecod.js", /control characters/],
    [`${"a/".repeat(40)}b`, /too many folders/],
    ["app/%2e%2e/evil.js", /percent-encoded/],
    ["app/%2E%2E%2Fevil.js", /percent-encoded/],
    ["app/..%5cevil.js", /percent-encoded/],
    ["app/%252e%252e/evil.js", /percent-encoded/],
    ["app/a%00.js", /percent-encoded/],
    [Buffer.from("app/\xc0\xae\xc0\xae/evil.js", "latin1"), /not in UTF-8/],
  ])("%j", async (name, reason) => {
    await expect(readArchive(named(name))).rejects.toThrow(reason);
  });
});

test.each([
  ["a name of 256 bytes", `app/${"a".repeat(256)}`],
  ["a path of more than 1,024 bytes", `app/${"abcdefg/".repeat(200)}a`],
  ["a name of the maximum length", `app/${"a".repeat(65_000)}`],
])("an archive is refused for %s, with a short message", async (_what, name) => {
  const { message } = await readArchive(named(name)).then(
    () => new Error("read"),
    (error: Error) => error,
  );
  expect(message).toMatch(/too long/);
  expect(message.length).toBeLessThan(200);
});

describe("an archive is refused for two entries that overwrite each other:", () => {
  test.each<[string, readonly string[], RegExp]>([
    ["the same name", ["app/a", "app/a"], /occurs twice/],
    ["the same name with and without ./", ["app/a", "./app/a"], /occurs twice/],
    ["names that differ by case", ["app/a.js", "app/A.js"], /has the same name/],
    ["names that differ by a special case", ["app/straße", "app/STRASSE"], /has the same name/],
    ["names in two normal forms", ["app/\u00e9", "app/e\u0301"], /has the same name/],
    ["folders that differ by case", ["app/a.js", "App/b.js"], /has the same name/],
    ["a file that is also a folder", ["app/a", "app/a/b"], /a file and a folder/],
    ["a folder that is also a file", ["app/a/b", "app/A"], /a file and a folder/],
  ])("%s", async (_what, names, reason) => {
    await expect(readArchive(named(...names))).rejects.toThrow(reason);
  });

  test("a folder that occurs twice", async () => {
    const folder: ZipPart = { name: "app/", attributes: 0, method: 0 };
    await expect(readArchive(buildZip([folder, folder]))).rejects.toThrow(/occurs twice/);
  });
});

const typed = (type: number, madeBy: number): Buffer =>
  buildZip([
    { name: "app/link", content: "/etc/passwd", madeBy: (madeBy << 8) | 20, attributes: ((type | 0o777) << 16) >>> 0 },
  ]);

describe("an archive is refused for special files:", () => {
  test.each<[string, Buffer]>([
    ...[3, 19, 0].map((madeBy): [string, Buffer] => [
      `a symbolic link, made by system ${madeBy}`,
      typed(0o120000, madeBy),
    ]),
    ["a character device", typed(0o020000, 3)],
    ["a block device", typed(0o060000, 3)],
    ["a named pipe", typed(0o010000, 3)],
    ["a socket", typed(0o140000, 3)],
    ["a file that is a folder by its mode", typed(0o040000, 3)],
    ["a file that is a folder by its attributes", buildZip([{ ...FILE, madeBy: 20, attributes: 0x10 }])],
    ["a volume label", buildZip([{ ...FILE, madeBy: 20, attributes: 0x08 }])],
    ["a link of Windows", buildZip([{ ...FILE, madeBy: 10 << 8, attributes: 0x400 }])],
    [
      "a folder that is a link by its mode",
      buildZip([{ name: "app/", attributes: (0o120777 << 16) >>> 0, method: 0 }]),
    ],
  ])("%s", async (_what, zip) => {
    await expect(readArchive(zip)).rejects.toThrow(/a link or another special file/);
  });
});

test("a package without manifest.json or digest.md5, or one of whose digests differs, is refused", async () => {
  const manifest = { name: "manifest.json", content: "{}" };
  const reasons = await Promise.all(
    [
      [manifest],
      [{ name: "digest.md5", content: "x" }],
      [manifest, { name: "digest.md5", content: "x" }],
      [
        manifest,
        { name: ".report.json", content: '{"sha256":"x"}' },
        { name: "digest.md5", content: createHash("md5").update("{}").digest("hex") },
      ],
    ].map((parts) => unpackPackage(buildZip(parts)).then(String, (error: Error) => error.message)),
  );
  expect(reasons).toEqual([
    expect.stringMatching(/no manifest\.json or no digest\.md5/),
    expect.stringMatching(/no manifest\.json or no digest\.md5/),
    expect.stringMatching(/do not match digest\.md5/),
    expect.stringMatching(/do not match \.report\.json/),
  ]);
});
