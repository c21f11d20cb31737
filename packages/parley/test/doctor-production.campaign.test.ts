import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase, statement } from "@parley/database";
import { ignorePreparedCluster, startOwnServer, type OwnServer } from "@parley/database/testing";
import { startService } from "@parley/service";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";

/** `parley doctor --production` on servers and folders that fail its checks. */

interface Check {
  readonly name: string;
  readonly level: "ok" | "warn" | "fail";
  readonly message: string;
  readonly next?: string;
}

// The servers have a superuser of their own.
ignorePreparedCluster();

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
/** With settings that lose data. */
let bad: OwnServer;
/** With the settings of the product. */
let good: OwnServer;

beforeAll(async () => {
  temporary = await temporaryFolder("parley-production-");
  await chmod(temporary.folder, 0o711);
  const settings = {
    ...{ fsync: "off", full_page_writes: "off", synchronous_commit: "off", TimeZone: "Europe/Berlin" },
    ...{ max_connections: "30", idle_session_timeout: "3600000", statement_timeout: "5000" },
  };
  bad = await startOwnServer({ dataFolder: join(temporary.folder, "bad"), settings });
  good = await startOwnServer({ dataFolder: join(temporary.folder, "good"), settings: { max_connections: "240" } });
});
afterAll(async () => {
  await bad.close();
  await good.close();
  await temporary.remove();
});

const doctor = async (env: Record<string, string | undefined>, args: readonly string[] = []) => {
  const { status, stdout, stderr } = await parley(["doctor", "--production", "--json", ...args], {
    env: { PARLEY_DATA: join(temporary.folder, "data"), ...env },
  });
  expect(stderr).toBe("");
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
  for (const { level, next } of checks) expect(next === undefined).toBe(level === "ok");
  return { status, checks, of: (name: string) => checks.find((check) => check.name === name) };
};

const script = async (url: string, sql: string) => {
  const database = await openDatabase({ dataFolder: "", url });
  await database.pool("public", { max: 1 }).rows(statement("", sql), []);
  await database.close();
};

