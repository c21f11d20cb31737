import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../test/support/campaign.ts";
import { entriesOf, MANIFEST, packFolders, type PackFolders } from "../support/pack-folder.ts";
import { processFixture } from "../support/process-fixture.ts";

/** The package as a whole: contents, order of entries, and that it runs. */

let apps: PackFolders;
let children: Awaited<ReturnType<typeof processFixture>>;
beforeAll(async () => {
  [apps, children] = await Promise.all([packFolders(), processFixture()]);
});
afterAll(async () => {
  await children.close();
  await apps.remove();
});

const textOf = async (zip: Uint8Array, name: string) => (await entriesOf(zip)).get(name)?.toString("utf8") ?? "";

test("package entries have the documented order, each with its prefix", async () => {
  const { zip, files, name } = await apps.packValid({
    "app/a-b.css": "a{}",
    "app/a/x.css": "b{}",
    "config/requests.json": {},
  });
  expect([...(await entriesOf(zip)).keys()]).toEqual([
    "./app/a/x.css",
    "./app/a-b.css",
    "./app/icon.svg",
    "./app/index.html",
    "./server/server.js",
    "./config/iparams.json",
    "./config/requests.json",
    "./manifest.json",
    "./README.md",
    "./.report.json",
    "./digest.md5",
  ]);
  expect(files.map(({ path }) => `./${path}`)).toEqual([...(await entriesOf(zip)).keys()]);
  expect(name).toBe("small-app");
});

test("the digest covers app/ in traversal order and then the manifest, without a line break at the end", async () => {
  const { zip } = await apps.packValid({ "app/a-b.css": "2", "app/a/x.css": "1" });
  const entries = await entriesOf(zip);
  const hash = createHash("md5");
  for (const name of ["app/a/x.css", "app/a-b.css", "app/icon.svg", "app/index.html", "manifest.json"])
    hash.update(entries.get(`./${name}`) ?? "");
  expect(entries.get("./digest.md5")?.toString("latin1")).toBe(hash.digest("hex"));
});

test("the validation report in a package contains the findings and no time", async () => {
  const { zip } = await apps.packValid({
    "config/requests.json": { lost: { schema: { method: "GET", host: "a.b" } } },
  });
  expect(JSON.parse(await textOf(zip, "./.report.json"))).toMatchObject({
    "platform-version": "3.0",
    summary: { errors: 0, warnings: 1 },
    findings: [{ level: "warning", file: "config/requests.json" }],
  });
});

test("the validation report in a package names a finding without the correction of validate --fix", async () => {
  const plan = { display_name: "Plan", type: "dropdown", options: ["a", "a"], default_value: "a" };
  const { zip } = await apps.packValid({ "config/iparams.json": { plan } });
  const { findings } = JSON.parse(await textOf(zip, "./.report.json")) as { findings: object[] };
  expect(findings).toEqual([expect.objectContaining({ code: "iparams-option-twice" })]);
  expect(findings[0]).not.toHaveProperty("fix");
});

test("a packed TypeScript app is extracted, loaded and run", async () => {
  const { zip } = await apps.packValid();
  const { project, findings } = await apps.load(await apps.unpack(zip));
  expect(findings).toEqual([]);
  const child = children.start(project?.serverCode ?? "");
  expect(await child.handlers).toEqual(expect.arrayContaining(["install", "hear"]));
  expect(await child.call("install", {}, true)).toEqual({});
  await child.call("hear", { name: "Sam" }, false);
  expect(child.lines).toEqual(["info Hello Sam"]);
});

campaignTest("packed Concierge is extracted and run, and requires its dependency by name", async () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const { package: packed } = await apps.pack(root);
  const unpacked = await apps.unpack(packed?.zip ?? new Uint8Array());
  // The operator's packages are installed in a parent folder of the app.
  const parentFolder = `${unpacked}-above`;
  await mkdir(parentFolder);
  await symlink(join(root, "node_modules"), join(parentFolder, "node_modules"));
  const folder = join(parentFolder, "app");
  await rename(unpacked, folder);
  const { project, findings } = await apps.load(folder);
  expect(findings.filter(({ level }) => level === "error")).toEqual([]);
  expect(await textOf(packed?.zip ?? new Uint8Array(), "./server/server.js")).toContain('require("handlebars")');
  const child = children.start(project?.serverCode ?? "");
  const install = (welcome: string) => child.call("onAppInstallHandler", { iparams: { welcome, menu: "" } }, true);
  expect(await install("Hi {{user.first_name}}")).toEqual({});
  expect(await install("Hi {{user")).toMatchObject({ message: expect.stringContaining("can't be read") });
});

