import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { campaignTest } from "../../../test/support/campaign.ts";
import { parley, ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";

jest.setTimeout(90_000);

const SECRET = "canary-7c41-Geheimnis";
const FILES = {
  "package.json": { name: "open-hand" },
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: { functions: { spill: {} } },
      chat_conversation: { events: { onMessageCreate: { handler: "hear" } } },
    },
    "whitelisted-domains": ["https://api.example"],
  },
  "config/iparams.json": { token: { display_name: "Token", type: "text", secure: true } },
  "server/server.js": `exports = {
    spill: (args) => { console.log(args, args.iparams.token); renderData(null, { length: args.iparams.token?.length ?? 0, all: args.iparams }); },
    hear: (args) => { console.error(args.iparams); throw new Error("failed with " + args.iparams.token); },
  };`,
};

let base: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
beforeAll(async () => {
  base = await temporaryFolder();
  folder = join(base.folder, "open-hand");
  for (const [file, content] of Object.entries(FILES)) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  await writeFile(join(base.folder, "values.json"), JSON.stringify({ token: SECRET }));
});
afterAll(() => base.remove());

/** Starts `parley run` in the app's folder. */
const startRun = async (...args: string[]) => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...inherited } = process.env;
  const child: ChildProcess = spawn(
    process.execPath,
    [join(ROOT, "packages/parley/bin/parley.mjs"), "run", "--iparams", join(base.folder, "values.json"), ...args],
    {
      cwd: folder,
      env: { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const until = (pattern: RegExp) =>
    waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`parley run has ended:\n${stdout}`);
        return pattern.test(stdout);
      },
      { details: () => `${String(pattern)} did not appear in the output:\n${stdout}` },
    );
  await until(/Parley is running/);
  return {
    output: () => stdout,
    async end() {
      child.kill("SIGINT");
      await ended;
    },
  };
};
const say = async (...args: string[]) => {
  const { status, stdout, stderr } = await parley(args, { cwd: folder });
  if (status !== 0 && args[0] !== "event") throw new Error(stderr);
  return stdout + stderr;
};
const json = async (...args: string[]): Promise<unknown> => JSON.parse(await say(...args, "--json"));
const lengthSeen = async () => ((await json("event", "spill")) as { output: { length: number } }).output.length;

/** Lists every file below a folder that contains a text. */
const holding = async (place: string, text: string): Promise<string[]> => {
  const found: string[] = [];
  for (const entry of await readdir(place, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path);
  }
  return found;
};

campaignTest(
  "parley consent grants, lists and revokes consents, parley status shows them, and no file contains a secure value",
  async () => {
    const run = await startRun();
    try {
      expect(await lengthSeen()).toBe(0);
      expect(await json("consent", "list")).toEqual([{ subject: "api.example", state: "declared" }]);
      expect(await json("consent", "give", "secure-iparams")).toMatchObject([
        { subject: "secure-iparams", state: "given", time: expect.any(String) },
        { subject: "api.example", state: "declared" },
      ]);
      expect(await lengthSeen()).toBe(SECRET.length);
      expect(await say("consent", "give", "api.example")).toContain("can send secure parameters to these hosts");
      const status = (await json("status")) as { apps: unknown };
      expect(status.apps).toMatchObject([{ name: "open-hand", consents: [{ state: "given" }, { state: "given" }] }]);
      const texts = [
        await say("status"),
        await say("event", "spill"),
        await say("event", "onMessageCreate", "--real"),
        await say("logs"),
        await say("logs", "--json"),
        await say("deliveries", "list"),
        await say("deliveries", "show", "app-host"),
        await say("consent", "list"),
        JSON.stringify(status),
      ];
      const [{ id = "" } = {}] = (await say("logs", "--json", "--limit", "1"))
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { id: string });
      texts.push(await say("event", "replay", id));
      const { app } = (status as { apps: { app: string }[] }).apps[0] ?? { app: "" };
      texts.push(await (await fetch(`${app}/custom_configs`)).text(), await (await fetch(app)).text());
      await say("consent", "revoke", "secure-iparams");
      expect(await lengthSeen()).toBe(0);
      texts.push(run.output());
      expect(texts.join("\n")).toContain("[secure value]");
      for (const text of texts) expect(text).not.toContain(SECRET);
    } finally {
      await run.end();
    }
    // The database files are written by now; the match shows that the search works.
    expect(await holding(join(folder, ".parley"), "[secure value]")).not.toEqual([]);
    expect(await holding(join(folder, ".parley"), SECRET)).toEqual([]);
  },
);

campaignTest("parley run with consent options grants both consents for one run and prints it", async () => {
  const run = await startRun("--ephemeral", "--allow-secure-iparams", "--allow-host", "*.shop.example");
  try {
    expect(run.output()).toContain("Handlers can read secure parameters in args.iparams (--allow-secure-iparams).");
    expect(run.output()).toContain("The apps' code can call *.shop.example (--allow-host).");
  } finally {
    await run.end();
  }
});

test.each([
  [["consent", "list"], /^parley: No app runs in /],
  [["run", "--allow-host", "10.0.0.1"], /^parley: --allow-host: '10\.0\.0\.1' is not a host\. Use a name such as/],
])("parley consent %j reports the problem", async (args, message) => {
  const { status, stderr } = await parley(args, { cwd: folder });
  expect(status).toBe(1);
  expect(stderr).toMatch(message);
});
