import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, openVault, statement, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import type { AppHost } from "../../src/platform/app-host/app-host.ts";
import { startAppHost } from "../../src/platform/app-host/start-app-host.ts";
import { startFakeAccount, type FakeAccount } from "../support/fake-account.ts";

/** Data of the previous version, which knew no accounts of consents and settings, no versions and no leases. */

const ADMIN_KEY = "parley_admin_of-a-migration";
const ID = "01890000-0000-7000-8000-000000000001";
const PREVIOUS_MIGRATIONS = APP_MIGRATIONS.filter(({ id }) => id < 9);

const FILES: Readonly<Record<string, string | object>> = {
  "package.json": { name: "kept" },
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: {
        functions: { look: {} },
        events: { onScheduledEvent: { handler: "fire" }, onExternalEvent: { handler: "hear" } },
      },
      chat_conversation: { events: { onMessageCreate: { handler: "answer" } } },
    },
  },
  "config/iparams.json": {
    greeting: { display_name: "Greeting", description: "d", type: "text" },
    token: { display_name: "Token", description: "d", type: "text", secure: true },
  },
  "server/server.js": `exports = {
        look: async function (args) {
          renderData(null, { record: await $db.get("kept"), url: await generateTargetUrl(), greeting: args.iparams.greeting });
        },
        fire: async function (args) { await $db.set("fired", args.data); },
        hear: async function (args) { await $db.set("heard", args.data); },
        answer: function () {},
      };`,
};

let database: Database;
let dataFolder: string;
let account: FakeAccount;
let host: AppHost;
let secret: string;
beforeAll(async () => {
  [database, dataFolder, account] = await Promise.all([
    testDatabase(),
    mkdtemp(join(tmpdir(), "parley-migration-")),
    startFakeAccount(),
  ]);
  const folder = join(dataFolder, "kept");
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  await migrate(database, APP_SCHEMA, PREVIOUS_MIGRATIONS);
  const vault = await openVault(dataFolder, realHostPorts.random, undefined);
  const pool = database.pool(APP_SCHEMA);
  secret = vault.derive("target/kept/acme/salt").toString("base64url");
  const rows: readonly (readonly [string, readonly unknown[]])[] = [
    [
      `insert into installations (id, project, account, domain, given, secure, version, created_time, updated_time)
       values ($1, 'kept', 'acme', 'acme.parley.localhost', $2, $3, 4, now(), now())`,
      [ID, JSON.stringify({ greeting: "Hello" }), JSON.stringify({ token: vault.seal(`${ID}/token`, "canary-token") })],
    ],
    [`insert into records (project, account, key, value) values ('kept', 'acme', 'kept', $1)`, ['{"a":1}']],
    [
      `insert into schedules (project, account, name, data, schedule_at, due_time, created_time, updated_time)
       values ('kept', 'acme', 'daily', '{"b":2}', now(), now(), now(), now())`,
      [],
    ],
    [
      `insert into targets (hash, project, account, salt, created_time) values ($1, 'kept', 'acme', 'salt', now())`,
      [createHash("sha256").update(secret).digest("hex")],
    ],
    [
      `insert into consents (project, subject, state, changed_time) values ('kept', 'api.example.com', 'given', now())`,
      [],
    ],
    [
      `insert into invocations (id, project, account, kind, event, handler, begun, ok, body)
       values ('i', 'kept', 'acme', 'function', 'look', 'look', now(), true, $1)`,
      [JSON.stringify({ id: "i", app: "kept", account: "acme" })],
    ],
  ];
  for (const [sql, values] of rows) await pool.rows(statement("", sql), [...values]);
  await pool.end();
  host = await startAppHost({
    folder,
    database,
    dataFolder,
    port: 0,
    hosts: new Map([["acme.parley.localhost", { origin: account.origin }]]),
    domainSuffix: ".parley.localhost",
    eventSecret: () => "",
    adminKey: ADMIN_KEY,
    origin: "folder",
  });
});
afterAll(async () => {
  await host.close();
  await Promise.all([account.close(), database.close()]);
  await rm(dataFolder, { recursive: true, force: true });
});

const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
  const reply = await fetch(`${host.url}/admin/${path}`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return (await reply.json()) as Record<string, unknown>;
};

test("an installation of the previous version keeps its id, parameters and secure values", async () => {
  expect(await host.installation()).toMatchObject({
    id: ID,
    account: "acme",
    values: { greeting: "Hello" },
    secure: new Set(["token"]),
    version: 4,
    state: "active",
  });
});

test("records, the address of the target, consents and recorded calls are kept", async () => {
  const { output } = await ask("functions", { name: "look", args: {} });
  expect(output).toEqual({
    record: { a: 1 },
    url: `http://localhost:${host.port}/targets/${secret}`,
    greeting: "Hello",
  });
  expect(await ask("consents")).toEqual({
    consents: [expect.objectContaining({ subject: "api.example.com", state: "given" })],
  });
  expect(await ask("invocations/i")).toMatchObject({ id: "i" });
});

test("its schedules fire, and its address receives", async () => {
  const reply = await fetch(`${host.url}/targets/${secret}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"c":3}',
  });
  expect(reply.status).toBe(200);
  const pool = database.pool(APP_SCHEMA);
  const written = async () => {
    const rows = await pool.rows<{ key: string; value: string }>(
      statement("", "select key, value from records where key <> 'kept' order by key"),
      [],
    );
    return rows.map(({ key, value }) => `${key} ${value}`);
  };
  await waitUntil(async () => (await written()).length === 2);
  expect(await written()).toEqual(['fired {"b":2}', 'heard {"c":3}']);
  await pool.end();
});
