import { spawn, type ChildProcess } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { chmod, cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { joinDatabase, migrate, openVault, statement, type Database, type Pool, type Vault } from "@parley/database";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework";
import { familyOf, killAll, parley, ROOT, survivors, temporaryFolder } from "../../../test/support/parley-process.ts";

/** `parley secrets` on an instance of two processes that stores secrets meanwhile. */

const data = await temporaryFolder();
const PARLEY = join(ROOT, "packages/parley/bin/parley.mjs");
const { NODE_OPTIONS: _, DATABASE_URL: __, PARLEY_SECRETS_KEY: ___, ...rest } = process.env;
const env = { ...rest, PARLEY_DATA: data.folder, PARLEY_CALLS_PER_HOUR: "1000000", PARLEY_APP_PORT: "0" };
const KEY_FILE = join(data.folder, "secrets-key");

let instance: ChildProcess;
let origin: string;
let adminKey: string;
let database: Database;
let apps: Pool;
let service: Pool;
beforeAll(async () => {
  const args = ["serve", "--workers", "2", "--port", "0", "--demo", "--json"];
  instance = spawn(process.execPath, [PARLEY, ...args], {
    cwd: data.folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  instance.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  while (!stdout.includes("\n") && instance.exitCode === null) await wait(20);
  ({ origin } = new URL((JSON.parse(stdout) as { service: string }).service));
  adminKey = (await readFile(join(data.folder, "admin-key"), "utf8")).trim();
  database = await joinDatabase({ dataFolder: data.folder, url: undefined, log: () => undefined });
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
  apps = database.pool(APP_SCHEMA, { max: 2 });
  service = database.pool("parley_service", { max: 2 });
});
afterAll(async () => {
  await Promise.all([apps.end(), service.end()]);
  await database.close();
  const family = await familyOf(instance.pid ?? 0);
  instance.kill("SIGTERM");
  killAll(await survivors(family, 8_000));
  await data.remove();
});

const secrets = (args: readonly string[], more: Record<string, string> = {}) =>
  parley(["secrets", ...args], { env: { PARLEY_DATA: data.folder, ...more } });
const rotate = async (...args: string[]) => {
  const { status, stdout, stderr } = await secrets(["rotate", "--keep-seconds", "1", "--json", ...args]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
  return JSON.parse(stdout) as { sealed: number; continued: boolean; unreadable: number };
};
interface Status {
  readonly keys: number;
  readonly secrets: readonly { name: string; present: number; earlier: number; unreadable: number }[];
}
const statusOf = async (more: Record<string, string> = {}): Promise<Status> =>
  JSON.parse((await secrets(["status", "--json"], more)).stdout) as Status;
const sums = ({ secrets: kinds }: Status) => ({
  present: kinds.reduce((sum, { present }) => sum + present, 0),
  earlier: kinds.reduce((sum, { earlier }) => sum + earlier, 0),
  unreadable: kinds.reduce((sum, { unreadable }) => sum + unreadable, 0),
});
const refused = async (args: readonly string[], reason: string, more: Record<string, string> = {}) => {
  const { status, stdout, stderr } = await secrets(args, more);
  expect(stderr).toContain(reason);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
};
const keysNow = async () => (await readFile(KEY_FILE, "utf8")).trim().split("\n");
const vaultNow = (): Promise<Vault> => openVault(data.folder, randomBytes, undefined);

interface AddedWebhook {
  readonly id: string;
  readonly secret: string;
}
const addWebhook = async (name: string): Promise<AddedWebhook> => {
  const reply = await fetch(`${origin}/admin/accounts/acme/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ url: `https://hooks.example.com/${name}` }),
  });
  expect({ name, code: reply.status }).toEqual({ name, code: 201 });
  const { webhook, secret } = (await reply.json()) as { webhook: { id: string }; secret: string };
  return { id: webhook.id, secret };
};
const removeWebhook = (id: string) =>
  fetch(`${origin}/admin/accounts/acme/webhooks/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${adminKey}` },
  });

const WEBHOOK = statement("", "select secret from subscriptions where id = $1");
const secretInDatabase = async (vault: Vault, id: string): Promise<string | undefined> => {
  const row = await service.one<{ secret: string }>(WEBHOOK, [id]);
  return row && vault.open(`webhook ${id}`, row.secret);
};

const INSTALLATION = randomUUID();
const HOLDER = { project: "demo", account: "acme", integration: "crm", agent: "" };
const OAUTH_OWNER = JSON.stringify(["oauth", "demo", "acme", "crm", ""]);
let derived: string;
/** Stores what apps store, sealed with the present key; the address of a target as an earlier release stored it. */
const storeSecretsOfApps = async () => {
  const vault = await vaultNow();
  const sealIparam = (text: string) => JSON.stringify({ key: vault.seal(`${INSTALLATION}/key`, text) });
  await apps.rows(
    statement(
      "",
      `insert into installations (id, project, account, domain, given, secure, version, created_time, updated_time, previous)
       values ($1, 'demo', 'acme', 'acme.parley.localhost', '{}', $2, 1, now(), now(),
               jsonb_build_object('version', '1.0.0', 'given', '{"n":1e400}', 'secure', $3::jsonb))`,
    ),
    [INSTALLATION, sealIparam("present 🔑"), sealIparam("previous")],
  );
  await apps.rows(statement("", "insert into app_settings values ('demo', 'token', $1, now(), 'acme')"), [
    vault.seal("app_settings/demo/token", "setting"),
  ]);
  await apps.rows(statement("", "insert into oauth_tokens values ('demo', 'acme', 'crm', '', $1, null, now())"), [
    vault.seal(OAUTH_OWNER, JSON.stringify({ accessToken: "granted" })),
  ]);
  derived = vault.derive("target/demo/acme/salt").toString("base64url");
  await apps.rows(
    statement(
      "",
      "insert into targets (hash, project, account, created_time, salt) values ($1, 'demo', 'acme', now(), 'salt')",
    ),
    [createHash("sha256").update(derived).digest("hex")],
  );
};
const secretsOfApps = async () => {
  const vault = await vaultNow();
  const installation = await apps.one<{
    secure: Record<string, string>;
    previous: { given: string; secure: Record<string, string> };
  }>(statement("", "select secure, previous from installations where id = $1"), [INSTALLATION]);
  const setting = await apps.one<{ sealed: string }>(statement("", "select sealed from app_settings"), []);
  const token = await apps.one<{ sealed: string }>(
    statement("", "select sealed from oauth_tokens where project = $1 and integration = $2"),
    [HOLDER.project, HOLDER.integration],
  );
  const target = await apps.one<{ sealed: string | null }>(statement("", "select sealed from targets"), []);
  return [
    vault.open(`${INSTALLATION}/key`, installation?.secure["key"] ?? ""),
    vault.open(`${INSTALLATION}/key`, installation?.previous.secure["key"] ?? ""),
    installation?.previous.given,
    vault.open("app_settings/demo/token", setting?.sealed ?? ""),
    vault.open(OAUTH_OWNER, token?.sealed ?? ""),
    vault.open(JSON.stringify(["target", "demo", "acme"]), target?.sealed ?? ""),
  ];
};

test("parley secrets rotate under load seals everything anew, and loses nothing that two processes store meanwhile", async () => {
  await storeSecretsOfApps();
  const first = await addWebhook("first");
  const [before] = await keysNow();
  expect(sums(await statusOf())).toMatchObject({ earlier: 0, unreadable: 0 });

  let isOver = false;
  const added: AddedWebhook[] = [first];
  const load = Promise.all(
    [0, 1].map(async (writer) => {
      for (let turn = 0; !isOver; turn += 1) {
        const webhook = await addWebhook(`load-${writer}-${turn}`);
        added.push(webhook);
        if (turn > 3) await removeWebhook(added.splice(1, 1)[0]?.id ?? "");
        await wait(20);
      }
    }),
  );
  const { sealed, continued, unreadable } = await rotate();
  isOver = true;
  await load;
  expect(sealed).toBeGreaterThan(5);
  expect({ continued, unreadable }).toEqual({ continued: false, unreadable: 0 });

  const keys = await keysNow();
  expect(keys).toHaveLength(1);
  expect(keys[0]).not.toBe(before);
  added.push(await addWebhook("after"));
  const vault = await vaultNow();
  for (const { id, secret } of added) expect(await secretInDatabase(vault, id)).toBe(secret);
  expect(await secretsOfApps()).toEqual([
    "present 🔑",
    "previous",
    '{"n":1e400}',
    "setting",
    '{"accessToken":"granted"}',
    derived,
  ]);
  expect(sums(await statusOf())).toEqual({ present: expect.any(Number), earlier: 0, unreadable: 0 });
});

test("a rotation that is killed at any moment leaves every secret readable, and the next one completes it", async () => {
  const before = await secretsOfApps();
  const run = async (kill: (child: ChildProcess, stderr: () => string) => Promise<void>) => {
    const child = spawn(process.execPath, [PARLEY, "secrets", "rotate", "--keep-seconds", "2"], {
      cwd: ROOT,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise((resolve) => child.once("close", resolve));
    await kill(child, () => stderr);
    child.kill("SIGKILL");
    await ended;
    expect(await secretsOfApps()).toEqual(before);
    const webhook = await addWebhook(`killed-${randomUUID().slice(0, 8)}`);
    expect(await secretInDatabase(await vaultNow(), webhook.id)).toBe(webhook.secret);
    await removeWebhook(webhook.id);
  };
  const until =
    (line: string, moreMs = 0) =>
    async (_: ChildProcess, stderr: () => string) => {
      while (!stderr().includes(line)) await wait(2);
      await wait(moreMs);
    };
  await run(until("A new key was added"));
  expect(await keysNow()).toHaveLength(2);
  const [added] = await keysNow();
  await run(until("were sealed anew"));
  await run(until("were sealed anew", 1_950));
  // The interrupted rotations were continued with the key of the first rotation.
  expect((await keysNow())[0]).toBe(added);
  for (const ms of [0, 10, 30]) await run(until("were sealed anew", 2_000 + ms));
  const { unreadable } = await rotate();
  expect(unreadable).toBe(0);
  expect(await keysNow()).toHaveLength(1);
  expect(await secretsOfApps()).toEqual(before);
  expect(sums(await statusOf())).toMatchObject({ earlier: 0, unreadable: 0 });
}, 180_000);

test("parley secrets rotate with another key, without a key, or with an unreadable file refuses and changes nothing", async () => {
  const content = await readFile(KEY_FILE, "utf8");
  const before = await secretsOfApps();
  await writeFile(KEY_FILE, `${randomBytes(32).toString("hex")}\n`);
  await refused(["rotate"], "These secrets can't be opened with any of the keys");
  await writeFile(KEY_FILE, "no key\n");
  await refused(["rotate"], "must hold 64 hex digits");
  await rm(KEY_FILE);
  await refused(["rotate"], "contains no secrets-key");
  await writeFile(KEY_FILE, content, { mode: 0o600 });
  if (process.getuid?.() !== 0) {
    await chmod(KEY_FILE, 0);
    await refused(["rotate"], "can't be read");
    await chmod(KEY_FILE, 0o600);
  }
  expect(await readFile(KEY_FILE, "utf8")).toBe(content);
  expect(await secretsOfApps()).toEqual(before);
});

test("with PARLEY_SECRETS_KEY, one key is refused with the order of the steps, and the first of several keys seals", async () => {
  const [present = ""] = await keysNow();
  const next = randomBytes(32).toString("hex");
  await refused(["rotate"], "'<earlier>,<new>', then '<new>,<earlier>'", { PARLEY_SECRETS_KEY: present });
  const both = { PARLEY_SECRETS_KEY: `${next},${present}` };
  const result = await secrets(["rotate", "--keep-seconds", "0"], both);
  expect(result.stdout).toContain("Set PARLEY_SECRETS_KEY to that key alone");
  expect(sums(await statusOf({ PARLEY_SECRETS_KEY: next }))).toMatchObject({ earlier: 0, unreadable: 0 });
  await secrets(["rotate", "--keep-seconds", "0"], { PARLEY_SECRETS_KEY: `${present},${next}` });
  expect(sums(await statusOf())).toMatchObject({ earlier: 0, unreadable: 0 });
});

test("a backup from before a rotation is restored with its own key, and rotated", async () => {
  const folder = join(data.folder, "kept");
  expect((await parley(["backup", folder], { env: { PARLEY_DATA: data.folder } })).status).toBe(0);
  const [before] = await keysNow();
  await rotate();
  expect((await keysNow())[0]).not.toBe(before);
  const restored = { PARLEY_DATA: join(data.folder, "restored") };
  const { status, stderr } = await parley(["restore", folder], { env: restored });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect((await readFile(join(restored.PARLEY_DATA, "secrets-key"), "utf8")).trim()).toBe(before);
  const counts = sums(await statusOf(restored));
  expect(counts).toMatchObject({ earlier: 0, unreadable: 0 });
  const rotated = await parley(["secrets", "rotate", "--keep-seconds", "0", "--json"], { env: restored });
  expect(JSON.parse(rotated.stdout)).toMatchObject({ sealed: counts.present, unreadable: 0 });
  await cp(join(folder, "keys", "secrets-key"), join(restored.PARLEY_DATA, "secrets-key"));
  expect(sums(await statusOf(restored)).unreadable).toBe(counts.present);
});
