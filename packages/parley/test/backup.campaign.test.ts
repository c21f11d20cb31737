import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import { waitUntil } from "../../../test/support/wait-until.ts";
import type { BackupManifest } from "../src/backup/folder.ts";
import { releaseBackupFixture, type ReleaseBackup } from "../../../test/support/release-backup-fixture.ts";
import { parley, startParley, temporaryFolder, type RunningParley } from "../../../test/support/parley-process.ts";

let release: ReleaseBackup;
let work: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley | undefined;
beforeAll(async () => {
  work = await temporaryFolder();
  release = await releaseBackupFixture("0.1.0", pathOf("release"));
});
afterAll(async () => {
  await running?.stop();
  await work.remove();
});

const pathOf = (name: string) => join(work.folder, name);
const dataFolderOf = (name: string) => ({ env: { PARLEY_DATA: pathOf(name) } });
const clientOf = ({ service, token }: RunningParley): ParleyClient =>
  parleyClient({ url: service.replace(/\/v2$/, ""), token });
const isInstalled = async (name: string): Promise<boolean | undefined> => {
  const note = JSON.parse(await readFile(join(pathOf(name), "instance.json"), "utf8")) as {
    apps: readonly { installed: boolean }[];
  };
  return note.apps[0]?.installed;
};

/** Returns a copy of the kept backup with one defect. */
const damagedCopy = async (name: string, damage: (folder: string) => Promise<void>): Promise<string> => {
  await cp(release.folder, pathOf(name), { recursive: true });
  await damage(pathOf(name));
  return pathOf(name);
};
const refused = async (args: readonly string[], data: string, reason: string) => {
  const { status, stdout, stderr } = await parley(args, dataFolderOf(data));
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  expect(stderr).toContain(reason);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
};

const textsOf = async (client: ParleyClient, conversation_id: string): Promise<string[]> => {
  const texts: string[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, items_per_page: 50 };
    const { messages, link } = await client.messages.listMessages({ params: { conversation_id }, query });
    texts.push(...messages.map(({ id }) => id));
    if (!link) return texts.reverse();
  }
};

test("parley restore of an incomplete backup or of a newer release fails and leaves no data", async () => {
  const newer = await damagedCopy("newer", async (folder) => {
    const manifest = JSON.parse(await readFile(join(folder, "backup.json"), "utf8")) as BackupManifest;
    const service = [...(manifest.migrations["parley_service"] ?? []), { id: 9_999, name: "later" }];
    const migrations = { ...manifest.migrations, parley_service: service };
    await writeFile(join(folder, "backup.json"), JSON.stringify({ ...manifest, migrations }));
  });
  const cut = await damagedCopy("cut", async (folder) => {
    const file = join(folder, "tables/parley_service.users.ndjson.gz");
    await writeFile(file, (await readFile(file)).subarray(0, 200));
  });
  await refused(["restore", work.folder], "first", "is not a complete backup");
  await refused(["restore", newer], "first", "9999 (later)");
  await refused(["restore", cut], "first", "is damaged");
});

test("parley restore migrates a backup of an earlier release to this release", async () => {
  const { status, stdout, stderr } = await parley(["restore", release.folder, "--json"], dataFolderOf("first"));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ version: "0.1.0", objects: 1, rows: 237 });
  await refused(["restore", release.folder], "first", "The data folder or the database is not empty");

  running = await startParley(pathOf("first"), { args: ["--no-install"] });
  expect(running.token).toBe(release.token);
  expect(await isInstalled("first")).toBe(true);
  const client = clientOf(running);
  const query = { created_from: "1970-01-01T00:00:00Z" };
  const { users, pagination } = await client.users.listUsers({ query });
  expect(users.map(({ first_name, last_name }) => [first_name, last_name])).toEqual([
    ["Ana", undefined],
    ["Ben", "Stone"],
    ["Cleo", undefined],
  ]);
  expect(pagination.total_items).toBe(3);
  const { conversations } = await client.users.listUserConversations({ params: { user_id: users[0]?.id ?? "" } });
  const params = { conversation_id: conversations[0]?.id ?? "" };
  expect(await client.conversations.getConversation({ params })).toMatchObject({ status: "resolved" });
  const { messages } = await client.messages.listMessages({ params, query: {} });
  expect(messages.at(-1)?.message_parts).toEqual([{ text: { content: "Hello from Ana" } }]);
  expect(messages[0]?.meta_data).toEqual({ isResolved: true });
});

test("parley backup under load contains every write acknowledged before it, and no partial conversation", async () => {
  const from = running as RunningParley;
  const client = clientOf(from);
  const { channels } = await client.channels.listChannels({ query: {} });
  const conversations = await Promise.all(
    ["Eva", "Finn"].map(async (first_name) => {
      const user = await client.users.createUser({ body: { first_name } });
      const { id } = user;
      const message = { actor_type: "user" as const, actor_id: id, message_parts: [{ text: { content: "Hi" } }] };
      const { conversation_id } = await client.conversations.createConversation({
        body: { channel_id: channels[0]?.id ?? "", users: [{ id }], messages: [message] },
      });
      return { conversation_id, message };
    }),
  );
  const answered = new Map(conversations.map(({ conversation_id }) => [conversation_id, [] as string[]]));
  let isOver = false;
  const writing = Promise.all(
    conversations.map(async ({ conversation_id, message: body }) => {
      while (!isOver) {
        const { id } = await client.messages.createMessage({ params: { conversation_id }, body });
        answered.get(conversation_id)?.push(id);
      }
    }),
  );
  await waitUntil(() => [...answered.values()].every((ids) => ids.length >= 20));
  const before = new Map([...answered].map(([id, messages]) => [id, [...messages]]));
  const backup = await parley(["backup", pathOf("kept"), "--json"], dataFolderOf("first"));
  isOver = true;
  await writing;
  expect({ status: backup.status, stderr: backup.stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(backup.stdout)).toMatchObject({
    objects: 1,
    keys: ["secrets-key", "admin-key", "api-key", "app-key"],
  });
  await refused(["backup", pathOf("kept")], "first", "already exists");
  await refused(["restore", pathOf("kept")], "first", "Stop it first");
  const completeMessages = new Map(
    await Promise.all([...answered.keys()].map(async (id) => [id, await textsOf(client, id)] as const)),
  );
  await from.stop();
  running = undefined;

  const restoreRun = await parley(["restore", pathOf("kept")], dataFolderOf("second"));
  expect({ status: restoreRun.status, stderr: restoreRun.stderr }).toEqual({ status: 0, stderr: "" });
  running = await startParley(pathOf("second"), { args: ["--no-install"] });
  expect(running.token).toBe(from.token);
  expect(await isInstalled("second")).toBe(true);
  const restored = clientOf(running);
  for (const [id, messages] of before) {
    const restoredTexts = await textsOf(restored, id);
    expect(restoredTexts).toEqual(completeMessages.get(id)?.slice(0, restoredTexts.length));
    expect(messages.filter((each) => !restoredTexts.includes(each))).toEqual([]);
  }
}, 180_000);
