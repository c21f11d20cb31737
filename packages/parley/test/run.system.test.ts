import { cp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { campaignDescribe, campaignTest } from "../../../test/support/campaign.ts";
import {
  familyOf,
  killAll,
  parley,
  ROOT,
  survivors,
  temporaryFolder,
  type CommandResult,
} from "../../../test/support/parley-process.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Clears the ports that the tests' environment sets. */
const UNSET = { PARLEY_SERVICE_PORT: "", PARLEY_APP_PORT: "" };

interface Announced {
  readonly pid: number;
  readonly service: string;
  readonly app: string;
  readonly token: string;
  readonly dataFolder: string;
  readonly apps: readonly { name: string; folder: string; app: string; installed: boolean }[];
}

const base = fileFixture(temporaryFolder);

/** Copies an app and gives it another name. */
const appAt = async (name: string): Promise<string> => {
  const folder = join(base.folder, name);
  await cp(join(ROOT, "packages/framework/test/fixtures/listener"), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, type: "module" }));
  return folder;
};

interface StartedRun {
  readonly pid: number;
  readonly output: { stdout: string; stderr: string };
  /** Waits until the output matches. */
  waitForOutput(stream: "stdout" | "stderr", pattern: RegExp): Promise<string>;
  end(): Promise<{ status: number | null; left: number[] }>;
}

const startRun = (cwd: string, args: readonly string[], env: Record<string, string> = {}): StartedRun => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(ROOT, "packages/parley/bin/parley.mjs"), "run", ...args], {
    cwd,
    env: { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const pid = child.pid ?? 0;
  return {
    pid,
    output,
    waitForOutput: (stream, pattern) =>
      waitUntil(
        () => {
          const [found] = pattern.exec(output[stream]) ?? [];
          if (found === undefined && child.exitCode !== null) throw new Error(`It has ended:\n${output.stderr}`);
          return found;
        },
        { details: () => `${String(pattern)} did not appear in the output:\n${output.stdout}\n${output.stderr}` },
      ),
    async end() {
      const family = await familyOf(pid);
      child.kill("SIGINT");
      const left = await survivors(family, 8_000);
      killAll(left);
      return { status: await ended, left };
    },
  };
};
const announced = async (run: StartedRun) => JSON.parse(await run.waitForOutput("stdout", /^.*\n/)) as Announced;
const one = ({ status, stdout, stderr }: CommandResult) => {
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  return stderr;
};

describe("parley run of an app's folder", () => {
  let folder: string;
  let run: StartedRun;
  let at: Announced;
  beforeAll(async () => {
    folder = await appAt("first");
    run = startRun(folder, ["--install", "--json"]);
    at = await announced(run);
  });
  afterAll(() => run.end());

  test("serves the app, installs it on request, and prints one line", async () => {
    expect(at).toMatchObject({
      pid: run.pid,
      dataFolder: join(folder, ".parley"),
      account: "acme",
      apps: [{ name: "first", folder, installed: true, app: at.app, installPage: `${at.app}/custom_configs` }],
    });
    expect((await fetch(at.app)).status).toBe(200);
    const reply = await fetch(`${at.service}/channels`, { headers: { authorization: `Bearer ${at.token}` } });
    expect(reply.status).toBe(200);
  });

  test("keeps its data out of commits and writes no secret in plain text", async () => {
    expect(await readFile(join(folder, ".parley/.gitignore"), "utf8")).toBe("*\n");
    expect((await stat(join(folder, ".parley/api-key"))).mode & 0o777).toBe(0o600);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes(".parley"),
    );
    for (const { parentPath, name } of files)
      expect(await readFile(join(parentPath, name), "utf8")).not.toContain(at.token);
  });

  test("fails for an app that already runs, and prints its URL", async () => {
    const output = one(await parley(["run"], { cwd: folder }));
    expect(output).toContain(at.app);
    expect(output).toContain("--ephemeral");
  });

  test("delivers customers' messages to the app and reloads changed files", async () => {
    await writeFile(join(folder, "server/lib/greeting.ts"), 'export const greeting = "edited";\n');
    await run.waitForOutput("stderr", /was reloaded/);
    await parley(["chat", "--once", "greet", "--wait", "1"], { cwd: folder });
    await run.waitForOutput("stderr", /\[first\] info: edited/);
  });

  test("stops on Ctrl-C and leaves no process and no state file", async () => {
    expect(await run.end()).toEqual({ status: 0, left: [] });
    expect(await readdir(join(folder, ".parley"))).not.toContain("instance.json");
  });
});