const listening = async (host: string, onConnection: (socket: { write(text: string): void }) => void) => {
  const server = createServer(onConnection).listen(0, host);
  await new Promise((resolve) => server.once("listening", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
};

describe("parley doctor --production: the database", () => {
  test("a server with settings that lose data fails, each with what to do", async () => {
    const { status, of } = await doctor({ DATABASE_URL: await bad.createDatabase("losing") });
    expect(status).toBe(1);
    expect(of("Durability")).toMatchObject({ level: "fail", message: expect.stringContaining("fsync is off") });
    expect(of("Time zone")).toMatchObject({ level: "warn", message: expect.stringContaining("Europe/Berlin") });
    expect(of("Connections")).toMatchObject({
      level: "fail",
      message: expect.stringContaining("4 processes need up to 200 connections"),
    });
    expect(of("Timeouts")?.message).toContain("idle_session_timeout (3600000 ms)");
    expect(of("Timeouts")?.message).toContain("statement_timeout (5000 ms)");
  });

  test.each([
    ["full_page_writes", { fsync: "on", full_page_writes: "off" }],
    ["synchronous_commit", { synchronous_commit: "off" }],
  ])("a server whose %s is off fails", async (name, settings) => {
    const server = await startOwnServer({ dataFolder: join(temporary.folder, name), settings });
    const { of } = await doctor({ DATABASE_URL: await server.createDatabase("one") });
    await server.close();
    expect(of("Durability")).toMatchObject({ level: "fail", message: expect.stringContaining(`${name} is off`) });
  });

  test("a server with the product's settings passes", async () => {
    const { of } = await doctor({ DATABASE_URL: await good.createDatabase("passing") });
    for (const name of ["Version", "Durability", "Time zone", "Locale", "Connections", "Timeouts", "Role", "Demo"])
      expect(of(name)).toMatchObject({ level: "ok" });
    expect(of("Database clock")).toMatchObject({ level: "ok" });
  });

  test("more processes than the server has connections for fail", async () => {
    const url = await good.createDatabase("crowded");
    expect((await doctor({ DATABASE_URL: url }, ["--processes", "5"])).of("Connections")).toMatchObject({
      level: "fail",
      next: expect.stringContaining("Set max_connections to 2"),
    });
    await script(good.administratorUrl("postgres"), "alter database crowded connection limit 50");
    expect((await doctor({ DATABASE_URL: url })).of("Connections")).toMatchObject({
      level: "fail",
      message: expect.stringContaining("limited to 50"),
    });
  });

  test("a superuser fails", async () => {
    await good.createDatabase("powerful");
    const { of } = await doctor({ DATABASE_URL: good.administratorUrl("powerful") });
    expect(of("Role")).toMatchObject({ level: "fail" });
  });

  test("another version of the collation and another encoding fail", async () => {
    const url = await good.createDatabase("collated");
    await script(
      good.administratorUrl("postgres"),
      "update pg_database set datcollversion = '0' where datname = 'collated'",
    );
    expect((await doctor({ DATABASE_URL: url })).of("Locale")).toMatchObject({
      level: "fail",
      next: expect.stringContaining('REINDEX DATABASE "collated"'),
    });
    await script(
      good.administratorUrl("postgres"),
      "create database ascii owner parley encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0",
    );
    const ascii = url.replace("/collated?", "/ascii?");
    expect((await doctor({ DATABASE_URL: ascii })).of("Locale")).toMatchObject({
      level: "fail",
      message: expect.stringContaining("SQL_ASCII"),
    });
  });

  test("accounts of the demo fail, with their valid keys", async () => {
    const url = await good.createDatabase("demonstrated");
    const database = await openDatabase({ dataFolder: "", url });
    const objectsFolder = join(temporary.folder, "objects");
    const service = await startService({
      ...{ database, port: 0, listens: false, isDispatchDisabled: true, objectsFolder },
      secretsFolder: temporary.folder,
    });
    await service.admin.ensureDemo();
    await service.admin.issueToken({ account: "acme", name: "serve" });
    await service.close();
    await database.close();
    expect((await doctor({ DATABASE_URL: url })).of("Demo")).toMatchObject({
      level: "fail",
      message: "Accounts of the demo exist: acme with 1 valid API keys, solo with 0 valid API keys.",
    });
  });

  test("a server that can't be reached fails each check of the server", async () => {
    const { of } = await doctor({ DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x" });
    expect(of("Durability")).toMatchObject({ level: "fail", message: expect.stringContaining("127.0.0.1:1") });
    expect(JSON.stringify(of("Durability"))).not.toContain("hidden");
  });
});

describe("parley doctor --production: the machine and its addresses", () => {
  let url: string;
  beforeAll(async () => {
    url = await good.createDatabase("machine");
  });

  test("a data folder and key files that others may read fail", async () => {
    const folder = join(temporary.folder, "open");
    await mkdir(folder, { mode: 0o755 });
    await chmod(folder, 0o755);
    await writeFile(join(folder, "secrets-key"), "key", { mode: 0o644 });
    await mkdir(join(folder, "objects"), { mode: 0o755 });
    await chmod(join(folder, "objects"), 0o755);
    const opened = await doctor({ DATABASE_URL: url, PARLEY_DATA: folder });
    expect(opened.of("Privacy")).toMatchObject({ level: "fail", next: `Run chmod 700 '${folder}'.` });
    expect(opened.of("Key files")).toMatchObject({ level: "fail", message: expect.stringContaining("secrets-key") });
    expect(opened.of("Objects")).toMatchObject({ level: "fail" });
    expect(opened.of("Secrets key")).toMatchObject({ level: "warn" });
    await chmod(folder, 0o700);
    await chmod(join(folder, "secrets-key"), 0o600);
    await chmod(join(folder, "objects"), 0o700);
    const closed = await doctor({ DATABASE_URL: url, PARLEY_DATA: folder, PARLEY_SECRETS_KEY: "ab".repeat(32) });
    for (const name of ["Privacy", "Key files", "Secrets key"]) expect(closed.of(name)).toMatchObject({ level: "ok" });
    expect(closed.of("Objects")).toMatchObject({ level: "warn", next: expect.stringContaining("PARLEY_OBJECTS") });
  });

  test("addresses that are not set, and addresses without encryption, fail", async () => {
    const absent = await doctor({ DATABASE_URL: url });
    expect(absent.of("Public address")).toMatchObject({ level: "fail", message: expect.stringContaining("not set") });
    expect(absent.of("Apps address")).toMatchObject({ level: "fail" });
    const plain = await doctor({
      ...{
        DATABASE_URL: url,
        PARLEY_PUBLIC_URL: "http://chat.example.com",
        PARLEY_APPS_URL: "http://apps.example.com",
      },
    });
    expect(plain.of("Public address")).toMatchObject({ level: "fail", message: expect.stringContaining("encryption") });
    expect(plain.of("Apps address")).toMatchObject({ level: "fail" });
    expect(plain.of("Proxies")).toMatchObject({
      level: "warn",
      next: expect.stringContaining("PARLEY_TRUSTED_PROXIES"),
    });
  });

  test("mail is checked with the server's greeting", async () => {
    const mail = await listening("127.0.0.1", (socket) => socket.write("220 mail.example.com ESMTP\r\n"));
    const busy = await listening("127.0.0.1", (socket) => socket.write("421 too busy\r\n"));
    const withMail = (port: number) =>
      doctor({
        ...{ DATABASE_URL: url, PARLEY_SMTP_URL: `smtp://127.0.0.1:${port}`, PARLEY_MAIL_FROM: "parley@example.com" },
      });
    expect((await withMail(mail.port)).of("Mail")).toMatchObject({ level: "ok" });
    expect((await withMail(busy.port)).of("Mail")).toMatchObject({
      level: "fail",
      message: expect.stringContaining("421"),
    });
    mail.close();
    busy.close();
    expect((await withMail(mail.port)).of("Mail")).toMatchObject({ level: "fail" });
    expect((await doctor({ DATABASE_URL: url })).of("Mail")).toMatchObject({ level: "warn" });
  });

  test("a setting that can't be read fails, and --processes needs --production", async () => {
    const { status, of } = await doctor({ PARLEY_PUBLIC_URL: "chat" });
    expect(status).toBe(1);
    expect(of("Settings")).toMatchObject({ level: "fail", message: expect.stringContaining("PARLEY_PUBLIC_URL") });
    const without = await parley(["doctor", "--processes", "3"]);
    expect(without).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("belongs to --production"),
    });
    const wrong = await parley(["doctor", "--production", "--processes", "many"]);
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining("from 1 to 10000") });
  });
});
