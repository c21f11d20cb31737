import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { matchesSchema, PublishedApp, PublishedVersion } from "@parley/contract";
import { zipSync, unzipSync } from "fflate";
import { publishingFixture, type PublishingFixture } from "./publishing-fixture.ts";

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

const withoutReport = ({ "./.report.json": _report, ...files }: Readonly<Record<string, Uint8Array>>) => files;
/** A package with more files, as another tool packs it: without the digest of all files. */
const withFiles = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    zipSync({
      ...withoutReport(unzipSync(archive)),
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)])),
    }),
  );

const reportsOf = async (app: string) =>
  (await fixture.rowsOf("change_reports"))
    .filter(({ body }) => (body as { app: string }).app === app)
    .map(({ account, body }) => ({
      account,
      ...(body as { readonly action: string; readonly app: string; readonly members: readonly string[] }),
    }));

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
    expect((await reportsOf("offered")).map(({ action, members }) => [action, members])).toEqual(
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
        {
          version: "2",
          digest: sha256(other),
          published_time: expect.stringMatching(/^\d{4}-.*Z$/),
          permissions: [],
          undecided: [],
        },
        {
          version: "1",
          digest: sha256(archive),
          published_time: expect.stringMatching(/^\d{4}-.*Z$/),
          permissions: [],
          undecided: [],
        },
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
    expect((await reportsOf("changed")).map(({ members }) => members)).toEqual(
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
