import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { main } from "@parley/parley";
import {
  ADMIN_KEY,
  publishingFixture,
  type PublishingFixture,
} from "../../framework/test/publishing/publishing-fixture.ts";
import { startFakeRegistry } from "../../framework/test/support/fake-registry.ts";
import { parley, temporaryFolder, type CommandResult } from "../../../test/support/parley-process.ts";

/** `parley publish` against the routes of packages on a real server. */

let fixture: PublishingFixture;
let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let dataFolder: string;
const inherited = { data: process.env["PARLEY_DATA"], key: process.env["PARLEY_ADMIN_KEY"] };

const announce = (instance: object) =>
  writeFile(
    join(dataFolder, "instance.json"),
    JSON.stringify({
      pid: process.pid,
      service: "http://127.0.0.1:9/v2",
      app: "",
      installPage: "",
      account: "acme",
      ...instance,
    }),
  );

beforeAll(async () => {
  [fixture, temporary] = await Promise.all([publishingFixture(), temporaryFolder("parley-publish-")]);
  dataFolder = join(temporary.folder, "data");
  await mkdir(dataFolder);
  await writeFile(join(dataFolder, "admin-key"), `${ADMIN_KEY}\n`);
  await announce({ platform: fixture.origin });
  process.env["PARLEY_DATA"] = dataFolder;
});
afterEach(() => {
  delete process.env["PARLEY_ADMIN_KEY"];
});
afterAll(async () => {
  if (inherited.data === undefined) delete process.env["PARLEY_DATA"];
  else process.env["PARLEY_DATA"] = inherited.data;
  if (inherited.key !== undefined) process.env["PARLEY_ADMIN_KEY"] = inherited.key;
  await fixture.close();
  await temporary.remove();
});

const call = async (...args: readonly string[]): Promise<CommandResult> => {
  const output = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    jest.spyOn(process[name], "write").mockImplementation((chunk) => {
      output[name] += String(chunk);
      return true;
    }),
  );
  try {
    return { status: await main(args), ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};
const publish = (...args: readonly string[]) => call("publish", ...args);
/** Expects the command to succeed. Returns the line of JSON. */
const publishJson = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await publish(...args, "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.trim().split("\n")).toHaveLength(1);
  return JSON.parse(stdout) as Record<string, unknown>;
};
/** Expects the command to fail. Returns the message. */
const failingPublish = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await publish(...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  return stderr;
};

test("parley publish of a folder publishes name and version of package.json, as the package that 'parley pack' makes", async () => {
  const folder = await fixture.apps.write({ "package.json": { name: "@team/from-folder", version: "1.2.3" } });
  const answer = await publishJson(folder);
  expect(Object.keys(answer)).toEqual(["name", "version", "digest", "permissions", "hosts", "events"]);
  const { stdout } = await call("pack", folder, "--out", join(temporary.folder, "packed.zip"), "--json");
  expect(answer).toEqual({
    name: "from-folder",
    version: "1.2.3",
    digest: (JSON.parse(stdout) as { sha256: string }).sha256,
    permissions: [],
    hosts: [],
    events: ["onAppInstall", "onMessageCreate"],
  });
  expect(await publishJson(folder)).toEqual(answer);
});

test("parley publish of a folder whose dependencies are missing installs them first, with a line on standard error", async () => {
  const registry = await startFakeRegistry({
    "loud-words@1.0.0": { "index.js": "module.exports = (text) => text.toUpperCase();" },
  });
  try {
    const folder = await fixture.apps.write({
      "package.json": { name: "with-words", version: "1.0.0" },
      "manifest.json": {
        "platform-version": "3.0",
        modules: { chat_conversation: { events: { onMessageCreate: { handler: "answer" } } } },
        dependencies: { "loud-words": "1.0.0" },
      },
      "server/server.ts": undefined,
      "server/server.js": `const words = require("loud-words"); exports = { answer: function () { console.info(words("hi")); } };`,
      ".npmrc": registry.npmrc,
    });
    // A package contains no .npmrc: the instance finds the dependency above its work folder, and asks no registry.
    const packages = join(fixture.dataFolder, "node_modules", "loud-words");
    await mkdir(packages, { recursive: true });
    await writeFile(join(packages, "package.json"), '{"name":"loud-words","version":"1.0.0"}');
    await writeFile(join(packages, "index.js"), "module.exports = (text) => text.toUpperCase();");
    const { status, stdout, stderr } = await publish(folder, "--json");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: "Installing loud-words@1.0.0 for the app …\nInstalled loud-words@1.0.0.\n",
    });
    expect(JSON.parse(stdout)).toMatchObject({ name: "with-words", version: "1.0.0" });
  } finally {
    await registry.close();
  }
});

