import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { campaignTest } from "../../../test/support/campaign.ts";
import { main } from "@parley/parley";
import { appHarness } from "../../../test/support/app-harness.ts";
import { parley, ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";

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
const runInProcess = async (args: readonly string[]) => {
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
  ["run of a folder without an app", ["run", "../empty"], "manifest.json"],
  ["run with a missing file of values", ["run", "--iparams", "none.json"], "none.json"],
  ["run with values of invalid JSON", ["run", "--iparams", "text.json"], "text.json"],
  ["run with values that are not an object", ["run", "--iparams", "list.json"], "does not contain a JSON object"],
  [
    "run with a value of another type than the parameter's",
    ["run", "--iparams", "object.json"],
    "note: This value is not",
  ],
  ["run with values for several apps", ["run", ".", "../empty", "--iparams", "block.json"], "one app"],
  ["run with a host mapped to nothing", ["run", "--map", "api.example.com"], "--map"],
  ["run with a host mapped to another machine", ["run", "--map", "api.example.com=http://example.org"], "--map"],
  ["event without a running app", ["event", "onMessageCreate"], "parley run"],
  ["event list without a running app", ["event", "list"], "parley run"],
  ["logs without a running app", ["logs"], "parley run"],
  ["event with a payload of invalid JSON", ["event", "onMessageCreate", "--data", "{"], "--data"],
  ["event with a payload that is not an object", ["event", "onMessageCreate", "--from", "list.json"], "list.json"],
  [
    "event with a payload of invalid JSON with line breaks",
    ["event", "onMessageCreate", "--from", "text.json"],
    "text.json is not valid JSON",
  ],
  ["event with a payload that is too long", ["event", "onMessageCreate", "--from", "long.json"], "longer than 4 MB"],
  ["event with an endless payload", ["event", "onMessageCreate", "--from", "/dev/zero"], "longer than 4 MB"],
  ["event with a folder as payload", ["event", "onMessageCreate", "--from", "/"], "can't be read (EISDIR)"],
  [
    "event with a list as payload",
    ["event", "onMessageCreate", "--data", "[]"],
    "--data does not contain a JSON object",
  ],
  ["event without a name", ["event", ""], "parley event list"],
  ["event with two payloads", ["event", "onMessageCreate", "--data", "{}", "--from", "list.json"], "can't be combined"],
  ["event --real with a payload", ["event", "onMessageCreate", "--data", "{}", "--real"], "--real"],
  ["test of a folder without an app", ["test", "../empty"], "manifest.json"],
])("parley %s fails in one line with a next step", async (_title, args, word) => {
  process.env["PARLEY_DATA"] = "";
  const inFolder = args.map((arg) => (/\.json$/.test(arg) ? join(folder, arg) : arg));
  const { status, stdout, stderr } = await runInProcess(inFolder);
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  expect(stderr).toContain(word);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test.each(["run", "event", "logs", "test"])("parley %s has --help with examples", async (command) => {
  const { status, stdout } = await runInProcess([command, "--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain(`Usage: parley ${command}`);
  expect(stdout).toContain("Examples:");
});

campaignTest("parley run with values that the app rejects prints the app's message and stops", async () => {
  const { status, stderr } = await parley(["run", "--ephemeral", "--json", "--iparams", "block.json"], { cwd: folder });
  expect(status).toBe(1);
  expect(stderr).toMatch(/parley: listener can't be installed with the values of block\.json \(Not today\)/);
});

campaignTest("parley run of two apps with the same name fails", async () => {
  const twin = join(base.folder, "twin");
  await cp(folder, twin, { recursive: true });
  const { status, stderr } = await parley(["run", ".", twin, "--ephemeral", "--json"], { cwd: folder });
  expect(status).toBe(1);
  expect(stderr).toContain("Two of the folders contain an app named listener");
});

campaignTest("parley run stops silently on Ctrl-C during its start", async () => {
  const harness = await appHarness({}, false);
  const running = harness.startInBackground("run", "--json");
  await waitUntil(() => existsSync(join(harness.folder, ".parley/postgres")));
  expect(await running.end()).toBe(0);
  expect(running.output()).toBe("");
  await harness.close();
});
