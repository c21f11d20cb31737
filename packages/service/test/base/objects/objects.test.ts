import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { createFolder, folderStore } from "../../../src/base/objects/folder-store.ts";
import { createAddressSigner, type ObjectHead } from "../../../src/base/objects/signed-addresses.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

let time = Date.parse("2026-05-05T05:05:05.500Z");
const now = () => new Date(time);
let w: ServiceHarness;
let sign: (lead?: Partial<ObjectHead>) => string;

const LEAD: ObjectHead = { key: "uploads/1/a-b.zip", contentType: "application/zip", fileName: "a b.zip", seconds: 60 };
const CONTENT = "0123456789";
const store = () => folderStore(w.objectsFolder);

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

const FIND = statement("", "select secret from signing_keys where name = 'objects'");

beforeAll(async () => {
  w = await serviceHarness({ ports: { now } });
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const { secret } = (await pool.one<{ secret: Buffer }>(FIND, [])) as { secret: Buffer };
  await pool.end();
  const addresses = createAddressSigner({ secret, now });
  sign = (lead) => addresses.sign({ ...LEAD, ...lead }, w.url);
  await store().put(LEAD.key, chunks("01234", "56789"));
});
afterAll(() => w.close());

const problemOf = async (reply: Response) => ({ status: reply.status, body: (await reply.json()) as unknown });
const REFUSED = {
  code: 403,
  status: "FORBIDDEN",
  message: expect.stringContaining("expired or was altered") as unknown,
};

