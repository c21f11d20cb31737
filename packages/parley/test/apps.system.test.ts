import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { callParley } from "./command-call.ts";
import { greeter } from "./greeter-app.ts";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** `parley publish` and `parley apps` on a running `parley serve`, as an operator uses them. */

let serve: ServeHarness;
let folder: string;

beforeAll(async () => {
  [serve, folder] = await Promise.all([startServe(), mkdtemp(join(tmpdir(), "parley-apps-"))]);
});
afterAll(async () => {
  await serve?.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (args: readonly string[]) => callParley(args, { env: { PARLEY_DATA: serve.dataFolder } });
const publish = async (version: string) => {
  for (const [path, content] of Object.entries(greeter(version))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return run(["publish", folder, "--json"]);
};

describe("parley apps", () => {
  test("lists nothing at first, and says what to do", async () => {
    expect((await run(["apps", "list"])).stdout).toBe("No app is published. Publish one with 'npx parley publish'.\n");
    expect((await run(["apps", "list", "--account", "acme"])).stdout).toBe(
      "No app is installed on acme. Install one with 'npx parley apps install'.\n",
    );
  });

  test("installs a published app, upgrades it, rolls back, pauses, resumes and uninstalls it", async () => {
    expect(await publish("1.0.0")).toMatchObject({ status: 0, stderr: "" });
    const step = async (...args: string[]) => {
      const { status, stdout, stderr } = await run(["apps", ...args, "--account", "acme"]);
      return status === 0 ? stdout : stderr;
    };
    expect(await step("install", "greeter")).toBe("Installed greeter, version 1.0.0, on acme: active.\n");
    expect(await publish("1.1.0")).toMatchObject({ status: 0 });
    expect(await step("list")).toContain("active, version 1.1.0 is available");
    expect(await step("upgrade", "greeter")).toBe("Upgraded greeter, version 1.1.0, on acme: active.\n");
    expect(await step("rollback", "greeter")).toBe("Returned to greeter, version 1.0.0, on acme: active.\n");
    expect(await step("pause", "greeter")).toBe("Paused greeter, version 1.0.0, on acme: paused.\n");
    expect(await step("resume", "greeter")).toBe("Resumed greeter, version 1.0.0, on acme: active.\n");
    expect(JSON.parse(await step("uninstall", "greeter", "--json"))).toMatchObject({
      name: "greeter",
      account: "acme",
    });
    expect(await step("pause", "greeter")).toContain("APP_NOT_INSTALLED");
    expect((await run(["apps", "list", "--json"])).stdout).toContain('"installations":0');
  });

  test("refuses an account whose name is too long beside the app's name for a host name, and installs nothing", async () => {
    const account = "an-account-with-a-name-of-forty-8-letters-in-all";
    expect(account).toHaveLength(48);
    expect(await run(["account", "create", account, "--owner", "ada@lumen.example"])).toMatchObject({ status: 0 });
    const { status, stderr } = await run(["apps", "install", "greeter", "--account", account]);
    expect(status).toBe(1);
    expect(stderr).toContain(`The names greeter and ${account} are too long together`);
    expect(stderr).toContain("they may have 54 characters in all");
    expect((await run(["apps", "list", "--account", account])).stdout).toContain("No app is installed");
  });

  test("reads parameters from a file, and names those that are wrong", async () => {
    const file = join(folder, "values.json");
    await writeFile(file, JSON.stringify({ unknown: "x" }));
    const refused = await run(["apps", "install", "greeter", "--account", "acme", "--iparams", file]);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("IPARAMS_REFUSED");
    await writeFile(file, JSON.stringify({ greeting: "Good day" }));
    expect(await run(["apps", "install", "greeter", "--account", "acme", "--iparams", file])).toMatchObject({
      status: 0,
    });
    const conversation = await serve.write("acme", "Hi");
    const [reply = ""] = await serve.untilReplies("acme", conversation, 1);
    expect(reply).toContain("Good day");
  });

  test("explains an unknown app, version and account", async () => {
    const errorOf = async (...args: string[]) => (await run(["apps", ...args])).stderr;
    expect(await errorOf("install", "nothing", "--account", "acme")).toContain("'npx parley apps list'");
    expect(await errorOf("upgrade", "greeter", "--account", "acme", "--version", "9")).toContain(
      "APP_VERSION_NOT_FOUND",
    );
    expect(await errorOf("list", "--account", "nobody")).toContain("'npx parley account list'");
  });
});

describe("parley serve", () => {
  test("uses the addresses of its apps with any ports: a page of an app leads to a ticket", async () => {
    const to = encodeURIComponent(`${serve.announced.apps}/catalogue`);
    const { origin } = new URL(serve.announced.service);
    const page = await fetch(`${origin}/sign-in/page?to=${to}`, { headers: { accept: "text/html" } });
    expect(await page.text()).not.toContain("can’t be opened");
  });

  test("with --only platform reaches the service at PARLEY_SERVICE_URL", async () => {
    const wrong = await callParley(["serve", "--only", "platform"], {
      env: { PARLEY_DATA: folder, PARLEY_SERVICE_URL: "10.0.0.6:10002" },
    });
    expect(wrong).toMatchObject({ status: 1 });
    expect(wrong.stderr).toContain("PARLEY_SERVICE_URL must be an http or https address");
  });

  test("refuses a --map that leads to another machine", async () => {
    const wrong = await callParley(["serve", "--map", "api.example.com=http://10.0.0.1:80"], {
      env: { PARLEY_DATA: folder },
    });
    expect(wrong).toMatchObject({ status: 1 });
    expect(wrong.stderr).toContain("--map: A host may be mapped to this machine only");
  });
});