campaignTest(
  "parley run of several folders runs several apps on one service, each found from its own folder",
  async () => {
    const [one, two] = [await appAt("one"), await appAt("two")];
    const run = startRun(base.folder, [one, two, "--install"]);
    await run.waitForOutput("stdout", /Stop with Ctrl-C/);
    expect(run.output.stdout).toMatch(/^ {2}one$/m);
    expect(run.output.stdout).toMatch(/^ {2}two$/m);
    for (const line of run.output.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    const { stdout } = await parley(["event", "onMessageCreate", "--real", "--json"], { cwd: two });
    expect(JSON.parse(stdout)).toMatchObject({ app: "two", ok: true });
    const logs = await parley(["logs", "--event", "onMessageCreate", "--json"], { cwd: one });
    expect(JSON.parse(logs.stdout)).toMatchObject({ app: "one", ok: true });
    await run.end();
  },
  90_000,
);

campaignTest(
  "parley run of several folders lists each app for the console, whose events an admin raises",
  async () => {
    const run = startRun(base.folder, [await appAt("three"), await appAt("four"), "--install", "--json"]);
    const { app, dataFolder } = await announced(run);
    const headers = {
      authorization: `Bearer ${(await readFile(join(dataFolder, "admin-key"), "utf8")).trim()}`,
      "content-type": "application/json",
    };
    const account = `${app}/platform/accounts/acme`;
    const listed = (await (await fetch(`${account}/folder-apps`, { headers })).json()) as { apps: { name: string }[] };
    expect(listed.apps.map(({ name }) => name)).toEqual(["three", "four"]);
    for (const { name } of listed.apps) {
      const body = JSON.stringify({ event: "onMessageCreate", payload: {} });
      const raised = await fetch(`${account}/apps/${name}/events`, { method: "POST", headers, body });
      expect([name, raised.status, await raised.json()]).toMatchObject([name, 200, { event: "onMessageCreate" }]);
    }
    await run.end();
  },
  90_000,
);

campaignDescribe("parley run with default ports in use", () => {
  const servers: Server[] = [];
  beforeAll(async () => {
    for (const port of [10_001, 10_002]) {
      const server = createServer();
      // Another process may already use this port, which has the same effect.
      await new Promise<void>((resolve) => server.once("error", () => resolve()).listen(port, "127.0.0.1", resolve));
      servers.push(server);
    }
  });
  afterAll(() => servers.forEach((server) => server.close()));

  test("chooses other ports and prints them", async () => {
    const run = startRun(await appAt("yielding"), ["--ephemeral"], UNSET);
    await run.waitForOutput("stdout", /Stop with Ctrl-C/);
    expect(run.output.stdout).not.toMatch(/:1000[12]\b/);
    // The command doesn't warn about a folder that it created itself.
    expect(run.output.stderr).not.toContain("data folder");
    await run.end();
  });

  test("fails if the ports were set explicitly", async () => {
    const env = { ...UNSET, PARLEY_SERVICE_PORT: "10002" };
    const output = one(await parley(["run"], { cwd: await appAt("insisting"), env }));
    expect(output).toContain("PARLEY_SERVICE_PORT");
  });
});

campaignDescribe("parley run of an app with an error", () => {
  const broken = async (name: string) => {
    const folder = await appAt(name);
    await writeFile(join(folder, "config/requests.json"), "{");
    return folder;
  };

  test("waits until its author has corrected it", async () => {
    const folder = await broken("mended");
    const run = startRun(folder, ["--ephemeral"]);
    await run.waitForOutput("stderr", /config\/requests\.json:1[^\n]*\n[^]*Waiting for a change/);
    await cp(
      join(ROOT, "packages/framework/test/fixtures/listener/config/requests.json"),
      join(folder, "config/requests.json"),
    );
    await run.waitForOutput("stdout", /Stop with Ctrl-C/);
    expect((await run.end()).status).toBe(0);
  });

  test("stops on Ctrl-C while it waits", async () => {
    const run = startRun(await broken("left"), ["--ephemeral"]);
    await run.waitForOutput("stderr", /Waiting for a change/);
    expect(await run.end()).toEqual({ status: 0, left: [] });
  });

  test("fails in a script, with its findings as JSON", async () => {
    const { status, stdout, stderr } = await parley(["run", "--json", "--ephemeral"], {
      cwd: await broken("scripted"),
    });
    expect(status).toBe(1);
    expect(stderr).toContain("config/requests.json:1");
    expect(JSON.parse(stdout)).toMatchObject({ findings: [{ level: "error", file: "config/requests.json" }] });
  });
});

campaignTest(
  "parley run with throw-away data leaves nothing, freezes the clock, and prints its mapped hosts",
  async () => {
    const folder = await appAt("gone");
    const run = startRun(folder, ["--ephemeral", "--still", "--map", "api.example.com=http://localhost:9"]);
    await run.waitForOutput("stdout", /Stop with Ctrl-C/);
    expect(run.output.stdout).toMatch(/⚠ Requests to api\.example\.com go to http:\/\/localhost:9/);
    expect(run.output.stdout).toMatch(/⚠ The clock is frozen/);
    expect((await run.end()).status).toBe(0);
    expect(await readdir(folder)).not.toContain(".parley");
  },
);