describe("a folder of objects", () => {
  test("stores an object with its size and hash, unreadable for other users", async () => {
    expect(await store().put("a/b/c", chunks("ab", "c"))).toEqual({
      bytes: 3,
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    });
    expect(await store().size("a/b/c")).toBe(3);
    expect((await stat(join(w.objectsFolder, "a/b/c"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(w.objectsFolder, "a/b"))).mode & 0o777).toBe(0o700);
  });

  test("discards incomplete content, and keeps the previous object", async () => {
    async function* broken() {
      yield Buffer.from("new");
      throw new Error("cut off");
    }
    await expect(store().put("a/broken", broken())).rejects.toThrow("cut off");
    expect(await store().size("a/broken")).toBeUndefined();
    await store().put("a/kept", chunks("old"));
    await expect(store().put("a/kept", broken())).rejects.toThrow("cut off");
    expect(await store().size("a/kept")).toBe(3);
    expect((await readdir(w.objectsFolder)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("that can't be used is named by an error with the variable to set", async () => {
    await store().put("a/file", chunks("x"));
    const folder = join(w.objectsFolder, "a/file/folder");
    await expect(createFolder(folder)).rejects.toMatchObject({
      name: "UsageFailure",
      message: `The folder of uploads ${folder} can't be written (ENOTDIR). Set PARLEY_OBJECTS to a folder that you may write.`,
    });
  });

  test("removes objects, and ignores missing ones", async () => {
    await store().put("a/gone", chunks("x"));
    await store().remove("a/gone");
    await store().remove("a/gone");
    expect(await store().read("a/gone")).toBeUndefined();
  });

  test.each([
    "",
    "/a",
    "a/",
    "a//b",
    "../a",
    "a/../b",
    "a/..",
    ".a",
    "a/.b",
    "a\\b",
    "a\0",
    "a b",
    "ä",
    "x".repeat(600),
  ])("refuses the key %j", async (key) => {
    await expect(store().put(key, chunks("x"))).rejects.toThrow("is not a key");
    await expect(store().read(key)).rejects.toThrow("is not a key");
    expect(() => sign({ key })).toThrow("is not a key");
  });
});

describe("GET /objects/{key}", () => {
  test("returns the content to anyone with the signed URL", async () => {
    const reply = await fetch(sign());
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe(CONTENT);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "application/zip",
      "content-length": "10",
      "content-disposition": `attachment; filename="a b.zip"; filename*=UTF-8''a%20b.zip`,
      "cache-control": "private, max-age=60, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  test("has the same headers for HEAD, without content", async () => {
    const [head, get] = await Promise.all([fetch(sign(), { method: "HEAD" }), fetch(sign())]);
    expect(await head.text()).toBe("");
    for (const name of ["content-type", "content-length", "content-disposition", "cache-control"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });

  test.each([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, CONTENT, "bytes 0-9/10"],
    ["bytes=5-99", 206, "56789", "bytes 5-9/10"],
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=-", 200, CONTENT, null],
    ["bytes=-0", 200, CONTENT, null],
    ["bytes=10-", 200, CONTENT, null],
    ["bytes=4-2", 200, CONTENT, null],
    ["bytes=0-1,3-4", 200, CONTENT, null],
    ["lines=0-1", 200, CONTENT, null],
  ])("answers Range: %s with %i", async (range, status, text, contentRange) => {
    const reply = await fetch(sign(), { headers: { range } });
    expect([reply.status, await reply.text(), reply.headers.get("content-range")]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  test("is refused with 403 from the second at which it expires", async () => {
    const url = sign({ seconds: 60 });
    const before = time;
    try {
      time = before + 59_000;
      expect((await fetch(url)).status).toBe(200);
      time = before + 60_000;
      expect(await problemOf(await fetch(url))).toEqual({ status: 403, body: REFUSED });
    } finally {
      time = before;
    }
  });

  const change = (name: string, value: (old: string) => string) => (url: URL) =>
    url.searchParams.set(name, value(url.searchParams.get(name) ?? ""));
  const alterations: [string, (url: URL) => void][] = [
    ["another key", (url) => void (url.pathname = "/objects/a/b/c")],
    ["a key that leads out", (url) => void (url.pathname = "/objects/%2e%2e%2fsecret")],
    ["a later expiry", change("expires", (old) => String(Number(old) + 1))],
    ["an expiry of another spelling", change("expires", (old) => `0${old}`)],
    ["an expiry that is not a number", change("expires", () => "Infinity")],
    ["another type", change("type", () => "text/html")],
    ["another name", change("name", () => "other.zip")],
    ["no name", (url) => url.searchParams.delete("name")],
    ["an empty signature", change("signature", () => "")],
    ["no signature", (url) => url.searchParams.delete("signature")],
    ["another signature", change("signature", (old) => (old.startsWith("A") ? "B" : "A") + old.slice(1))],
    ["a signature that goes on", change("signature", (old) => `${old}A`)],
    ["a signature in other letters", change("signature", (old) => `${old}=`)],
    ["two signatures", (url) => url.searchParams.append("signature", "x")],
    ["a NUL", change("name", () => "\0")],
  ];
  test.each(alterations)("is refused with 403 with %s", async (_, alter) => {
    const url = new URL(sign());
    alter(url);
    const { status, text } = await plainRequest(w.url, { path: url.pathname + url.search });
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({ status: 403, body: REFUSED });
  });

  test("answers 404 for a removed object and 405 for another method, without reading a token or counting", async () => {
    expect(await problemOf(await fetch(sign({ key: "a/never" })))).toMatchObject({
      status: 404,
      body: { status: "NOT_FOUND" },
    });
    const post = await fetch(sign(), { method: "POST" });
    expect(post.headers.get("allow")).toBe("GET, HEAD");
    expect(await problemOf(post)).toMatchObject({ status: 405, body: { status: "METHOD_NOT_ALLOWED" } });
    const left = async () => Number((await w.raw("GET", "/v2/roles")).headers.get("x-ratelimit-remaining"));
    const before = await left();
    for (let count = 0; count < 3; count += 1) await fetch(sign(), { headers: { authorization: "Bearer nonsense" } });
    expect(before - (await left())).toBe(1);
  });

  test.each([
    ["a name of any letters", { fileName: 'Prüf"ung\r\nX: y/../ €.zip' }],
    ["a name with half a letter", { fileName: "\ud800.zip" }],
    ["a type that is none", { contentType: "text/html\r\nX-Bad: 1" }],
    ["a page", { contentType: "text/html" }],
    ["an image with a name", { contentType: "image/png" }],
  ])("with the name %s is served with one header each, as a download", async (_, lead) => {
    const reply = await fetch(sign(lead));
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-disposition")).toMatch(
      /^attachment; filename="[ \w.,()+-]*"; filename\*=UTF-8''[\w%.!~-]+$/,
    );
    expect(reply.headers.get("x-bad")).toBeNull();
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("shows an image without a name inline", async () => {
    const { fileName: _, ...nameless } = LEAD;
    const secretless = new URL(sign({ ...nameless, contentType: "image/png", fileName: "" }));
    expect((await fetch(secretless)).headers.get("content-disposition")).toBe("inline");
  });
});
