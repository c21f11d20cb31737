import { spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { familyOf, killAll, ROOT, survivors, temporaryFolder } from "../../../test/support/parley-process.ts";
import { commandHarness, instanceHarness, type InstanceHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Links that sign in: of `parley sign-in`, of `parley start`, and no link of `parley serve`. */

const harness = fileFixture(commandHarness);

describe("parley sign-in", () => {
  test("prints the link, whom it signs in, and until when", async () => {
    const begun = Date.now();
    const text = await harness.callSuccessfully(["sign-in"]);
    expect(text).toMatch(new RegExp(`^Link {5}${harness.origin}/sign-in/link/[\\w-]{43}$`, "m"));
    expect(text).toMatch(/^Account {2}acme$/m);
    expect(text).toMatch(/^Agent {4}olivia@acme\.example$/m);
    const expires = Date.parse(/^Expires {2}(\S+Z), or when it is used$/m.exec(text)?.[1] ?? "");
    expect(expires).toBeGreaterThanOrEqual(begun + 15 * 60_000);
    expect(expires).toBeLessThanOrEqual(Date.now() + 15 * 60_000);
  });
  test("--json prints one line with exactly the documented members, for the named account and agent", async () => {
    const text = await harness.callSuccessfully([
      ...["sign-in", "--account", "solo", "--email", "SAM@solo.example", "--json"],
    ]);
    expect(text.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(text)).toEqual({
      link: expect.stringMatching(new RegExp(`^${harness.origin}/sign-in/link/[\\w-]{43}$`)),
      account: "solo",
      agent_id: expect.any(String),
      email: "sam@solo.example",
      expires_time: expect.any(String),
    });
  });
  test.each([
    ["an unknown account", ["--account", "nobody"], "'npx parley account list' shows"],
    ["an unknown address", ["--email", "nobody@acme.example"], "no active agent with this e-mail address"],
    ["a deactivated agent", ["--email", "tom@acme.example"], "no active agent with this e-mail address"],
  ])("%s is refused in one line", async (_, args, words) => {
    expect(await harness.callFailing(["sign-in", ...args])).toContain(words);
  });
  test("of a service that listens on all addresses begins with the loopback address", async () => {
    const folder = join(harness.folder, "wildcard");
    await mkdir(folder);
    await cp(join(harness.folder, "admin-key"), join(folder, "admin-key"));
    const note = await readFile(join(harness.folder, "instance.json"), "utf8");
    const { host, port } = new URL(harness.origin);
    await writeFile(join(folder, "instance.json"), note.replace(`http://${host}/v2`, `http://0.0.0.0:${port}/v2`));
    const { status, stdout, stderr } = await harness.call(["sign-in", "--json"], undefined, folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`"link":"http://127.0.0.1:${port}/sign-in/link/`);
  });
  test("--help prints its usage and examples", async () => {
    const { status, stdout } = await harness.call(["sign-in", "--help"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Usage: parley sign-in");
    expect(stdout).toMatch(/Examples:\n {2}npx parley sign-in/);
  });
});

describe("parley start", () => {
  let instance: InstanceHarness;
  beforeAll(async () => {
    instance = await instanceHarness();
  });
  afterAll(() => instance.close());
  const LINK = /^http:\/\/localhost:\d+\/sign-in\/link\/[\w-]{43}$/;
  test("announces a link that signs in the owner of its account, another link at each start", async () => {
    const first = instance.running.signIn;
    expect(first).toMatch(LINK);
    expect(first.startsWith(`${instance.origin}/`)).toBe(true);
    await instance.running.stop();
    await instance.restart();
    expect(instance.running.signIn).toMatch(LINK);
    expect(instance.running.signIn.slice(-43)).not.toBe(first.slice(-43));
  });

  /** Sends the form of a link's page. */
  const signsIn = async (link: string): Promise<boolean> => {
    const { origin } = instance;
    const body = new URLSearchParams({ secret: link.slice(-43) });
    const reply = await fetch(`${origin}/sign-in/link`, { method: "POST", headers: { origin }, body });
    return reply.headers.getSetCookie().length > 0;
  };
  test("its link is not part of the seed: a reset makes it invalid, and not valid again after its use", async () => {
    const { signIn } = instance.running;
    expect(await signsIn(signIn)).toBe(true);
    expect(await signsIn(signIn)).toBe(false);
    await instance.callSuccessfully(["reset"]);
    expect(await signsIn(signIn)).toBe(false);
    const { link } = JSON.parse(await instance.callSuccessfully(["sign-in", "--json"])) as { link: string };
    expect(await signsIn(link)).toBe(true);
  });

  test("succeeds without a link when the account has no active owner any more", async () => {
    const client = parleyClient({ url: instance.running.service, token: instance.running.token });
    const { agents } = await client.agents.listAgents({ query: { items_per_page: 100 } });
    const owners = agents.filter(({ role_id }) => role_id === "ACCOUNT_ADMIN");
    expect(owners).not.toEqual([]);
    for (const { id } of owners)
      await client.agents.updateAgent({ params: { agent_id: id }, body: { role_id: "AGENT" } });
    await instance.running.stop();
    await instance.restart();
    expect(instance.running.signIn).toBeUndefined();
    expect(await instance.callFailing(["sign-in"])).toContain("no active agent with the role Account admin");
  });
});

/** Starts `parley serve`, and stops it when it has printed its report. */
const outputOfServe = async (folder: string, args: readonly string[], isComplete: (stdout: string) => boolean) => {
  const { NODE_OPTIONS: _, DATABASE_URL: __, ...rest } = process.env;
  const child = spawn(
    process.execPath,
    [join(ROOT, "packages/parley/bin/parley.mjs"), "serve", "--port", "0", ...args],
    {
      cwd: folder,
      env: { ...rest, PARLEY_DATA: folder },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  try {
    await waitUntil(() => isComplete(output.stdout) || child.exitCode !== null);
    return output;
  } finally {
    const family = await familyOf(child.pid ?? 0);
    child.kill("SIGTERM");
    killAll(await survivors(family, 8_000));
  }
};

describe("parley serve", () => {
  const FORMATS: [string, string[], (stdout: string) => boolean][] = [
    ["text", [], (stdout) => stdout.includes("Stop with")],
    ["JSON", ["--json"], (stdout) => stdout.includes("\n")],
  ];
  const secretsOf = async (folder: string): Promise<string[]> => {
    const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
    const texts = await Promise.all(files.map(({ name }) => readFile(join(folder, name), "utf8")));
    return texts.map((text) => text.trim()).filter((text) => text.length >= 20);
  };
  test.each(FORMATS)("prints no secret of its data folder and no link, as %s", async (_, args, isComplete) => {
    const { folder, remove } = await temporaryFolder();
    const { stdout, stderr } = await outputOfServe(folder, args, isComplete);
    expect(stdout).toMatch(/http:\/\/localhost:\d+\/v2/);
    const secrets = await secretsOf(folder);
    expect(secrets).toEqual(expect.arrayContaining([expect.stringMatching(/^parley_admin_/)]));
    for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
    expect(stdout + stderr).not.toMatch(/parley_[\w-]{20}|\/sign-in\/|"token"/);
    await remove();
  });
  test("names the file of the demo account's key in its text, and prints the key with --json only", async () => {
    const { folder, remove } = await temporaryFolder();
    const [[, , isComplete], [, , isLine]] = FORMATS as [(typeof FORMATS)[0], (typeof FORMATS)[0]];
    const { stdout } = await outputOfServe(folder, ["--demo"], isComplete);
    const key = (await readFile(join(folder, "api-key"), "utf8")).trim();
    expect(stdout).toContain(join(folder, "api-key"));
    expect(stdout).not.toContain(key);
    const json = await outputOfServe(folder, ["--demo", "--json"], isLine);
    expect(JSON.parse(json.stdout)).toMatchObject({ account: "acme", token: key });
    await remove();
  });
});
