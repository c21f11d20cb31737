import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PACKAGE_BYTES_MAX } from "@parley/contract";
import { zipSync, unzipSync } from "fflate";
import { buildZip } from "../support/zip-builder.ts";
import { ADMIN_KEY, publishingFixture, type PublishingFixture } from "./publishing-fixture.ts";

let fixture: PublishingFixture;
let archive: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  fixture = await publishingFixture();
  archive = await fixture.archive();
});
afterAll(() => fixture.close());

/** Counts of what is stored: a refused request changes none of them. */
const stored = async () =>
  Promise.all(
    (["apps", "app_versions", "change_reports"] as const).map(async (name) => (await fixture.rowsOf(name)).length),
  );

const withoutReport = ({ "./.report.json": _report, ...files }: Readonly<Record<string, Uint8Array>>) => files;
/** A package with more files, as another tool packs it: without the digest of all files. */
const withFiles = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    zipSync({
      ...withoutReport(unzipSync(archive)),
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)])),
    }),
  );

const REFUSED: readonly (readonly [
  string,
  () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
  string,
  RegExp,
])[] = [
  ["a body that is not an archive", () => new TextEncoder().encode("no archive"), "?name=a", /not a zip file/],
  ["an archive without a manifest", () => new Uint8Array(buildZip([{ name: "a" }])), "?name=a", /no manifest\.json/],
  ["a path out of the folder", () => withFiles({ "../evil.js": "" }), "?name=a", /outside the app's folder/],
  ["a package without a name", () => archive, "", /Name the app with the parameter 'name'/],
  ["an invalid name", () => archive, "?name=My_App", /such as my-app/],
  ["a name with two hyphens in a row", () => archive, "?name=a--b", /such as a-b/],
  ["a name that is too long", () => archive, `?name=${"a".repeat(41)}`, /at most 40 characters/],
  ["the reserved name", () => archive, "?name=frame", /is reserved/],
  ["an empty name", () => archive, "?name=", /can't be named/],
  ["a name without letters", () => archive, "?name=%E2%82%AC", /Choose another name/],
  ["an invalid version", () => archive, "?name=a&version=1%2F2", /version "1\/2" is not valid/],
  ["package.json that is not JSON", () => withFiles({ "package.json": "{" }), "", /package\.json .* not valid JSON/],
  ["an invalid name in package.json", () => withFiles({ "package.json": '{"name":"A B"}' }), "", /such as a-b/],
];

describe("POST /platform/packages PACKAGE_REFUSED", () => {
  test.each(REFUSED)("POST /platform/packages PACKAGE_REFUSED for %s", async (_what, bytes, query, message) => {
    const before = await stored();
    expect(await fixture.upload(await bytes(), query)).toEqual({
      status: 422,
      body: { code: 422, status: "PACKAGE_REFUSED", message: expect.stringMatching(message) },
    });
    expect(await stored()).toEqual(before);
  });

  test("POST /platform/packages PACKAGE_REFUSED lists the errors of an app that validation finds, and leaves no folder", async () => {
    const manifest = JSON.stringify({
      "platform-version": "3.0",
      modules: { common: { events: { onAppInstall: { handler: "absent" } } } },
    });
    const md5 = createHash("md5").update(manifest).digest("hex");
    const zip = buildZip([
      { name: "manifest.json", content: manifest },
      { name: "config/iparams.json", content: "{}" },
      { name: "server/server.js", content: "exports = { other() {} };" },
      { name: "digest.md5", content: md5 },
    ]);
    const { status, body } = await fixture.upload(new Uint8Array(zip), "?name=invalid");
    expect({ status, token: body["status"] }).toEqual({ status: 422, token: "PACKAGE_REFUSED" });
    expect(body["message"]).toMatch(
      /^The app has 2 errors: manifest\.json:1:\d+: .*; manifest\.json:1:\d+: .*absent.*\.$/,
    );
    expect(await readdir(join(fixture.dataFolder, "app-packages"))).toEqual([]);
  });
});

const MINIMAL = { "platform-version": "3.0", modules: { chat_conversation: {} } };
/** Names that no check but that of their number refuses. */
const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name_${index}`, value]));

test.each<[string, string, unknown, RegExp]>([
  [
    "functions",
    "manifest.json",
    {
      "platform-version": "3.0",
      modules: { common: { functions: many(50_000, {}) }, chat_conversation: {} },
    },
    /manifest\.json: 'functions' has 50000 values: at most 5000 are possible/,
  ],
  ["templates", "config/requests.json", many(5_001, {}), /The file has 5001 values/],
  ["parameters", "config/iparams.json", many(5_001, {}), /The file has 5001 values/],
  ["values in all", "config/iparams.json", many(900, many(40, 1)), /The file has \d+ values: at most 20000/],
])("a package with too many %s is refused before they are checked", async (_what, file, value, message) => {
  const files: Record<string, unknown> = { "manifest.json": MINIMAL, "config/iparams.json": {}, [file]: value };
  const manifest = JSON.stringify(files["manifest.json"]);
  const zip = buildZip([
    ...Object.entries(files).map(([name, content]) => ({ name, content: JSON.stringify(content) })),
    { name: "digest.md5", content: createHash("md5").update(manifest).digest("hex") },
  ]);
  const { status, body } = await fixture.upload(new Uint8Array(zip), "?name=many");
  expect({ status, message: body["message"] }).toEqual({ status: 422, message: expect.stringMatching(message) });
});

describe("POST /platform/packages PACKAGE_TOO_LARGE", () => {
  test("POST /platform/packages PACKAGE_TOO_LARGE for a body above the limit", async () => {
    const body = new Uint8Array(PACKAGE_BYTES_MAX + 1);
    const { status, body: problem } = await fixture.upload(body, "?name=a");
    expect({ status, token: problem["status"] }).toEqual({ status: 413, token: "PACKAGE_TOO_LARGE" });
  });

  test("POST /platform/packages PACKAGE_TOO_LARGE for files above the limit, and for too many files", async () => {
    const large = buildZip([{ name: "a", content: Buffer.alloc(60 * 1024 * 1024) }]);
    const many = buildZip(Array.from({ length: 2_001 }, (_, index) => ({ name: `app/${index}` })));
    for (const zip of [large, many])
      expect(await fixture.upload(new Uint8Array(zip), "?name=a")).toMatchObject({
        status: 413,
        body: { status: "PACKAGE_TOO_LARGE" },
      });
  });
});

describe("a request is refused before it changes anything:", () => {
  test.each<[string, string, string, RequestInit, number, string]>([
    ["no key", "POST", "/platform/packages?name=a", { headers: { authorization: "" } }, 401, "UNAUTHENTICATED"],
    ["another key", "GET", "/platform/apps", { headers: { authorization: "Bearer other" } }, 401, "UNAUTHENTICATED"],
    [
      "a longer key",
      "GET",
      "/platform/apps",
      { headers: { authorization: `Bearer ${ADMIN_KEY}x` } },
      401,
      "UNAUTHENTICATED",
    ],
    [
      "another scheme",
      "GET",
      "/platform/apps",
      { headers: { authorization: `Basic ${ADMIN_KEY}` } },
      401,
      "UNAUTHENTICATED",
    ],
    [
      "an empty body",
      "POST",
      "/platform/packages?name=a",
      { headers: { "content-type": "application/zip" } },
      400,
      "MISSING_PARAMETER",
    ],
    ["no body", "POST", "/platform/packages?name=a", {}, 400, "MISSING_PARAMETER"],
    [
      "JSON in place of a package",
      "POST",
      "/platform/packages?name=a",
      { headers: { "content-type": "application/json" }, body: "{}" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "a body without a type",
      "POST",
      "/platform/packages?name=a",
      { headers: { "content-type": "" }, body: "PK" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "a form",
      "POST",
      "/platform/packages?name=a",
      { headers: { "content-type": "multipart/form-data; boundary=x" }, body: "--x--" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "an unknown parameter",
      "POST",
      "/platform/packages?name=a&account=acme",
      { headers: { "content-type": "application/zip" }, body: "PK" },
      400,
      "INVALID_VALUE",
    ],
    [
      "a parameter that occurs twice",
      "POST",
      "/platform/packages?name=a&name=b",
      { headers: { "content-type": "application/zip" }, body: "PK" },
      400,
      "INVALID_VALUE",
    ],
    [
      "empty accounts",
      "POST",
      "/platform/packages?name=a&accounts=",
      { headers: { "content-type": "application/zip" }, body: "PK" },
      400,
      "INVALID_VALUE",
    ],
    [
      "an empty account",
      "POST",
      "/platform/packages?name=a&accounts=acme,,globex",
      { headers: { "content-type": "application/zip" }, body: "PK" },
      400,
      "INVALID_VALUE",
    ],
    [
      "accounts that are not a list",
      "PUT",
      "/platform/apps/changed",
      { headers: { "content-type": "application/json" }, body: '{"accounts":"acme"}' },
      400,
      "INVALID_VALUE",
    ],
    [
      "a body without accounts",
      "PUT",
      "/platform/apps/changed",
      { headers: { "content-type": "application/json" }, body: "{}" },
      400,
      "MISSING_PARAMETER",
    ],
    [
      "no JSON",
      "PUT",
      "/platform/apps/changed",
      { headers: { "content-type": "application/json" }, body: "{" },
      400,
      "INVALID_JSON",
    ],
    [
      "text in place of JSON",
      "PUT",
      "/platform/apps/changed",
      { headers: { "content-type": "text/plain" }, body: "{}" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "a large JSON body",
      "PUT",
      "/platform/apps/changed",
      { headers: { "content-type": "application/json" }, body: " ".repeat(2 ** 20 + 1) },
      413,
      "PAYLOAD_TOO_LARGE",
    ],
  ])("%s: %s %s", async (_what, method, path, init, status, token) => {
    const before = await stored();
    const reply = await fixture.request(method, path, init);
    expect({ status: reply.status, token: reply.body["status"] }).toEqual({ status, token });
    expect(Object.keys(reply.body)).toEqual(["code", "status", "message"]);
    expect(await stored()).toEqual(before);
  });

  test("a large body without the key is refused before it is read", async () => {
    const { status } = await fixture.upload(new Uint8Array(PACKAGE_BYTES_MAX), "?name=a", {
      headers: { authorization: "Bearer other", "content-type": "application/zip" },
    });
    expect(status).toBe(401);
  });
});
