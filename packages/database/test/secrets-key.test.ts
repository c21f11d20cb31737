import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openSecretsKeyFile, openVault, SECRETS_KEY_FILE, SecretsKeyUnusable } from "@parley/database";

/** The keys of stored secrets in a file that a rotation changes while other processes have it open. */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-keys-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (keyText?: string) => openVault(folder, randomBytes, keyText);
const file = async () => {
  const opened = await openSecretsKeyFile(folder, randomBytes);
  if (!opened) throw new Error("there is no file");
  return opened;
};
const path = () => join(folder, SECRETS_KEY_FILE);
const OWNER = "a webhook";

test("a vault opens secrets that were sealed before and after each step of a rotation, without being opened again", async () => {
  const running = await open();
  const early = running.seal(OWNER, "early");
  await (await file()).addKey();
  const other = await open();
  const late = other.seal(OWNER, "late");
  expect([running.open(OWNER, early), running.open(OWNER, late)]).toEqual(["early", "late"]);
  expect([running.isSealedWithFirst(OWNER, early), running.isSealedWithFirst(OWNER, late)]).toEqual([false, true]);
  await (await file()).removeEarlierKeys();
  const afterwards = await open();
  expect(afterwards.open(OWNER, running.seal(OWNER, "after"))).toBe("after");
  expect(afterwards.open(OWNER, late)).toBe("late");
  expect(() => afterwards.open(OWNER, early)).toThrow();
});

test("a vault that was opened before a key was added seals with the new key", async () => {
  const running = await open();
  running.seal(OWNER, "before");
  await (await file()).addKey();
  await (await file()).removeEarlierKeys();
  expect((await open()).open(OWNER, running.seal(OWNER, "after"))).toBe("after");
});

test("derived secrets of all keys are available until the earlier key is removed", async () => {
  const running = await open();
  const before = running.derive("purpose");
  await (await file()).addKey();
  expect(running.derive("purpose").equals(before)).toBe(false);
  expect(running.deriveAll("purpose").map((secret) => secret.equals(before))).toEqual([false, true]);
  await (await file()).removeEarlierKeys();
  expect(running.deriveAll("purpose")).toHaveLength(1);
});

test.each([
  ["is removed", () => rm(path())],
  ["is malformed", () => writeFile(path(), "not a key")],
  ["is empty", () => writeFile(path(), "")],
])(
  "nothing is sealed while the file %s; secrets of known keys are opened, and sealing works again afterwards",
  async (_, damage) => {
    const running = await open();
    const sealed = running.seal(OWNER, "kept");
    const content = await readFile(path(), "utf8");
    await damage();
    expect(() => running.seal(OWNER, "lost")).toThrow(SecretsKeyUnusable);
    expect(running.open(OWNER, sealed)).toBe("kept");
    await writeFile(`${path()}.new`, content);
    await rename(`${path()}.new`, path());
    expect(running.open(OWNER, running.seal(OWNER, "again"))).toBe("again");
  },
);

test("the setting takes several keys: the first one seals, all of them open", async () => {
  const [first, second] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const sealed = (await open(first)).seal(OWNER, "text");
  const both = await open(`${second}, ${first.toUpperCase()}`);
  expect(both.open(OWNER, sealed)).toBe("text");
  expect((await open(second)).open(OWNER, both.seal(OWNER, "new"))).toBe("new");
  expect(() => both.open("another owner", sealed)).toThrow();
  await expect(open(`${first},short`)).rejects.toThrow("PARLEY_SECRETS_KEY must hold 64 hex digits");
});

test("a change keeps the mode of the file, follows a link, and leaves no other file", async () => {
  await open();
  await chmod(path(), 0o640);
  await rename(path(), join(folder, "elsewhere"));
  await symlink("elsewhere", path());
  await (await file()).addKey();
  expect(await (await file()).count()).toBe(2);
  expect((await stat(join(folder, "elsewhere"))).mode & 0o777).toBe(0o640);
  expect((await readdir(folder)).sort()).toEqual(["elsewhere", SECRETS_KEY_FILE]);
});
