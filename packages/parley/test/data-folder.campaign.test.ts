import { spawn } from "node:child_process";
import { chmod, lstat, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makeFolder } from "../src/environment/folder.ts";
import { ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";

/** File modes of a data folder, independent of the umask. */

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  temporary = await temporaryFolder("parley-modes-");
  await chmod(temporary.folder, 0o755);
});
afterAll(() => temporary.remove());

/** Starts `parley serve --demo` with umask 000 and stops it after its announcement. Returns its log. */
async function serveOnce(folder: string): Promise<string> {
  const command = `umask 000; exec "$0" packages/parley/bin/parley.mjs serve --demo --port 0 --json`;
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn("/bin/sh", ["-c", command, process.execPath], {
    cwd: ROOT,
    env: { ...env, PARLEY_DATA: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const lines = createInterface({ input: child.stdout });
  await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  return log;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** Lists files that users other than the owner may read or write. */
const filesOpenToOthers = async (folder: string): Promise<string[]> => {
  const openFiles: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isFile() && (found.mode & 0o077) !== 0) openFiles.push(name);
  }
  return openFiles;
};

/** Files without secrets. */
const PUBLIC = [".gitignore", "lock"];
// PostgreSQL can't run as root: its user enters the folder through the group.
const allowed = process.getuid?.() === 0 ? 0o710 : 0o700;

test("a start with umask 000 creates a data folder that only its owner may enter", async () => {
  const folder = join(temporary.folder, "fresh");
  expect(await serveOnce(folder)).not.toContain("open to other users");
  expect((await modeOf(folder)) & ~allowed).toBe(0);
  expect(await modeOf(join(folder, "postgres"))).toBe(0o700);
  expect((await filesOpenToOthers(folder)).filter((name) => !PUBLIC.includes(name))).toEqual([]);
  // The second start logs no warning.
  expect(await serveOnce(folder)).not.toContain("open to other users");
});

test("a start restricts an existing data folder that is open to all users, and logs it", async () => {
  const folder = join(temporary.folder, "open");
  await mkdir(join(folder, "postgres"), { recursive: true });
  await chmod(folder, 0o777);
  await chmod(join(folder, "postgres"), 0o777);
  expect(await serveOnce(folder)).toMatch(/The data folder \S+ was open to other users \(mode 0777\)/);
  expect((await modeOf(folder)) & ~allowed).toBe(0);
  expect(await modeOf(join(folder, "postgres"))).toBe(0o700);
});

test("a start leaves the mode of a folder with other contents unchanged", async () => {
  const folder = join(temporary.folder, "project");
  await mkdir(folder);
  await writeFile(join(folder, "README"), "");
  await chmod(folder, 0o755);
  expect(await serveOnce(folder)).not.toContain("open to other users");
  expect(await modeOf(folder)).toBe(0o755);
  expect(await modeOf(join(folder, "postgres"))).toBe(0o700);
  expect((await filesOpenToOthers(folder)).filter((name) => !PUBLIC.includes(name))).toEqual(["README"]);
});

test("makeFolder creates a folder with its final mode, so that a concurrent start never finds it open", async () => {
  const folder = join(temporary.folder, "above", "data");
  await Promise.all([makeFolder(folder, 0o700), makeFolder(folder, 0o700)]);
  expect(await modeOf(folder)).toBe(0o700);
  expect(await modeOf(join(temporary.folder, "above"))).toBe(0o777 & ~process.umask());
});
