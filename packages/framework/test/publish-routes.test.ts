import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { matchesSchema, PACKAGE_BYTES_MAX, PublishedApp, PublishedVersion } from "@parley/contract";
import { zipSync, unzipSync } from "fflate";
import { buildZip } from "./zip-builder.ts";
import { ADMIN_KEY, publishingFixture, type PublishingFixture } from "./publishing-fixture.ts";

let fixture: PublishingFixture;
let archive: Uint8Array<ArrayBuffer>;
let other: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  fixture = await publishingFixture();
  [archive, other] = await Promise.all([
    fixture.archive(),
    fixture.archive({ "README.md": "# Other\n\nAnother text.\n" }),
  ]);
});
afterAll(() => fixture.close());

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Counts of what is stored: a refused request changes none of them. */
const stored = async () =>
  Promise.all(
    (["apps", "app_versions", "change_reports"] as const).map(async (name) => (await fixture.rowsOf(name)).length),
  );

/** A package with more files; `digest.md5` does not cover them. */
const withFiles = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    zipSync({
      ...unzipSync(archive),
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)])),
    }),
  );

const reportsOf = async (app: string) =>
  (await fixture.rowsOf("change_reports"))
    .filter(({ body }) => (body as { app: string }).app === app)
    .map(({ account, body }) => ({ account, ...(body as object) }));

describe("POST /platform/packages 201", () => {
  test("POST /platform/packages 201 stores the first version of an app, its declaration and its entry of the audit log", async () => {
    const { status, body } = await fixture.upload(archive, "?name=first-app&version=1.0.0");
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        name: "first-app",
        version: "1.0.0",
        digest: sha256(archive),
        permissions: [],
        hosts: [],
        events: ["onAppInstall", "onMessageCreate"],
      },
    });
    expect(matchesSchema(PublishedVersion, body)).toBe(true);
    expect(await reportsOf("first-app")).toEqual([
      { account: null, action: "app.publish", app: "first-app", members: ["1.0.0"], address: "127.0.0.1" },
    ]);
    expect(await fixture.store.version("first-app", "1.0.0")).toMatchObject({ number: 1, digest: sha256(archive) });
  });

  test("POST /platform/packages 201 answers the existing version when the same package is sent again, and changes nothing", async () => {
    const first = await fixture.upload(archive, "?name=twice&version=1");
    const before = await stored();
    expect(await fixture.upload(archive, "?name=twice&version=1")).toEqual(first);
    expect(await fixture.upload(archive, "?name=twice")).toEqual(first);
    expect(await stored()).toEqual(before);
  });

  test("POST /platform/packages 201 counts versions that are not named", async () => {
    const versions: unknown[] = [];
    for (const [bytes, query] of [
      [archive, ""],
      [other, ""],
      [other, ""],
      [archive, "&version=4.1.0"],
      [other, ""],
    ] as const)
      versions.push((await fixture.upload(bytes, `?name=counted${query}`)).body["version"]);
    expect(versions).toEqual(["1", "2", "2", "4.1.0", "5"]);
  });

  test("POST /platform/packages 201 takes name, version and description from package.json, without the scope of the name", async () => {
    const info = { name: "@someone/scoped-app", version: "2.3.4-rc.1", description: "Says hello." };
    const zip = withFiles({ "package.json": JSON.stringify(info) });
    expect((await fixture.upload(zip)).body).toMatchObject({ name: "scoped-app", version: "2.3.4-rc.1" });
    expect(await fixture.store.version("scoped-app", "2.3.4-rc.1")).toMatchObject({
      declaration: { title: "Scoped app", description: "Says hello." },
    });
    expect((await fixture.upload(zip, "?name=renamed&version=9")).body).toMatchObject({
      name: "renamed",
      version: "9",
    });
  });

  test("POST /platform/packages 201 changes the accounts of an app only when they are given", async () => {
    const accountsOf = async () => (await fixture.rowsOf("apps")).find(({ name }) => name === "offered")?.["accounts"];
    await fixture.upload(archive, "?name=offered&accounts=acme,globex,acme");
    expect(await accountsOf()).toEqual(["acme", "globex"]);
    await fixture.upload(other, "?name=offered");
    expect(await accountsOf()).toEqual(["acme", "globex"]);
    await fixture.upload(other, "?name=offered&accounts=acme");
    expect(await accountsOf()).toEqual(["acme"]);
    expect(
      (await reportsOf("offered")).map((entry) => [Reflect.get(entry, "action"), Reflect.get(entry, "members")]),
    ).toEqual(
      expect.arrayContaining([
        ["app.publish", ["1"]],
        ["app.publish", ["2"]],
        ["app.offer", ["acme"]],
      ]),
    );
  });

  test("POST /platform/packages 201 stores one version when the same package is sent several times at once", async () => {
    const second = await fixture.startAnotherPublisher();
    const publication = { archive, name: "at-once", version: "1" };
    const answers = await Promise.all([
      fixture.publisher.publish(publication),
      second.publish(publication),
      fixture.publisher.publish(publication),
      second.publish({ archive, name: "at-once" }),
    ]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await fixture.store.versions("at-once")).toHaveLength(1);
    expect(await reportsOf("at-once")).toHaveLength(1);
  });
});

