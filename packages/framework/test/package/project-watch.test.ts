import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { watchProject, type Watcher } from "../../src/package/live-project.ts";

let folder: string;
let watcher: Watcher;
let count: number;
let changed: () => void;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-watch-"));
  await writeFile(join(folder, "manifest.json"), "{}");
  count = 0;
  changed = () => undefined;
  watcher = await watchProject(
    folder,
    async () => {
      count += 1;
      changed();
    },
    (error) => {
      throw error;
    },
  );
});
afterEach(async () => {
  await watcher.close();
  await rm(folder, { recursive: true, force: true });
});

const nextChange = () => new Promise<void>((resolve) => (changed = resolve));

test.each(["server/server.js", "config/iparams.json", "app/index.html", "server/lib/deep/more.js", "package.json"])(
  "a watched app notices %s when it is created, with its folder, and when it changes",
  async (file) => {
    const came = nextChange();
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), "1");
    await came;
    // The watcher's library drops an event of a file that follows another event within 5 ms.
    const before = count;
    let text = "1";
    await waitUntil(async () => {
      await writeFile(join(folder, file), (text += "1"));
      return count > before;
    });
  },
);

test("a watched app ignores files beside its own parts", async () => {
  for (const other of ["node_modules/a", "dist", ".parley"]) {
    await mkdir(join(folder, other), { recursive: true });
    await writeFile(join(folder, other, "file"), "1");
  }
  const came = nextChange();
  await writeFile(join(folder, "manifest.json"), "{ }");
  await came;
  expect(count).toBe(1);
});
