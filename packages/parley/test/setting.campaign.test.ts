import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { parley, ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";

jest.setTimeout(90_000);

const SECRET = "canary-vendor-5519";
const FILES = {
  "package.json": { name: "configured" },
  "manifest.json": { "platform-version": "3.0", modules: { common: {}, chat_conversation: {} } },
  "config/iparams.json": {},
  "config/app_settings.json": { vendor_key: {}, region: { secure: false } },
  "server/server.js": `exports = {
    onSettingsUpdate: ({ region }) => renderData(region === "moon" ? { message: "No data is kept there." } : undefined),
  };`,
};

let base: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
let child: ChildProcess;
let output = "";
beforeAll(async () => {
  base = await temporaryFolder();
  folder = join(base.folder, "configured");
  for (const [file, content] of Object.entries(FILES)) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  await writeFile(join(base.folder, "key.txt"), `${SECRET}\n`);
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...inherited } = process.env;
  child = spawn(process.execPath, [join(ROOT, "packages/parley/bin/parley.mjs"), "run", "--install"], {
    cwd: folder,
    env: { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`It has ended:\n${output}`);
      return output.includes("Parley is running");
    },
    { details: () => output, timeoutMs: 60_000 },
  );
});
afterAll(async () => {
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill("SIGINT");
  await ended;
  await base.remove();
});

const setting = (...args: string[]) => parley(["setting", ...args], { cwd: folder });

test("parley run names the settings without a value, and parley setting sets them, lists them without secrets and removes them", async () => {
  expect(output).toContain("configured has app settings without a value: vendor_key, region.");
  const set = await setting("set", "region=eu", "vendor_key=@../key.txt");
  expect(set).toMatchObject({ status: 0, stderr: "" });
  expect(set.stdout).toMatch(/vendor_key +stored, not shown\nregion +eu\n/);
  const removed = await setting("remove", "vendor_key");
  expect(removed.stdout).toMatch(/vendor_key +not set\n/);
  const listed = await setting("list", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { key: "vendor_key", isSecure: true, isSet: false },
    { key: "region", isSecure: false, isSet: true, value: "eu" },
  ]);
  expect([set, removed, listed].map(({ stdout }) => stdout).join("")).not.toContain(SECRET);
});

test.each([
  ["a value that the app rejects", ["set", "region=moon"], "No data is kept there."],
  ["an undeclared setting", ["set", "gone=x"], "gone: config/app_settings.json declares no such setting."],
  ["text that is not a setting", ["set", "region"], "'region' is not a setting: write key=value, or key=@file."],
  ["an empty value", ["set", "region="], "region has no value: to remove it, use 'npx parley setting remove'."],
  ["a missing file", ["set", "region=@none.txt"], "none.txt can't be read: ENOENT."],
])("parley setting reports %s in one line", async (_name, args, words) => {
  const { status, stderr } = await setting(...args);
  expect(status).toBe(1);
  expect(stderr).toContain(words);
});
