import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { PACKAGE_BYTES_MAX, PACKAGE_ENTRIES_MAX, UNPACKED_BYTES_MAX } from "@parley/contract";
import { readArchive } from "../../src/package/archive/archive-reader.ts";
import { buildZip, descriptor, littleEndian, type ZipPart } from "../support/zip-builder.ts";

const FILE: ZipPart = { name: "app/a.txt", content: "hello" };

/** Reads a file with python3, the zip program of another party. */
const readByPython = async (zip: Buffer): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-zip-"));
  await writeFile(join(folder, "a.zip"), zip);
  const program = `import zipfile
print([(i.filename, zipfile.ZipFile("a.zip").read(i)) for i in zipfile.ZipFile("a.zip").infolist()])`;
  const { stdout, stderr, error } = spawnSync("python3", ["-c", program], { cwd: folder, encoding: "utf8" });
  await rm(folder, { recursive: true });
  if (error) throw error;
  return stdout === "" ? (stderr.trim().split("\n").at(-1) ?? "") : stdout.trim();
};

describe("an archive is read if it has", () => {
  test.each<[string, Buffer, readonly string[]]>([
    ["compressed and stored files", buildZip([FILE, { name: "b", content: "b", method: 0 }]), ["app/a.txt", "b"]],
    ["entries that begin with ./", buildZip([{ ...FILE, name: "./app/a.txt" }]), ["app/a.txt"]],
    [
      "folders",
      buildZip([{ name: "app/", attributes: ((0o040755 << 16) >>> 0) | 0x10, method: 0 }, FILE]),
      ["app/a.txt"],
    ],
    ["attributes of DOS", buildZip([{ ...FILE, madeBy: 20, attributes: 0x20 }]), ["app/a.txt"]],
    ["a comment", buildZip([FILE], { comment: "made by a program" }), ["app/a.txt"]],
    ["a name outside of ASCII", buildZip([{ ...FILE, name: "app/größe.txt" }]), ["app/größe.txt"]],
    [
      "a data descriptor with a signature",
      buildZip([
        { ...FILE, flags: 8, local: { crc: 0, size: 0, compressedSize: 0 }, after: descriptor("hello") },
        { name: "b", content: "b" },
      ]),
      ["app/a.txt", "b"],
    ],
    [
      "a data descriptor without a signature",
      buildZip([
        { ...FILE, flags: 8, local: { crc: 0, size: 0, compressedSize: 0 }, after: descriptor("hello", false) },
      ]),
      ["app/a.txt"],
    ],
    ["an empty file", buildZip([{ name: "empty" }]), ["empty"]],
    ["no entry", buildZip([]), []],
  ])("%s", async (_what, zip, paths) => {
    const files = await readArchive(zip);
    expect(files.map(({ path }) => path)).toEqual(paths);
    for (const { path, bytes } of files.filter(({ path }) => path.startsWith("app/")))
      expect([path, Buffer.from(bytes).toString()]).toEqual([path, "hello"]);
  });
});

const named = (...names: readonly (string | Buffer)[]): Buffer =>
  buildZip(names.map((name) => ({ name, content: "x" })));

const typed = (type: number, madeBy: number): Buffer =>
  buildZip([
    { name: "app/link", content: "/etc/passwd", madeBy: (madeBy << 8) | 20, attributes: ((type | 0o777) << 16) >>> 0 },
  ]);

const zip64Field = littleEndian([2, 1], [2, 16], [6, 5], [2, 0], [6, 5], [2, 0]);
const unicodePath = (name: string): Buffer =>
  Buffer.concat([
    littleEndian([2, 0x7075], [2, 5 + name.length], [1, 1], [4, crc32(Buffer.from("app/a.txt"))]),
    Buffer.from(name),
  ]);
const valid = buildZip([FILE]);
const [one, other] = [
  { name: "app/one", content: "one" },
  { name: "app/two", content: "two" },
] as const;

