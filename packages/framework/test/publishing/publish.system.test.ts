import { readdir, readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { openPackageCache } from "../../src/publishing/package-cache.ts";
import { createPublisher } from "../../src/publishing/publisher.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";
import { startFakeRegistry } from "../support/fake-registry.ts";
import { processFixture } from "../support/process-fixture.ts";
import { publishingFixture, SUFFIX, type PublishingFixture } from "./publishing-fixture.ts";

let fixture: PublishingFixture;
let children: Awaited<ReturnType<typeof processFixture>>;
beforeAll(async () => {
  [fixture, children] = await Promise.all([publishingFixture(), processFixture()]);
});
afterAll(async () => {
  await children.close();
  await fixture.close();
});

const openCache = () => openPackageCache({ folder: fixture.dataFolder, store: fixture.store });

test("a published version has the project that its package is loaded as, and its code runs", async () => {
  const packed = await fixture.apps.packValid();
  const { digest } = await fixture.publisher.publish({ archive: packed.zip, name: "whole", version: "1.0.0" });
  const found = await (await openCache()).version("whole", "1.0.0");
  const loaded = await fixture.apps.load(await fixture.apps.unpack(packed.zip));
  expect(found?.project).toEqual({
    ...JSON.parse(JSON.stringify(loaded.project)),
    folder: join(fixture.dataFolder, "app-packages", digest),
    name: "whole",
    version: digest,
  });
  const child = children.start(found?.project.serverCode ?? "");
  expect(await child.handlers).toEqual(expect.arrayContaining(["install", "hear"]));
  expect(found).toMatchObject({ app: "whole", version: "1.0.0", digest, declaration: { title: "Whole" } });
});

test("a published version is served as it is packed: scripts of pages are compiled, and other files are unchanged", async () => {
  const archive = await fixture.archive({
    "app/index.html": '<!doctype html><title>App</title>{{{appclient}}}<script src="start.ts"></script>',
    "app/start.ts": "const text: string = 'typed'; document.title = text;",
  });
  await fixture.publisher.publish({ archive, name: "served", version: "1" });
  const { project } = (await (await openCache()).version("served", "1")) ?? {};
  const folder = project?.folder ?? "";
  expect(await readFile(join(folder, "app/index.html"), "utf8")).toContain('<script src="start.js">');
  expect(await readFile(join(folder, "app/start.js"), "utf8")).not.toContain(": string");
  expect(await readFile(join(folder, "app/icon.svg"), "utf8")).toBe("<svg/>");
  expect(await readdir(folder)).not.toContain("node_modules");
});

test("dependencies are installed once, when the app is published, and are part of the stored code", async () => {
  const registry = await startFakeRegistry({
    "loud-words@1.0.0": { "index.js": "module.exports = (text) => text.toUpperCase() + '!';" },
  });
  process.env["npm_config_registry"] = registry.origin;
  try {
    const archive = await fixture.archive({
      "manifest.json": {
        "platform-version": "3.0",
        modules: { common: { functions: { shout: {} } }, chat_user: { events: { onUserCreate: { handler: "hear" } } } },
        dependencies: { "loud-words": "1.0.0" },
      },
      "server/server.ts": undefined,
      "server/server.js":
        'const loud = require("loud-words"); exports = { shout: (args) => renderData(null, loud(args.text)), hear() {} };',
    });
    await fixture.publisher.publish({ archive, name: "with-packages", version: "1" });
  } finally {
    delete process.env["npm_config_registry"];
    await registry.close();
  }
  const { project } = (await (await openCache()).version("with-packages", "1")) ?? {};
  const child = children.start(project?.serverCode ?? "");
  expect(await child.call("shout", { text: "hi" }, true)).toMatchObject({ data: "HI!" });
  expect(await readdir(project?.folder ?? "")).not.toContain("node_modules");
});

const WITH_DEPENDENCY = {
  "manifest.json": {
    "platform-version": "3.0",
    modules: { chat_user: { events: { onUserCreate: { handler: "hear" } } } },
    dependencies: { "loud-words": "1.0.0" },
  },
};

test("dependencies that can't be installed refuse the package, and the message names them", async () => {
  process.env["npm_config_registry"] = "http://127.0.0.1:9/";
  try {
    const archive = await fixture.archive(WITH_DEPENDENCY);
    await expect(fixture.publisher.publish({ archive, name: "no-packages" })).rejects.toThrow(
      /Dependencies could not be installed: loud-words@1\.0\.0/,
    );
  } finally {
    delete process.env["npm_config_registry"];
  }
  expect(await fixture.store.versions("no-packages")).toEqual([]);
});

test("what is stored names no folder of this machine", async () => {
  const archive = await fixture.archive();
  await fixture.publisher.publish({ archive, name: "portable", version: "1" });
  const row = await fixture.store.versionWithCode("portable", "1");
  const text = `${row?.project ?? ""}${JSON.stringify(row?.declaration)}`;
  expect(text).toContain("greeting");
  expect(text).not.toContain(fixture.dataFolder);
  expect(text).not.toContain(".work-");
});

test("warnings do not refuse a package", async () => {
  const archive = await fixture.archive({
    "config/requests.json": { lost: { schema: { method: "GET", host: "a.example" } } },
  });
  expect(await fixture.publisher.publish({ archive, name: "with-warnings" })).toMatchObject({
    version: "1",
    hosts: [],
  });
});

test("text that the database can't store as JSON is removed from the declaration", async () => {
  const archive = await fixture.archive({
    "README.md": "# Odd text\n\nA \u0000 and a \ud800 end.\n",
    "config/iparams.json": {
      domain: { display_name: "Account", type: "domain", type_attributes: { product: "freshchat" } },
    },
    "config/requests.json": {
      "o\u0000d\ud800d": { schema: { method: "GET", host: "<%= iparam.domain %>", path: "/<%= context.path %>" } },
    },
    "manifest.json": {
      "platform-version": "3.0",
      modules: {
        common: { requests: { "o\u0000d\ud800d": {} } },
        chat_conversation: { events: { onMessageCreate: { handler: "hear" } } },
      },
    },
  });
  await fixture.publisher.publish({ archive, name: "odd-text", version: "1" });
  const row = await fixture.store.version("odd-text", "1");
  expect(row?.declaration.undecided[0]?.place).toBe("config/requests.json, template o d\ufffdd");
  expect(row?.declaration.description).toMatch(/^A . and a . end\.$/);
});

test("the newest version for an account is that of an app in its catalogue", async () => {
  const archive = await fixture.archive();
  const other = await fixture.archive({ "README.md": "other" });
  await fixture.publisher.publish({ archive, name: "newest", version: "2.0.0", accounts: ["acme"] });
  await fixture.publisher.publish({ archive: other, name: "newest", version: "1.9.0" });
  expect(await fixture.store.newestVersion("newest", "acme")).toBe("1.9.0");
  expect(await fixture.store.newestVersion("newest", "globex")).toBeUndefined();
  expect(await fixture.store.newestVersion("nothing", "acme")).toBeUndefined();
});

const anotherPublisher = async (more: {
  readonly preparationTimeoutMs?: number;
  readonly maxPreparations?: number;
  readonly shutdownSignal?: AbortSignal;
}) =>
  createPublisher({
    store: fixture.store,
    dataFolder: fixture.dataFolder,
    boundary: await findBoundary(),
    domainSuffix: SUFFIX,
    ports: realHostPorts,
    log: () => undefined,
    ...more,
  });
const workFolders = async () =>
  (await readdir(join(fixture.dataFolder, "app-packages"))).filter((name) => name.startsWith("."));

test("an app that takes too long to validate is refused, and its folder is removed", async () => {
  const publisher = await anotherPublisher({ preparationTimeoutMs: 50 });
  await expect(publisher.publish({ archive: await fixture.archive(), name: "slow" })).rejects.toMatchObject({
    problem: { status: "PACKAGE_REFUSED" },
    message: expect.stringContaining("too much memory or time"),
  });
  expect(await workFolders()).toEqual([]);
});

/** -> the names of two apps in the order in which their publications end; the dependencies of `stalled` arrive last */
const endOrder = async (maxPreparations: number | undefined): Promise<readonly string[]> => {
  const [stalled, archive] = await Promise.all([fixture.archive(WITH_DEPENDENCY), fixture.archive()]);
  const held: ServerResponse[] = [];
  const registry = createServer((_request, response) => held.push(response));
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  process.env["npm_config_registry"] = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  try {
    const publisher = await anotherPublisher({ ...(maxPreparations !== undefined && { maxPreparations }) });
    const ended: string[] = [];
    const publish = (name: string, bytes: Uint8Array) =>
      publisher.publish({ archive: bytes, name: `${name}-${maxPreparations ?? "usual"}` }).then(
        () => ended.push(name),
        () => ended.push(name),
      );
    const first = publish("stalled", stalled);
    await waitUntil(() => held.length > 0);
    const second = publish("other", archive);
    // With one preparation at a time, the second publication ends after the first one only.
    if (maxPreparations !== 1) await second;
    registry.on("request", (_request, response) => response.writeHead(404).end());
    for (const response of held) response.writeHead(404).end();
    await Promise.all([first, second]);
    return ended;
  } finally {
    delete process.env["npm_config_registry"];
    registry.closeAllConnections();
    registry.close();
  }
};

test("an app whose preparation takes long does not delay another app, unless only one app is prepared at a time", async () => {
  expect(await endOrder(undefined)).toEqual(["other", "stalled"]);
  expect(await endOrder(1)).toEqual(["stalled", "other"]);
});

test("publications beyond a hundred that wait are refused at once, with advice to repeat them", async () => {
  const stop = new AbortController();
  const publisher = await anotherPublisher({ maxPreparations: 1, shutdownSignal: stop.signal });
  const archive = await fixture.archive();
  const publications = Array.from({ length: 102 }, () => publisher.publish({ archive, name: "crowded" }));
  const outcomes = Promise.allSettled(publications);
  await expect(publications.at(-1)).rejects.toMatchObject({
    problem: { status: "SERVICE_UNAVAILABLE" },
    retryAfter: 30,
    message: expect.stringContaining("preparing other apps"),
  });
  stop.abort();
  await outcomes;
});

test("when the platform stops, publications end at once, with advice to repeat them", async () => {
  const stop = new AbortController();
  const publisher = await anotherPublisher({ shutdownSignal: stop.signal });
  const archive = await fixture.archive();
  const publications = ["stopped", "queued"].map((name) => publisher.publish({ archive, name }));
  const outcomes = Promise.allSettled(publications);
  await waitUntil(async () => (await workFolders()).length > 0);
  stop.abort();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ reason: { problem: { status: "SERVICE_UNAVAILABLE" }, retryAfter: 5 } });
  expect(await workFolders()).toEqual([]);
  expect(await fixture.store.versions("stopped")).toEqual([]);
});

test("a machine without isolation refuses packages, and nothing of the package runs", async () => {
  const boundary = { ...(await findBoundary()), isStrong: false };
  const deps = { store: fixture.store, dataFolder: fixture.dataFolder, boundary, domainSuffix: SUFFIX };
  const publisher = await createPublisher({ ...deps, ports: realHostPorts, log: () => undefined });
  const archive = await fixture.archive();
  await expect(publisher.publish({ archive, name: "isolated" })).rejects.toMatchObject({
    problem: { status: "PACKAGE_REFUSED" },
    message: expect.stringContaining("does not isolate"),
  });
});
