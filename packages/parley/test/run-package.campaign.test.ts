import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { unzipSync, zipSync } from "fflate";
import { parley, ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";

/** A package from `parley pack`, run on a machine that has only this file. */

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let zip: string;
beforeAll(async () => {
  temporary = await temporaryFolder("parley-package-");
  await parley(["init", "my folder", "--name", "greeter"], { cwd: temporary.folder });
  zip = join(temporary.folder, "given", "greeter.zip");
  const { status } = await parley(["pack", "--out", zip], { cwd: join(temporary.folder, "my folder") });
  expect(status).toBe(0);
});
afterAll(() => temporary.remove());

interface Announced {
  readonly app: string;
  readonly dataFolder: string;
  readonly apps: readonly { name: string; folder: string; installed: boolean }[];
}

/** Runs the command until it has announced its addresses and `use` has finished. */
const whileRunning = async (args: readonly string[], use: (at: Announced) => Promise<void>): Promise<void> => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(ROOT, "packages/parley/bin/parley.mjs"), "run", ...args, "--json"], {
    cwd: temporary.folder,
    env: { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes("\n")) resolve(stdout);
    });
    child.once("close", () => reject(new Error(`It ended: ${stdout}`)));
  });
  try {
    await use(JSON.parse(line) as Announced);
  } finally {
    child.kill("SIGINT");
    await ended;
  }
};

test("parley run of a package extracts it beside the file, installs and serves it, and keeps its data for the next run", async () => {
  const folder = join(temporary.folder, "given/.parley-packages/greeter");
  let data = "";
  await whileRunning([zip, "--install"], async (at) => {
    expect(at.apps).toMatchObject([{ folder, installed: true }]);
    expect((await fetch(at.app)).status).toBe(200);
    expect((await fetch(`${at.app}/custom_configs`)).status).toBe(200);
    data = at.dataFolder;
  });
  expect(data).toBe(join(folder, ".parley"));
  await writeFile(join(folder, "left-over.txt"), "of an earlier version");
  await whileRunning([zip], async (at) => expect(at.apps).toMatchObject([{ folder, installed: true }]));
  await expect(readFile(join(folder, "left-over.txt"))).rejects.toThrow("ENOENT");
});

const changed = async (
  change: (entries: Record<string, Uint8Array>) => Record<string, Uint8Array>,
): Promise<string> => {
  const file = join(temporary.folder, "changed.zip");
  await writeFile(file, zipSync(change(unzipSync(await readFile(zip)))));
  return file;
};
const text = (content: string) => new TextEncoder().encode(content);

test.each<[string, (entries: Record<string, Uint8Array>) => Record<string, Uint8Array>, RegExp]>([
  ["with a changed page", (all) => ({ ...all, "./app/index.html": text("<p>Other</p>") }), /do not match digest\.md5/],
  [
    "with a path outside the app's folder",
    (all) => ({ ...all, "./app/../../evil.js": text("") }),
    /outside the app's folder/,
  ],
  ["with a hidden file", (all) => ({ ...all, "./.npmrc": text("git=evil") }), /or be hidden there/],
  ["without a digest", ({ "./digest.md5": _digest, ...rest }) => rest, /no manifest\.json or no digest\.md5/],
])("parley run of a package %s is rejected, and nothing is extracted", async (_what, change, words) => {
  const { status, stdout, stderr } = await parley(["run", await changed(change)]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(words);
  await expect(readFile(join(temporary.folder, ".parley-packages/changed/manifest.json"))).rejects.toThrow("ENOENT");
});

test("parley run of a file that is not a zip archive is rejected", async () => {
  const file = join(temporary.folder, "none.zip");
  await writeFile(file, "nothing");
  const { status, stderr } = await parley(["run", file]);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `parley: ${file} can't be run. The file is not a zip file, or is damaged. Create it with 'npx parley pack'.\n`,
  });
});
