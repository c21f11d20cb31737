import { spawnSync } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import { ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";
import { callParley } from "./command-call.ts";

/** `parley init` creates a valid app that needs no package. */

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
let files: readonly string[];
beforeAll(async () => {
  temporary = await temporaryFolder("parley-init-");
  const { status, stdout, stderr } = await callParley(["init", "My Greeter", "--json"], { cwd: temporary.folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  ({ folder, files } = JSON.parse(stdout) as { folder: string; files: string[] });
  expect(JSON.parse(stdout)).toMatchObject({ name: "my-greeter" });
});
afterAll(() => temporary.remove());

const tsc = (cwd: string) =>
  spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd, encoding: "utf8" });

test("parley init --json names every file that it has written", async () => {
  const there = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect(there.sort()).toEqual([...files].sort());
  expect(files).toEqual(
    expect.arrayContaining([".gitignore", "manifest.json", "server/server.ts", "types/parley.d.ts"]),
  );
  expect(await readFile(join(folder, ".gitignore"), "utf8")).toContain(".parley");
});

campaignTest("an app of parley init compiles in strict mode without an installed package", async () => {
  const { status, stdout } = tsc(folder);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});

test("an app of parley init with a type error does not compile", async () => {
  const server = join(folder, "server/server.ts");
  const good = await readFile(server, "utf8");
  await writeFile(server, good.replace("message.conversation_id}.", "message.conversation}."));
  expect(tsc(folder).stdout).toContain("server/server.ts");
  await writeFile(server, good);
});

test("an app of parley init packs without editor files", async () => {
  const { status, stdout } = await callParley(["pack"], { cwd: folder });
  expect(status).toBe(0);
  expect(stdout).toContain("Packed dist/my-greeter.zip");
  expect(stdout).not.toContain("types/");
  expect((await readFile(join(folder, "dist/my-greeter.zip"))).toString("latin1")).not.toContain("$schema");
});

campaignTest(
  "parley init without --template uses the template greeter",
  async () => {
    const { stdout } = await callParley(["init", "named", "--template", "greeter", "--json"], {
      cwd: temporary.folder,
    });
    const named = JSON.parse(stdout) as { folder: string; files: string[] };
    expect(named.files.toSorted()).toEqual([...files].sort());
    for (const file of named.files.filter((each) => each.endsWith(".ts")))
      expect(await readFile(join(named.folder, file), "utf8")).toBe(await readFile(join(folder, file), "utf8"));
  },
  60_000,
);

describe("parley init rejects in one line and writes nothing for", () => {
  test.each([
    ["a folder that isn't empty", ["filled"], "is not empty: mine.txt"],
    ["a file", ["filled/mine.txt"], "Name a folder that is new or empty"],
    ["an invalid name", ["other", "--name", "../x"], "--name"],
    ["a location where no folder can be created", ["/proc/none/app"], "can't be written"],
  ])(
    "%s",
    async (_title, args, words) => {
      await mkdir(join(temporary.folder, "filled"), { recursive: true });
      await writeFile(join(temporary.folder, "filled", "mine.txt"), "mine");
      const { status, stdout, stderr } = await callParley(["init", ...args], { cwd: temporary.folder });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      expect(stderr).toContain(words);
      expect(await readdir(join(temporary.folder, "filled"))).toEqual(["mine.txt"]);
    },
    60_000,
  );
});
