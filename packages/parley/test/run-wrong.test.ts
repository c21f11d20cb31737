import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { main } from "@parley/parley";
import { appStage } from "../../../test/app-stage.ts";
import { parley, ROOT, temporaryFolder } from "../../../test/running.ts";

jest.setTimeout(60_000);

let base: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
beforeAll(async () => {
  base = await temporaryFolder();
  folder = join(base.folder, "app");
  await cp(join(ROOT, "packages/framework/test/fixtures/listener"), folder, { recursive: true });
  await mkdir(join(base.folder, "empty"));
  const files = {
    "text.json": "no\n\u001b[2J\n",
    "long.json": " ".repeat(5_000_000),
    "list.json": "[]",
    "object.json": '{"note": {}}',
    "block.json": '{"note": "block"}',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterAll(() => base.remove());

/** Runs in this process: the command fails before it starts anything. */
const said = async (args: readonly string[]) => {
  const all = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    jest.spyOn(process[name], "write").mockImplementation((chunk) => {
      all[name] += String(chunk);
      return true;
    }),
  );
  const cwd = jest.spyOn(process, "cwd").mockReturnValue(folder);
  try {
    return { status: await main(args), ...all };
  } finally {
    for (const spy of [...spies, cwd]) spy.mockRestore();
  }
};

test.each([
  ["a folder without an app", ["run", "../empty"], "manifest.json"],
  ["a file that is not there", ["run", "--iparams", "none.json"], "none.json"],
  ["values that are no JSON", ["run", "--iparams", "text.json"], "text.json"],
  ["values that are no object", ["run", "--iparams", "list.json"], "holds no object"],
  ["a value that no parameter has", ["run", "--iparams", "object.json"], "'note'"],
  ["values for several apps", ["run", ".", "../empty", "--iparams", "block.json"], "one app"],
  ["a host that is mapped to nothing", ["run", "--map", "api.example.com"], "--map"],
  ["a host that is mapped to elsewhere", ["run", "--map", "api.example.com=http://example.org"], "--map"],
  ["an event where nothing runs", ["event", "onMessageCreate"], "parley run"],
  ["a list of events where nothing runs", ["event", "list"], "parley run"],
  ["calls where nothing runs", ["logs"], "parley run"],
  ["a payload that is no JSON", ["event", "onMessageCreate", "--data", "{"], "--data"],
  ["a payload that is no object", ["event", "onMessageCreate", "--from", "list.json"], "list.json"],
  [
    "a payload that is no JSON, with line ends",
    ["event", "onMessageCreate", "--from", "text.json"],
    "text.json is no JSON",
  ],
  ["a payload that is too long", ["event", "onMessageCreate", "--from", "long.json"], "longer than the 4 MB"],
  ["a payload without an end", ["event", "onMessageCreate", "--from", "/dev/zero"], "longer than the 4 MB"],
  ["a payload that is a folder", ["event", "onMessageCreate", "--from", "/"], "can't be read (EISDIR)"],
  ["a payload that is a list", ["event", "onMessageCreate", "--data", "[]"], "--data holds no object"],
  ["an event without a name", ["event", ""], "parley event list"],
  ["two payloads", ["event", "onMessageCreate", "--data", "{}", "--from", "list.json"], "leave one out"],
  ["a payload for what really happens", ["event", "onMessageCreate", "--data", "{}", "--real"], "--real"],
  ["tests of a folder without an app", ["test", "../empty"], "manifest.json"],
])("%s is said in one line, with what to do", async (_title, args, word) => {
  process.env["PARLEY_DATA"] = "";
  const inFolder = args.map((arg) => (/\.json$/.test(arg) ? join(folder, arg) : arg));
  const { status, stdout, stderr } = await said(inFolder);
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  expect(stderr).toContain(word);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test.each(["run", "event", "logs", "test"])("%s has --help with examples", async (command) => {
  const { status, stdout } = await said([command, "--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain(`Usage: parley ${command}`);
  expect(stdout).toContain("Examples:");
});

test("values that the app refuses are its words, and nothing runs on", async () => {
  const { status, stderr } = await parley(["run", "--ephemeral", "--json", "--iparams", "block.json"], { cwd: folder });
  expect(status).toBe(1);
  expect(stderr).toMatch(/parley: listener can't be installed with the values of block\.json \(Not today\)/);
});

test("two apps of one name can't run together", async () => {
  const twin = join(base.folder, "twin");
  await cp(folder, twin, { recursive: true });
  const { status, stderr } = await parley(["run", ".", twin, "--ephemeral", "--json"], { cwd: folder });
  expect(status).toBe(1);
  expect(stderr).toContain("Two of the folders hold an app of the name listener");
});

test("Ctrl-C while it starts ends it, and it says nothing", async () => {
  const stage = await appStage({}, false);
  const running = stage.beside("run", "--json");
  while (!existsSync(join(stage.folder, ".parley/postgres"))) await wait(20);
  expect(await running.end()).toBe(0);
  expect(running.said()).toBe("");
  await stage.close();
});
