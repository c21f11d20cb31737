import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parley, type CommandResult } from "../../../test/support/parley-process.ts";
import { greeter, type TestAppFiles } from "./greeter-app.ts";
import { startServe } from "./serve-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Commands that concern published apps, on a running `parley serve`. */

/** A version whose requests have paths that are known only when they are sent. */
const undecided = (): TestAppFiles => {
  const app = greeter("2.0.0");
  const requests = structuredClone(app["config/requests.json"]) as { reply: { schema: { path: string } } };
  requests.reply.schema.path = "/v2/<%= context.path %>";
  return { ...app, "config/requests.json": requests };
};

const serve = fileFixture(startServe);

const run = (...args: readonly string[]): Promise<CommandResult> =>
  parley(args, { cwd: serve.dataFolder, env: { PARLEY_DATA: serve.dataFolder } });
const failing = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await run(...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  return stderr;
};
const chat = () => run("chat", "--once", "Anybody?", "--wait", "1");

test("parley chat says that no app is installed, and how apps are installed", async () => {
  const { status, stderr } = await chat();
  expect([status, stderr]).toEqual([
    1,
    "parley: no reply within 1 s. No app is installed on acme. 'npx parley apps list' shows the published apps; install one with 'npx parley apps install <name> --account acme'.\n",
  ]);
});

test("parley status shows where the platform of apps is, and whether it runs apps", async () => {
  const { stdout } = await run("status");
  expect(stdout).toMatch(/^Platform {11}http:\/\/localhost:\d+ {2}runs apps$/m);
  const { platform } = JSON.parse((await run("status", "--json")).stdout) as { platform: unknown };
  expect(platform).toEqual({ url: expect.stringMatching(/^http:/), state: "runs apps" });
});

describe("parley token create --for-app with the name of a published app", () => {
  const create = (...args: readonly string[]) => run("token", "create", "--account", "acme", "--for-app", ...args);
  const permissionsOf = ({ stdout }: CommandResult) => /^May do {3}(.*)$/m.exec(stdout)?.[1]?.split(", ");
  beforeAll(async () => {
    await serve.publish(greeter("1.0.0"));
  });

  test("grants exactly the permissions that its newest version declares, and those named in addition", async () => {
    expect(permissionsOf(await create("greeter"))).toEqual(["account:read", "message:create"]);
    expect(permissionsOf(await create("greeter", "-p", "group:read"))).toEqual(
      expect.arrayContaining(["account:read", "message:create", "group:read"]),
    );
  });

  test("takes another version with --app-version, and asks for permissions that can't be derived", async () => {
    await serve.publish(undecided());
    expect(await failing("token", "create", "--account", "acme", "--for-app", "greeter")).toMatch(
      /permissions of greeter can't be derived: config\/requests\.json, template reply: its path is known only when it is sent.*with -p, besides account:read/,
    );
    expect(permissionsOf(await create("greeter", "-p", "message:create"))).toEqual(["account:read", "message:create"]);
    expect(permissionsOf(await create("greeter", "--app-version", "1.0.0"))).toEqual([
      "account:read",
      "message:create",
    ]);
  });

  test("a folder of this name counts, unless a version is named", async () => {
    await mkdir(join(serve.dataFolder, "greeter"));
    expect(await failing("token", "create", "--for-app", "greeter")).toContain("There is no manifest.json in");
    expect(permissionsOf(await create("greeter", "--app-version", "1.0.0"))).toEqual([
      "account:read",
      "message:create",
    ]);
  });

  test.each([
    ["an unknown app", ["--for-app", "nothing"], "'npx parley apps list' shows the published apps"],
    [
      "an unknown version",
      ["--for-app", "greeter", "--app-version", "9"],
      "one of its versions with --app-version: 2.0.0, 1.0.0.",
    ],
    ["a version without an app", ["--app-version", "1.0.0"], "name the app with --for-app"],
  ])("%s is rejected in one line", async (_, args, words) => {
    expect(await failing("token", "create", "--account", "acme", ...args)).toContain(words);
  });
});

test("parley chat names the installed app that has not replied, or says that it is paused", async () => {
  const quiet = greeter("1.0.0");
  await serve.publish({
    ...quiet,
    "package.json": { name: "quiet", version: "1.0.0" },
    "server/server.js": `exports = { installed() { renderData(); }, updated() { renderData(); }, uninstalled() { renderData(); },
      scheduled() {}, external() {}, recordOf() { renderData(); }, answer() {} };`,
  });
  await serve.install("acme", { name: "quiet" });
  expect((await chat()).stderr).toMatch(/quiet is installed on acme and has not replied: check the log/);
  await serve.request("POST", "/platform/accounts/acme/apps/quiet/pause");
  expect((await chat()).stderr).toMatch(
    /quiet is paused\. Resume it with 'npx parley apps resume quiet --account acme'/,
  );
});

test.each([
  [["apps", "list"], /quiet +1\.0\.0 +all +1/],
  [["apps", "list", "--account", "acme"], /quiet +1\.0\.0 +paused/],
])("parley %j shows the published apps, or those of an account", async (args, line) => {
  const { status, stdout, stderr } = await run(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(line);
});