test("parley publish of a folder without package.json takes the folder's name and counts versions", async () => {
  const folder = join(temporary.folder, "small-tool");
  const write = async (text: string) => {
    await mkdir(join(folder, "app"), { recursive: true });
    await mkdir(join(folder, "config"), { recursive: true });
    await writeFile(join(folder, "config/iparams.json"), "{}");
    await writeFile(join(folder, "app/icon.svg"), "<svg/>");
    await writeFile(join(folder, "app/index.html"), `<!doctype html>{{{appclient}}}${text}`);
    await writeFile(
      join(folder, "manifest.json"),
      JSON.stringify({
        "platform-version": "3.0",
        modules: {
          chat_conversation: { location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } } },
        },
      }),
    );
  };
  await write("one");
  expect(await publishJson(folder)).toMatchObject({ name: "small-tool", version: "1" });
  await write("two");
  expect(await publishJson(folder)).toMatchObject({ name: "small-tool", version: "2" });
});

test("parley publish prints the published version, and the accounts are those of --accounts", async () => {
  const folder = await fixture.apps.write({ "package.json": { name: "readable", version: "1.0.0" } });
  const { status, stdout, stderr } = await publish(folder, "--accounts", "acme, globex");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/Published .*readable.*, version 1\.0\.0\./);
  expect(stdout).toMatch(/events.*onAppInstall, onMessageCreate/);
  expect(stdout).toMatch(/sha256 [0-9a-f]{64}/);
  expect((await fixture.rowsOf("apps")).find(({ name }) => name === "readable")?.["accounts"]).toEqual([
    "acme",
    "globex",
  ]);
});

test("parley publish of a package takes its name from package.json, otherwise from the file", async () => {
  const file = join(temporary.folder, "greeter.zip");
  await writeFile(file, await fixture.archive());
  expect(await publishJson(file)).toMatchObject({ name: "greeter", version: "1" });
});

test("parley publish runs in a process of its own, without the data folder's files in its output", async () => {
  const folder = await fixture.apps.write({ "package.json": { name: "own-process", version: "1.0.0" } });
  const { status, stdout, stderr } = await parley(["publish", folder, "--json"], { env: { PARLEY_DATA: dataFolder } });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ name: "own-process", version: "1.0.0" });
  expect(stdout + stderr).not.toContain(ADMIN_KEY);
});

test("parley publish prints warnings of the app, and publishes it", async () => {
  const folder = await fixture.apps.write({
    "package.json": { name: "with-warning", version: "1.0.0" },
    "config/requests.json": { lost: { schema: { method: "GET", host: "a.example" } } },
  });
  const { status, stdout } = await publish(folder);
  expect(status).toBe(0);
  expect(stdout).toMatch(/1 warning[\s\S]*Published /);
});