describe("an archive is refused for", () => {
  test.each<[string, Buffer, RegExp]>([
    ["encryption", buildZip([{ ...FILE, flags: 1 }]), /is encrypted/],
    ["strong encryption", buildZip([{ ...FILE, flags: 0x41 }]), /is encrypted/],
    ["an encrypted directory", buildZip([{ ...FILE, flags: 0x2000 }]), /is encrypted/],
    ["AES encryption", buildZip([{ ...FILE, extra: littleEndian([2, 0x9901], [2, 1], [1, 0]) }]), /is encrypted/],
    ...[1, 9, 12, 14, 93, 95, 99].map((method): [string, Buffer, RegExp] => [
      `the compression method ${method}`,
      buildZip([{ ...FILE, method }]),
      new RegExp(`compression method ${method}`),
    ]),
    ["a wrong checksum", buildZip([{ ...FILE, crc: 1 }]), /checksum is wrong/],
    ["a damaged stream", buildZip([{ ...FILE, data: Buffer.from("no deflate") }]), /damaged/],
    ["a truncated stream", buildZip([{ ...FILE, data: deflateRawSync("hello").subarray(0, 4) }]), /damaged/],
    [
      "bytes after a stream",
      buildZip([{ ...FILE, data: Buffer.concat([deflateRawSync("hello"), Buffer.from("x")]) }]),
      /belong to no file/,
    ],
    ["a declared size that is too small", buildZip([{ ...FILE, size: 4 }]), /larger than the archive's list/],
    ["a declared size of zero", buildZip([{ ...FILE, size: 0 }]), /larger than the archive's list|differs/],
    ["a declared size that is too large", buildZip([{ ...FILE, size: 6 }]), /differs from the archive's list/],
    ["a stored file with two sizes", buildZip([{ ...FILE, method: 0, size: 4 }]), /damaged/],
    ["bytes before the first entry", buildZip([FILE], { before: Buffer.from("#!/bin/sh\n") }), /damaged/],
    ["bytes after the end", Buffer.concat([valid, Buffer.from("x")]), /damaged/],
    ["a second archive after the end", Buffer.concat([valid, named("app/b")]), /damaged/],
    ["bytes between entries", buildZip([{ ...FILE, after: Buffer.from("x") }, one]), /damaged/],
    [
      "an entry that the directory does not list",
      buildZip([{ ...FILE, after: named("app/hidden").subarray(0, 43) }, one]),
      /damaged/,
    ],
    ["bytes after the directory", buildZip([FILE], { beforeEnd: Buffer.from("x") }), /damaged/],
    ["a count that is too small", buildZip([FILE, one], { count: 1 }), /damaged/],
    ["a count that is too large", buildZip([FILE], { count: 2 }), /damaged/],
    ["a directory size that is wrong", buildZip([FILE], { directorySize: 1 }), /damaged/],
    ["a directory beyond the end", buildZip([FILE], { directoryOffset: 1_000_000 }), /damaged/],
    ["an entry on another disk", buildZip([{ ...FILE, disk: 1 }]), /damaged/],
    [
      "another name in the local header",
      buildZip([{ ...FILE, local: { name: "app/b.txt" } }]),
      /differs from the archive's list/,
    ],
    [
      "another checksum in the local header",
      buildZip([{ ...FILE, local: { crc: 1 } }]),
      /differs from the archive's list/,
    ],
    [
      "another size in the local header",
      buildZip([{ ...FILE, local: { size: 1 } }]),
      /differs from the archive's list/,
    ],
    ["another compressed size in the local header", buildZip([{ ...FILE, local: { compressedSize: 1 } }]), /differs/],
    [
      "another method in the local header",
      buildZip([{ ...FILE, local: { method: 0 } }]),
      /differs from the archive's list/,
    ],
    ["encryption in the local header", buildZip([{ ...FILE, local: { flags: 1 } }]), /differs from the archive's list/],
    ["a data descriptor that differs", buildZip([{ ...FILE, flags: 8, after: descriptor("other") }]), /damaged/],
    ["a missing data descriptor", buildZip([{ ...FILE, flags: 8 }]), /damaged/],
    [
      "two entries with one local header",
      buildZip([one, { ...one, name: "app/one", offset: 0 }]),
      /damaged|shares|twice/,
    ],
    [
      "entries that share their data",
      buildZip([{ ...other, compressedSize: 60, size: 60, method: 0 }, one]),
      /shares its bytes|differs/,
    ],
    [
      "a local header inside the data of another entry",
      buildZip([FILE, { ...one, offset: 20 }]),
      /shares its bytes|damaged/,
    ],
    ["a local header beyond the end", buildZip([FILE, { ...one, offset: 1_000_000 }]), /damaged|shares/],
    ["zip64 sizes", buildZip([{ ...FILE, size: 0xffff_ffff, extra: zip64Field }]), /zip64/],
    ["zip64 sizes without their field", buildZip([{ ...FILE, size: 0xffff_ffff }]), /zip64/],
    ["zip64 sizes in the local header", buildZip([{ ...FILE, local: { extra: zip64Field } }]), /zip64/],
    [
      "a zip64 end record",
      buildZip([FILE], { beforeEnd: Buffer.concat([littleEndian([4, 0x07064b50]), Buffer.alloc(16)]) }),
      /zip64/,
    ],
    [
      "a second name in an extra field",
      buildZip([{ ...FILE, extra: unicodePath("app/b.txt") }]),
      /two different names/,
    ],
    ["an extra field that ends early", buildZip([{ ...FILE, extra: littleEndian([2, 7], [2, 9]) }]), /damaged/],
    ["a folder with contents", buildZip([{ name: "app/", content: "x", attributes: 0 }]), /folder with contents/],
  ])("%s", async (_what, zip, reason) => {
    await expect(readArchive(zip)).rejects.toThrow(reason);
  });

  test.each([0, 1, 21, 22, 60])("the first %i bytes of an archive", async (bytes) => {
    await expect(readArchive(valid.subarray(0, bytes))).rejects.toThrow(/damaged/);
  });
});

test("an archive that was changed in one byte is refused or has the same files", async () => {
  const original = buildZip([
    FILE,
    { ...one, flags: 8, after: descriptor("one") },
    { name: "app/d/", attributes: 0, method: 0 },
  ]);
  const files = JSON.stringify(await readArchive(original));
  let refused = 0;
  for (let at = 0; at < original.length; at += 1)
    for (const bit of [1, 128]) {
      const changed = Buffer.from(original);
      changed[at] = (changed[at] ?? 0) ^ bit;
      const result = await readArchive(changed).then(JSON.stringify, (error: Error) => error);
      if (typeof result === "string") expect(result).toBe(files);
      else expect(result).toMatchObject({ name: "PackageRefused" });
      refused += typeof result === "string" ? 0 : 1;
    }
  expect(refused).toBeGreaterThan(original.length);
});

describe("the limits of an archive:", () => {
  test(`${PACKAGE_ENTRIES_MAX} entries are read, and one more is refused`, async () => {
    const entries = Array.from({ length: PACKAGE_ENTRIES_MAX + 1 }, (_, index) => ({ name: `app/${index}` }));
    expect(await readArchive(buildZip(entries.slice(1)))).toHaveLength(PACKAGE_ENTRIES_MAX);
    await expect(readArchive(buildZip(entries))).rejects.toMatchObject({ isTooLarge: true });
  });

  test("10,000 entries are refused before they are read", async () => {
    const zip = buildZip(Array.from({ length: 10_000 }, (_, index) => ({ name: `app/${index}`, method: 0 })));
    await expect(readArchive(zip)).rejects.toThrow(/more than 2000 files and folders/);
  });

  test("an archive above the limit of its size is refused", async () => {
    await expect(readArchive(Buffer.alloc(PACKAGE_BYTES_MAX + 1))).rejects.toMatchObject({ isTooLarge: true });
    await expect(readArchive(Buffer.alloc(PACKAGE_BYTES_MAX))).rejects.toThrow(/not a zip file/);
  });

  test("files above the limit of their size together are refused by their declared sizes", async () => {
    const half = { content: Buffer.alloc(UNPACKED_BYTES_MAX / 2) };
    const zip = buildZip([
      { name: "a", ...half },
      { name: "b", ...half },
      { name: "c", content: "x" },
    ]);
    await expect(readArchive(zip)).rejects.toMatchObject({ isTooLarge: true });
  });
});

test("a bomb that declares a small size is not inflated beyond it", async () => {
  const content = Buffer.alloc(1024 * 1024 * 1024);
  const data = deflateRawSync(content);
  const bomb = buildZip([{ name: "app/bomb", data, size: 1_000, crc: 0 }]);
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 1);
  await expect(readArchive(bomb)).rejects.toThrow(/larger than the archive's list/);
  clearInterval(timer);
  most = Math.max(most, process.memoryUsage().rss);
  expect(most - before).toBeLessThan(64 * 1024 * 1024);
  expect(content.length).toBeGreaterThan(2 * UNPACKED_BYTES_MAX);
});

describe("archives that another zip program reads as two things are refused:", () => {
  test("a local header with another name", async () => {
    const zip = buildZip([{ ...FILE, local: { name: "app/b.txt" } }]);
    expect(await readByPython(zip)).toMatch(/differ/);
    await expect(readArchive(zip)).rejects.toThrow(/differs/);
  });

  test("two files of one name, of which python3 reads both", async () => {
    const zip = named("app/a", "app/a");
    expect(await readByPython(zip)).toBe("[('app/a', b'x'), ('app/a', b'x')]");
    await expect(readArchive(zip)).rejects.toThrow(/twice/);
  });

  test("a symbolic link and leading data, which python3 reads", async () => {
    expect(await readByPython(typed(0o120000, 3))).toBe("[('app/link', b'/etc/passwd')]");
    const leading = Buffer.concat([Buffer.from("#!/bin/sh\n"), valid]);
    expect(await readByPython(leading)).toBe("[('app/a.txt', b'hello')]");
    await expect(readArchive(leading)).rejects.toThrow(/damaged/);
  });

  test("an archive that python3 wrote to a stream is read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-zip-"));
    const program = `import sys, zipfile
z = zipfile.ZipFile(sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED)
z.writestr("app/größe.txt", "hello " * 100)
z.writestr("manifest.json", "{}")
z.close()`;
    const { stdout } = spawnSync("python3", ["-c", program], { cwd: folder });
    await writeFile(join(folder, "b.zip"), stdout);
    const files = await readArchive(await readFile(join(folder, "b.zip")));
    expect(files.map(({ path }) => path)).toEqual(["app/größe.txt", "manifest.json"]);
    await rm(folder, { recursive: true });
  });
});