const REFUSED: readonly (readonly [
  string,
  () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
  string,
  RegExp,
])[] = [
  ["a body that is no archive", () => new TextEncoder().encode("no archive"), "?name=a", /not a zip file/],
  ["an archive without a manifest", () => new Uint8Array(buildZip([{ name: "a" }])), "?name=a", /no manifest\.json/],
  ["a path out of the folder", () => withFiles({ "../evil.js": "" }), "?name=a", /outside the app's folder/],
  ["a package without a name", () => archive, "", /Name the app with the parameter 'name'/],
  ["an invalid name", () => archive, "?name=My_App", /such as my-app/],
  ["a name with two hyphens in a row", () => archive, "?name=a--b", /such as a-b/],
  ["a name that is too long", () => archive, `?name=${"a".repeat(41)}`, /at most 40 characters/],
  ["the reserved name", () => archive, "?name=frame", /is reserved/],
  ["an empty name", () => archive, "?name=", /can't be named/],
  ["a name without letters", () => archive, "?name=%00%E2%82%AC", /Choose another name/],
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
    expect(body["message"]).toMatch(/^The app has 2 errors: manifest\.json:1:\d+: .*; manifest\.json:1:\d+: .*absent.*\.$/);
    expect(await readdir(join(fixture.dataFolder, "app-packages"))).toEqual([]);
  });
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

describe("POST /platform/packages VERSION_EXISTS", () => {
  test("POST /platform/packages VERSION_EXISTS for another package under a published version", async () => {
    await fixture.upload(archive, "?name=fixed&version=1");
    const before = await stored();
    expect(await fixture.upload(other, "?name=fixed&version=1&accounts=acme")).toEqual({
      status: 409,
      body: { code: 409, status: "VERSION_EXISTS", message: expect.stringContaining("Raise the version") },
    });
    expect(await stored()).toEqual(before);
    expect((await fixture.store.version("fixed", "1"))?.digest).toBe(sha256(archive));
  });

  test("POST /platform/packages VERSION_EXISTS for one of two packages that are published as one version at once", async () => {
    const second = await fixture.startAnotherPublisher();
    const results = await Promise.allSettled([
      fixture.publisher.publish({ archive, name: "race", version: "1" }),
      second.publish({ archive: other, name: "race", version: "1" }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [refused] = results.flatMap((result) => (result.status === "rejected" ? [result.reason as object] : []));
    expect(refused).toMatchObject({ problem: { status: "VERSION_EXISTS" } });
    expect(await fixture.store.versions("race")).toHaveLength(1);
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
      "accounts that are no list",
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

describe("lists", () => {
  test("GET /platform/apps 200 lists the apps with their versions, newest first, and those of the catalogue of each account", async () => {
    await fixture.upload(archive, "?name=listed&version=1&accounts=acme");
    await fixture.upload(other, "?name=listed&version=2");
    const { status, body } = await fixture.request("GET", "/platform/apps");
    expect(status).toBe(200);
    const apps = body["apps"] as PublishedApp[];
    expect(apps.every((app) => matchesSchema(PublishedApp, app))).toBe(true);
    expect(apps.map(({ name }) => name)).toEqual(apps.map(({ name }) => name).sort());
    expect(apps.find(({ name }) => name === "listed")).toEqual({
      name: "listed",
      title: "Listed",
      description: "",
      icon: `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`,
      versions: [
        { version: "2", digest: sha256(other), published_time: expect.stringMatching(/^\d{4}-.*Z$/) },
        { version: "1", digest: sha256(archive), published_time: expect.stringMatching(/^\d{4}-.*Z$/) },
      ],
      declaration: expect.objectContaining({ events: ["onAppInstall", "onMessageCreate"] }),
      accounts: ["acme"],
      installations: 0,
    });
  });

  test("GET /platform/accounts/{account}/catalogue 200 lists the apps that the account can install, without the other accounts", async () => {
    await fixture.upload(archive, "?name=only-globex&accounts=globex");
    const namesFor = async (account: string) =>
      (
        (await fixture.request("GET", `/platform/accounts/${account}/catalogue`)).body["apps"] as { name: string }[]
      ).map(({ name }) => name);
    expect(await namesFor("globex")).toContain("only-globex");
    expect(await namesFor("acme")).not.toContain("only-globex");
    const { body } = await fixture.request("GET", "/platform/accounts/globex/catalogue");
    for (const app of body["apps"] as object[])
      expect(Object.keys(app).filter((key) => ["accounts", "installations"].includes(key))).toEqual([]);
  });

  test("GET /platform/accounts/{account}/catalogue ACCOUNT_NOT_FOUND for an unknown account", async () => {
    expect(await fixture.request("GET", "/platform/accounts/nobody/catalogue")).toMatchObject({
      status: 404,
      body: { status: "ACCOUNT_NOT_FOUND" },
    });
  });

  test("PUT /platform/apps/{name} 200 sets the accounts of an app, with an entry of the audit log for a change", async () => {
    await fixture.upload(archive, "?name=changed&version=1");
    const put = (accounts: unknown) =>
      fixture.request("PUT", "/platform/apps/changed", {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ accounts }),
      });
    expect(await put(["acme"])).toMatchObject({ status: 200, body: { name: "changed", accounts: ["acme"] } });
    expect(await put(["acme"])).toMatchObject({ status: 200 });
    expect(await put([])).toMatchObject({ status: 200, body: { accounts: [] } });
    expect(await put(null)).toMatchObject({ status: 200, body: { accounts: null } });
    expect((await reportsOf("changed")).map((entry) => Reflect.get(entry, "members") as unknown)).toEqual(
      expect.arrayContaining([["1"], ["acme"], [], ["all accounts"]]),
    );
    expect(await reportsOf("changed")).toHaveLength(4);
  });

  test("PUT /platform/apps/{name} APP_NOT_FOUND for an app that is not published", async () => {
    const reply = await fixture.request("PUT", "/platform/apps/nothing", {
      headers: { "content-type": "application/json" },
      body: '{"accounts":null}',
    });
    expect(reply).toMatchObject({ status: 404, body: { status: "APP_NOT_FOUND" } });
  });
});