test("parley publish of an app with errors prints them as 'parley pack' does, and sends nothing", async () => {
  const folder = await fixture.apps.write({
    "package.json": { name: "broken", version: "1.0.0" },
    "server/server.ts": "export default {",
  });
  const readable = await publish(folder);
  expect(readable.status).toBe(1);
  expect(readable.stdout).toMatch(/server\/server\.ts/);
  expect(readable.stderr).toBe("parley: Nothing was published: fix the errors above, then publish again.\n");
  const asJson = await publish(folder, "--json");
  expect(asJson).toMatchObject({ status: 1, stderr: "" });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ findings: [{ level: "error" }] });
  expect(await fixture.store.versions("broken")).toEqual([]);
});

describe("parley publish fails with a next step:", () => {
  test("for other contents under a published version", async () => {
    const about = { name: "raised", version: "1.0.0" };
    await publishJson(await fixture.apps.write({ "package.json": about }));
    const changed = await fixture.apps.write({ "package.json": about, "README.md": "changed" });
    expect(await failingPublish(changed)).toMatch(/VERSION_EXISTS.*Raise the version in package\.json/);
  });

  test("for a name that is not valid", async () => {
    const folder = await fixture.apps.write({ "package.json": { name: "My_App", version: "1.0.0" } });
    expect(await failingPublish(folder)).toMatch(/PACKAGE_REFUSED.*such as my-app/);
  });

  test("for a file that is not a package, and for a file that does not exist", async () => {
    const file = join(temporary.folder, "none.zip");
    await writeFile(file, "nothing");
    expect(await failingPublish(file)).toMatch(/none\.zip can't be published\. .*Create it with 'npx parley pack'/);
    expect(await failingPublish(join(temporary.folder, "absent.zip"))).toMatch(/can't be read \(ENOENT\)/);
    expect(await failingPublish(join(temporary.folder, "absent"))).toMatch(/There is no folder/);
  });

  test("for accounts without a name", async () => {
    expect(await failingPublish("--accounts", "acme,,globex")).toMatch(/--accounts takes names of accounts/);
  });

  test("if no instance runs, or the instance has no platform", async () => {
    await announce({});
    expect(await failingPublish()).toMatch(/does not run published apps\. Restart it/);
    await rm(join(dataFolder, "instance.json"));
    expect(await failingPublish()).toMatch(/No instance runs on .*--url/);
    await announce({ platform: fixture.origin });
  });

  test("if the instance does not accept the admin key", async () => {
    process.env["PARLEY_ADMIN_KEY"] = "parley_admin_another_key_of_another_instance";
    const folder = await fixture.apps.write();
    const message = await failingPublish(folder);
    expect(message).toMatch(/UNAUTHENTICATED.*Unset PARLEY_ADMIN_KEY/);
    expect(message).not.toContain("another_key");
  });

  test("if nothing answers", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await announce({ platform: `http://127.0.0.1:${port}` });
    expect(await failingPublish(await fixture.apps.write())).toMatch(/doesn't answer/);
    await announce({ platform: fixture.origin });
  });
});

describe("parley publish --url", () => {
  test("publishes to another machine with PARLEY_ADMIN_KEY", async () => {
    process.env["PARLEY_ADMIN_KEY"] = ADMIN_KEY;
    const folder = await fixture.apps.write({ "package.json": { name: "remote", version: "1.0.0" } });
    expect(await publishJson(folder, "--url", `${fixture.origin}/`)).toMatchObject({ name: "remote" });
  });

  test("never sends the key of the data folder", async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(JSON.stringify(request.headers));
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const message = await failingPublish("--url", `http://127.0.0.1:${port}`);
    expect(message).toMatch(/--url needs a key\. Set PARLEY_ADMIN_KEY/);
    expect(received).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    "apps.example.com",
    "ftp://apps.example.com",
    "https://apps.example.com/platform",
    "https://user:secret@apps.example.com",
  ])("refuses %s", async (url) => {
    process.env["PARLEY_ADMIN_KEY"] = ADMIN_KEY;
    expect(await failingPublish("--url", url)).toMatch(/--url takes an address such as https:\/\/apps\.example\.com/);
  });
});
