import { cp, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { parley, ROOT } from "../../../test/support/parley-process.ts";
import { commandHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley token` and `parley status` against a running instance and without an instance. */

const harness = fileFixture(commandHarness);

describe("parley token", () => {
  const statusOf = async (token: string, path = "/v2/agents") =>
    (await fetch(harness.origin + path, { headers: { authorization: `Bearer ${token}` } })).status;

  test("create prints the new token, list shows it, and revoke invalidates it", async () => {
    const text = await harness.callSuccessfully([
      "token",
      "create",
      "--name",
      "sync",
      "--expires",
      "12h",
      "-p",
      "agent:read",
    ]);
    const token = /parley_[\w-]{43}/.exec(text)?.[0] ?? "";
    expect([await statusOf(token), await statusOf(token, "/v2/groups")]).toEqual([200, 403]);
    const listed = await harness.callSuccessfully(["token", "list"]);
    const id =
      listed
        .split("\n")
        .find((line) => line.includes("sync"))
        ?.split(" ")[0] ?? "";
    expect(listed).not.toContain(token);
    expect(await harness.callSuccessfully(["token", "revoke", id])).toContain(`Revoked ${id} (sync)`);
    await waitUntil(async () => (await statusOf(token)) === 401);
    expect(await harness.callSuccessfully(["token", "list"])).toMatch(new RegExp(`${id}  sync .*revoked 20`));
  });
  test("create --json prints exactly id and token", async () => {
    const { status, stdout, stderr } = await harness.call(["token", "create", "--json"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(["id", "token"]);
    expect(stdout.trim().split("\n")).toHaveLength(1);
  });
  test("create accepts an expiry date", async () => {
    const year = new Date().getUTCFullYear() + 1;
    expect(await harness.callSuccessfully(["token", "create", "--expires", `${year}-01-31`])).toContain(
      `Expires  ${year}-01-31T00:00:00.000Z`,
    );
  });
  test("create --for-app grants the permissions of the app's templates and those named in addition", async () => {
    const permissionsOf = (text: string) => /^May do {3}(.*)$/m.exec(text)?.[1]?.split(", ");
    const permissions = permissionsOf(await harness.callSuccessfully(["token", "create", "--for-app", ROOT]));
    expect(permissions).toEqual(expect.arrayContaining(["user:read", "csat:create", "metric:read"]));
    expect(permissions).not.toContain("agent:delete");
    expect(
      permissionsOf(await harness.callSuccessfully(["token", "create", "--for-app", ROOT, "-p", "agent:delete"])),
    ).toEqual(expect.arrayContaining([...(permissions ?? []), "agent:delete"]));
  });
  campaignTest(
    "create --for-app with templates that can't be analysed requires permissions, and grants the named permissions",
    async () => {
      const folder = join(harness.folder, "undecided");
      await cp(join(ROOT, "packages/framework/test/fixtures/listener"), folder, { recursive: true });
      const file = join(folder, "config/requests.json");
      const templates = JSON.parse(await readFile(file, "utf8")) as Record<string, { schema: { path: string } }>;
      for (const { schema } of Object.values(templates)) schema.path = "/v2/<%= context.path %>";
      await writeFile(file, JSON.stringify(templates));
      expect(await harness.callFailing(["token", "create", "--for-app", folder])).toMatch(
        /can't be derived: config\/requests\.json, template .*its path is known only when it is sent.*with -p/,
      );
      expect(await harness.callSuccessfully(["token", "create", "--for-app", folder, "-p", "group:read"])).toContain(
        "group:read",
      );
    },
  );
  test.each([
    ["a folder without an app", ["create", "--for-app", "/"], "no manifest.json"],
    ["an unknown permission", ["create", "-p", "agent:all"], "Choose from: account:read, user:read"],
    ["an invalid time", ["create", "--expires", "soon"], "such as 30d or 12h"],
    ["a past time", ["create", "--expires", "2020-01-01"], "expires_time must lie in the future"],
    ["an unknown account", ["create", "--account", "nobody"], "'npx parley account list' shows"],
    ["an unknown id", ["revoke", "none"], "'npx parley token list' shows"],
  ])("%s is rejected in one line", async (_, args, words) => {
    expect(await harness.callFailing(["token", ...args])).toContain(words);
  });
});

describe("parley status", () => {
  test("prints the addresses of all parts", async () => {
    const text = await harness.callSuccessfully(["status"]);
    for (const words of [
      harness.origin,
      harness.instance.app,
      String(harness.instance.pid),
      "embedded PostgreSQL",
      "/suite/acme/v2",
      "of 5000",
    ])
      expect(text).toContain(words);
  });
  test("--json prints the same data in one line", async () => {
    expect(JSON.parse(await harness.callSuccessfully(["status", "--json"]))).toMatchObject({
      pid: harness.instance.pid,
      service: harness.origin,
      database: { embedded: true },
      accounts: expect.arrayContaining([
        {
          name: "acme",
          plan_type: "Enterprise",
          address: `${harness.origin}/suite/acme/v2`,
          calls: expect.objectContaining({ limit: 5000 }),
        },
      ]),
    });
  });
});

describe("without its prerequisites a command fails in one line:", () => {
  const commands = [
    ["status"],
    ["account", "list"],
    ["account", "export", "acme"],
    ["token", "create"],
    ["token", "list"],
  ];
  test.each(commands.map((args) => [args.join(" "), args] as const))("no instance: %s", async (_, args) => {
    const { status, stderr } = await harness.call(args, undefined, join(harness.folder, "none", "data"));
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^parley: No instance runs on [^\n]+\n$/),
    });
  });
  campaignTest("the command in a separate process exits with status 1", async () => {
    const { status, stderr } = await parley(["status"], { env: { PARLEY_DATA: join(harness.folder, "none", "data") } });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^parley: No instance runs on [^\n]+\n$/),
    });
  });
  test("a missing admin key file, or one with another key", async () => {
    const path = join(harness.folder, "admin-key");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await rename(path, `${path}.away`);
    expect(await harness.callFailing(["status"])).toContain("admin-key is missing. Restart the instance");
    await writeFile(path, "parley_admin_wrong\n");
    expect(await harness.callFailing(["status"])).toContain("UNAUTHENTICATED");
    await rename(`${path}.away`, path);
    await harness.callSuccessfully(["status"]);
  });
  test("an instance that has stopped without cleaning up", async () => {
    const folder = join(harness.folder, "left");
    await mkdir(folder);
    const instance = JSON.parse(await readFile(join(harness.folder, "instance.json"), "utf8")) as object;
    await writeFile(join(folder, "instance.json"), JSON.stringify({ ...instance, service: "http://localhost:1/v2" }));
    await writeFile(join(folder, "admin-key"), "x\n");
    const { status, stderr } = await harness.call(["status"], undefined, folder);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^parley: The instance at [^\n]+ doesn't answer[^\n]+\n$/),
    });
  });
  test.each([
    ["account"],
    ["account apply"],
    ["account export"],
    ["account list"],
    ["token"],
    ["token create"],
    ["token list"],
    ["token revoke"],
    ["status"],
  ])("%s --help prints its usage", async (command) => {
    const { status, stdout } = await harness.call([...command.split(" "), "--help"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`Usage: parley ${command}`);
    if (command !== "account" && command !== "token") expect(stdout).toMatch(/Examples?:\n {2}npx parley /);
  });
});
