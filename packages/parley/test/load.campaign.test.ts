import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { parley, ROOT, startParley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

interface Report {
  readonly account: string;
  readonly users: number;
  readonly conversations: number;
  readonly messages: number;
  readonly seconds: number;
  readonly stopped: boolean;
}

const data = fileFixture(temporaryFolder);

const env = () => ({ PARLEY_DATA: data.folder });
const loadJson = async (...args: string[]): Promise<Report> => {
  const { status, stdout, stderr } = await parley(["load", "--json", ...args], { env: env() });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as Report;
};

describe("parley load", () => {
  test("fills an account without a running instance and beside a running instance, and stops between batches on Ctrl-C", async () => {
    const first = await loadJson("--account", "acme", "--users", "40", "--messages", "90");
    expect(first).toMatchObject({ account: "acme", users: 40, messages: 90, stopped: false });

    const running = await startParley(data.folder, { args: ["--no-install"] });
    try {
      const total = async () => {
        const reply = await fetch(`${running.service}/users?created_from=1970-01-01T00:00:00Z`, {
          headers: { authorization: `Bearer ${running.token}` },
        });
        return ((await reply.json()) as { pagination: { total_items: number } }).pagination.total_items;
      };
      expect(await total()).toBe(40);
      expect(await loadJson("--account", "acme", "--users", "20", "--messages", "0", "--seed", "2")).toMatchObject({
        users: 20,
        conversations: 0,
      });
      expect(await total()).toBe(60);

      const bin = join(ROOT, "packages/parley/bin/parley.mjs");
      const args = [bin, "load", "--json", "--account", "acme", "--users", "5000000", "--messages", "0"];
      const child = spawn(process.execPath, args, { env: { ...process.env, ...env(), NODE_OPTIONS: "" } });
      let stdout = "";
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      await waitUntil(async () => (await total()) >= 1_000 || child.exitCode !== null);
      child.kill("SIGINT");
      expect(await ended).toBe(130);
      const report = JSON.parse(stdout) as Report;
      expect(report).toMatchObject({ stopped: true });
      expect(report.users % 1_000).toBe(0);
      expect(await total()).toBe(60 + report.users);
    } finally {
      await running.stop();
    }
  });

  test.each([
    [["--messages", "-1", "--users", "5"], "--messages"],
    [["--account", "Two words"], "--account"],
  ])("rejects %j in one line with status 1", async (args, name) => {
    const { status, stdout, stderr } = await parley(["load", ...args], { env: env() });
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    expect(stderr).toContain(name);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  });

  test("has --help with examples", async () => {
    const { status, stdout } = await parley(["load", "--help"]);
    expect(status).toBe(0);
    for (const word of ["--users", "--messages", "--account", "--seed", "Examples"]) expect(stdout).toContain(word);
  });
});