test("packed handlers are functions at the end of the file itself", async () => {
  const { zip } = await apps.packValid();
  const server = await textOf(zip, "./server/server.js");
  expect(server.slice(server.indexOf("\nexports = ") + 1)).toBe(`exports = {
  install: function (args) {
    return handlers["install"](args);
  },
  hear: function (args) {
    return handlers["hear"](args);
  }
};
`);
  expect(server).toContain("Hello ${name");
  expect(server).not.toMatch(/^(?:import|export) /m);
});

test("packing a copy in another folder with other times gives identical bytes", async () => {
  const folder = await apps.write({
    "app/page.html": '<script src="page.ts"></script>',
    "app/page.ts": "alert(1 as number);",
  });
  const copy = `${folder}-copy/deeper`;
  await cp(folder, copy, { recursive: true });
  const old = new Date(2001, 1, 3);
  for (const file of ["manifest.json", "server/server.ts", "app/index.html"]) await utimes(join(copy, file), old, old);
  const [one, other] = await Promise.all([apps.pack(folder), apps.pack(copy)]);
  expect(one.package?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(other.package?.sha256).toBe(one.package?.sha256);
  expect(
    createHash("sha256")
      .update(one.package?.zip ?? "")
      .digest("hex"),
  ).toBe(one.package?.sha256);
});

test("packing an extracted package gives identical bytes", async () => {
  const { zip } = await apps.packValid();
  const folder = await apps.unpack(zip);
  const again = await apps.pack(folder);
  expect(again.package?.files.map(({ path }) => path)).toEqual(
    [...(await entriesOf(zip)).keys()].map((name) => name.slice(2)),
  );
  expect(Buffer.from(again.package?.zip ?? []).equals(Buffer.from(zip))).toBe(true);
});

describe("packing fails with", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["no manifest", { "manifest.json": undefined }, "manifest.json is not found"],
    ["a missing handler", { "server/server.ts": "export default {};" }, "Event callback 'hear' is not defined"],
    [
      "a file of app/ over 10 MB",
      { "app/large.bin": Buffer.alloc(10 * 1024 * 1024 + 1) },
      "File 'app/large.bin' of app/ is too large: 10,485,761 bytes of at most 10,485,760 bytes",
    ],
    [
      "an obstructing script",
      { "app/index.html": '<script src="a.ts"></script>', "app/a.ts": "", "app/a.js": "" },
      "app/a.js already exists at the path of the packed script",
    ],
  ])("%s", async (_title, files, words) => {
    const { package: packed, findings } = await apps.pack(await apps.write(files as never));
    expect(packed).toBeUndefined();
    expect(findings.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining(words)]),
    );
  });

  campaignTest("a package over 5 MB", async () => {
    // Returns deterministic bytes that can't be compressed.
    const incompressibleBytes = (seed: string) => {
      const blocks = [createHash("sha512").update(seed).digest()];
      while (blocks.length < 30_000)
        blocks.push(
          createHash("sha512")
            .update(blocks.at(-1) ?? "")
            .digest(),
        );
      return Buffer.concat(blocks);
    };
    const { package: packed, findings } = await apps.pack(
      await apps.write({
        "app/1.bin": incompressibleBytes("1"),
        "app/2.bin": incompressibleBytes("2"),
        "app/3.bin": incompressibleBytes("3"),
      }),
    );
    expect(packed).toBeUndefined();
    expect(findings).toContainEqual(
      expect.objectContaining({ level: "error", message: "The app is too large: 5.5 MB of at most 5.0 MB" }),
    );
  });
});

test("packing leaves the author's files unchanged", async () => {
  const folder = await apps.write({ "manifest.json": { $schema: "./x.json", ...MANIFEST } });
  const before = await readFile(join(folder, "manifest.json"), "utf8");
  await apps.pack(folder);
  expect(await readFile(join(folder, "manifest.json"), "utf8")).toBe(before);
});
