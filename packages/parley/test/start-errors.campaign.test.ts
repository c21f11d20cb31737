import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parley, ROOT, run, temporaryFolder } from "../../../test/support/parley-process.ts";

describe("an invalid start prints one line, exits with status 1 and leaves no process:", () => {
  const line = (stderr: string) => expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  const start = (env: Record<string, string>) =>
    run([process.execPath, "scripts/start.mjs", "--json"], { env, cwd: ROOT });
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    data = await temporaryFolder();
  });
  afterAll(() => data.remove());

  test.each(["PARLEY_SERVICE_PORT", "PARLEY_APP_PORT", "PARLEY_SHOP_PORT"])("a port in use: %s", async (name) => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const { status, stdout, stderr } = await start({ PARLEY_DATA: join(data.folder, "busy"), [name]: String(port) });
    server.close();
    line(stderr);
    expect(stderr).toContain(name);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  });

  test.each([
    ["an invalid port", { PARLEY_SERVICE_PORT: "many" }, "PARLEY_SERVICE_PORT"],
    ["an invalid rate limit", { PARLEY_CALLS_PER_HOUR: "-1" }, "PARLEY_CALLS_PER_HOUR"],
    ["an invalid secrets key", { PARLEY_SECRETS_KEY: "short" }, "PARLEY_SECRETS_KEY"],
    ["a URL of another kind of database", { DATABASE_URL: "mysql://localhost/x" }, "DATABASE_URL"],
    ["an unreachable database", { DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x" }, "127.0.0.1:1"],
  ])("%s", async (_title, env, word) => {
    const { status, stderr } = await start({ PARLEY_DATA: join(data.folder, "wrong"), ...env });
    line(stderr);
    expect(stderr).toContain(word);
    expect(stderr).not.toContain("hidden");
    expect(status).toBe(1);
  });

  test("a data folder that can't be written", async () => {
    const file = join(ROOT, "package.json", "data");
    const { status, stderr } = await start({ PARLEY_DATA: file });
    line(stderr);
    expect(stderr).toContain("PARLEY_DATA");
    expect(status).toBe(1);
  });

  test("every command has --help", async () => {
    for (const args of [["--help"], ["start", "--help"], ["chat", "--help"]]) {
      const { status, stdout } = await parley(args);
      expect(stdout).toContain("Usage: parley");
      expect(status).toBe(0);
    }
  });

  test("an unknown command exits with status 1 and a suggestion", async () => {
    const { status, stderr } = await parley(["strat"]);
    expect(stderr).toContain("start");
    expect(status).toBe(1);
  });
});
