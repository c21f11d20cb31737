import { spawnSync } from "node:child_process";
import { chmod, chown, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { embeddedUrl } from "@parley/database";
import { ignorePreparedCluster } from "@parley/database/testing";
import { waitUntil } from "../support/wait-until.ts";
import {
  familyOf,
  parley,
  ROOT,
  startParley,
  survivors,
  temporaryFolder,
  type RunningParley,
} from "../support/parley-process.ts";

/** User and location of a running instance, and changes of the app while it runs. */

// These tests create clusters as different users and in different folders.
ignorePreparedCluster();
let running: RunningParley | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const isGreeted = async (folder: string) => {
  const { stdout, stderr, status } = await parley(["chat", "--once", "Hi"], { env: { PARLEY_DATA: folder } });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout;
};

test("npm start uses DATABASE_URL if it is set and starts no server", async () => {
  const [first, second] = [await temporaryFolder(), await temporaryFolder()];
  const owner = await startParley(first.folder);
  try {
    // The embedded server accepts connections by its socket only. The second instance uses the database of the first.
    const url = embeddedUrl(first.folder);
    running = await startParley(second.folder, { env: { DATABASE_URL: url } });
    const client = parleyClient({ url: running.service, token: owner.token });
    await expect(client.groups.listGroups({ query: {} })).resolves.toHaveProperty("groups");
    const commands = (await familyOf(running.pid)).map(
      (pid) => spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout,
    );
    expect(commands.filter((command) => command.includes("/postgres "))).toEqual([]);
  } finally {
    await running?.stop();
    running = undefined;
    await owner.stop();
    await Promise.all([first.remove(), second.remove()]);
  }
});

const NOBODY_UID = 65_534;

/** A project folder that an ordinary user can read: this folder, or a copy if only root may enter it. */
async function readableRoot(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const args = ["-e", `require("fs").accessSync(${JSON.stringify(join(ROOT, "package.json"))})`];
  if (spawnSync(process.execPath, args, { uid: NOBODY_UID, gid: NOBODY_UID, cwd: "/" }).status === 0)
    return { folder: ROOT, remove: () => Promise.resolve() };
  // Not in the folder for temporary files, which may be in memory: a hard link can't leave its file system.
  const copy = await temporaryFolder("parley-copy-", "/var/tmp");
  await chmod(copy.folder, 0o755);
  const folder = join(copy.folder, "project");
  // Uses hard links if possible: the copy includes node_modules.
  if (spawnSync("cp", ["-al", ROOT, folder]).status !== 0) {
    await rm(folder, { recursive: true, force: true });
    expect(spawnSync("cp", ["-a", ROOT, folder]).status).toBe(0);
  }
  await chmod(folder, 0o755);
  return { folder, remove: copy.remove };
}

test("npm start works for an ordinary user", async () => {
  const asRoot = process.getuid?.() === 0;
  const home = await temporaryFolder("parley-user-");
  const project = asRoot ? await readableRoot() : { folder: ROOT, remove: () => Promise.resolve() };
  if (asRoot) await chown(home.folder, NOBODY_UID, NOBODY_UID);
  const data = join(home.folder, "data");
  running = await startParley(data, {
    project: project.folder,
    folder: project.folder,
    env: { HOME: home.folder },
    ...(asRoot ? { user: NOBODY_UID } : {}),
  });
  expect(await isGreeted(data)).toContain("Concierge: ");
  await running.stop();
  running = undefined;
  await Promise.all([home.remove(), project.remove()]);
});

/** Copies the app alone into another folder, where a test changes it. Its packages are resolved from the parent folder. */
async function copyApp() {
  const parentFolder = await temporaryFolder("parley-app-");
  const copy = { ...parentFolder, folder: join(parentFolder.folder, "app") };
  for (const name of ["manifest.json", "package.json", "config", "server", "app"])
    await cp(join(ROOT, name), join(copy.folder, name), { recursive: true });
  await mkdir(join(parentFolder.folder, "node_modules"));
  for (const name of ["handlebars", "libphonenumber-js", "@parley"])
    await symlink(join(ROOT, "node_modules", name), join(parentFolder.folder, "node_modules", name));
  return copy;
}

test("npm start reloads changes under server/; a syntax error is logged with its location and keeps the last good version", async () => {
  const copy = await copyApp();
  const data = join(copy.folder, "data");
  running = await startParley(data, { folder: copy.folder });
  expect(await isGreeted(data)).toContain("Concierge: Hi Sam");

  const welcome = join(copy.folder, "server", "greet.ts");
  const good = await readFile(welcome, "utf8");
  const { output } = running;
  await writeFile(welcome, `${good}\nconst broken = ;\n`);
  await waitUntil(() => /server\/greet\.ts:\d+:\d+/.test(output.stderr));
  expect(await isGreeted(data)).toContain("Concierge: Hi Sam");

  await writeFile(welcome, good);
  const message = join(copy.folder, "server", "lib", "bot-message.ts");
  await writeFile(message, (await readFile(message, "utf8")).replace(/bot_name:/, 'edited: "live", bot_name:'));
  const client = parleyClient({ url: running.service, token: running.token });
  /** Returns the content of the bot's message to a new customer. */
  const botMessage = async () => {
    await isGreeted(data);
    const { users } = await client.users.listUsers({
      query: { first_name: "Sam", sort_by: "created_time", sort_order: "desc" },
    });
    const { conversations } = await client.users.listUserConversations({ params: { user_id: users[0]?.id ?? "" } });
    const { messages } = await client.messages.listMessages({
      params: { conversation_id: conversations[0]?.id ?? "" },
      query: {},
    });
    return messages.find(({ actor_type }) => actor_type === "bot")?.meta_data;
  };
  await waitUntil(async () => Object.hasOwn((await botMessage()) ?? {}, "edited"));
  await running.stop();
  running = undefined;
  await copy.remove();
});

test("an app's handler in an endless loop ends with its host, even after SIGKILL of the host", async () => {
  const copy = await copyApp();
  const server = join(copy.folder, "server", "server.ts");
  const endless = "  onConversationCreateHandler: () => { for (;;); },";
  await writeFile(server, (await readFile(server, "utf8")).replace(/^ {2}onConversationCreateHandler,$/m, endless));
  expect(await readFile(server, "utf8")).toContain(endless);
  const data = join(copy.folder, "data");
  running = await startParley(data, { folder: copy.folder });
  await parley(["chat", "--once", "Hi", "--wait", "1"], { env: { PARLEY_DATA: data } });
  const family = await familyOf(running.pid);
  process.kill(running.pid, "SIGKILL");
  expect(await survivors(family, 10_000)).toEqual([]);
  running = undefined;
  await copy.remove();
});
