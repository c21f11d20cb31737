import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase, statement } from "../src/index.ts";
import { certificateAuthority } from "./certificate-builder.ts";
import { temporaryFolders } from "./temporary-folders.ts";
import { appUrl, postgresFixture, removeServers, type PostgresFixture } from "./postgres-fixture.ts";

/** `sslmode` and related settings behave as in PostgreSQL's own clients, with servers with and without TLS. */
const folders = temporaryFolders();
let home: string;
let usualHome: string | undefined;
const servers: Record<string, PostgresFixture> = {};
const files: Record<string, string> = {};

const write = (name: string, text: string, mode = 0o600): string => {
  const path = join(home, name);
  writeFileSync(path, text, { mode });
  return (files[name.replace(/\.\w+$/, "")] = path);
};

beforeAll(async () => {
  home = folders.create();
  usualHome = process.env.HOME;
  process.env.HOME = home;
  const [ours, other] = [certificateAuthority("Ours"), certificateAuthority("Others")];
  write("ours.crt", ours.pem);
  write("other.crt", other.pem);
  const client = ours.issue("app");
  write("client.crt", client.pem);
  write("client.key", client.keyPem);
  const certified = (hosts: readonly string[]) => {
    const { pem, keyPem } = ours.issue("server", hosts);
    return { "server.crt": pem, "server.key": keyPem, "root.crt": ours.pem };
  };
  const settings = { ssl: "on", ssl_ca_file: "root.crt" };
  const [local, elsewhere] = [certified(["localhost", "127.0.0.1"]), certified(["db.example.com"])];
  Object.assign(servers, {
    plain: await postgresFixture(),
    tls: await postgresFixture({ settings, files: local }),
    tlsOnly: await postgresFixture({ settings, files: local, hba: "hostssl all app all scram-sha-256\n" }),
    plainOnly: await postgresFixture({ settings, files: local, hba: "hostnossl all app all scram-sha-256\n" }),
    otherName: await postgresFixture({ settings, files: elsewhere }),
    certificate: await postgresFixture({ settings, files: local, hba: "hostssl all app all cert\n" }),
  });
});
afterAll(async () => {
  process.env.HOME = usualHome;
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  removeServers();
  folders.removeAll();
});

const STATE = statement("", "select ssl from pg_stat_ssl where pid = pg_backend_pid()");

/** -> whether the connection uses TLS, or why it fails */
const outcome = async (server: string, parameters: string, host = "127.0.0.1"): Promise<boolean | string> => {
  const named = parameters.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(files[name] ?? name));
  const url = appUrl(`${host}:${servers[server]?.port}`, named);
  try {
    const database = await openDatabase({ dataFolder: "/nowhere", url });
    const row = await database.pool("public", { max: 1 }).one<{ ssl: boolean }>(STATE, []);
    await database.close();
    return row?.ssl ?? "no row";
  } catch (error) {
    expect((error as Error).name).toBe("DatabaseUnavailable");
    expect((error as Error).message).not.toMatch(/p@ss|p%40ss|\n/);
    return (error as Error).message;
  }
};

const NO_TLS = "does not support SSL";
const NO_RULE = "no pg_hba.conf entry";
const UNKNOWN = "certificate";

describe.each<[server: string, expected: Readonly<Record<string, boolean | string>>]>([
  ["plain", { "": false, disable: false, allow: false, prefer: false, require: NO_TLS, "no-verify": NO_TLS }],
  ["tls", { "": true, disable: false, allow: false, prefer: true, require: true, "no-verify": true }],
  ["tlsOnly", { "": true, disable: NO_RULE, allow: true, prefer: true, require: true }],
  ["plainOnly", { "": false, disable: false, allow: false, prefer: false, require: NO_RULE }],
  // These modes don't verify the certificate.
  ["otherName", { "": true, require: true }],
])("a server that is %s", (server, expected) => {
  test.each(Object.entries(expected))("with sslmode '%s' -> %s", async (mode, wanted) => {
    const found = await outcome(server, mode && `sslmode=${mode}`);
    expect(found).toEqual(typeof wanted === "string" ? expect.stringContaining(wanted) : wanted);
  });
});

test.each<[what: string, server: string, parameters: string, wanted: boolean | string, host?: string]>([
  ["verify-full takes the authority's certificate", "tls", "sslmode=verify-full&sslrootcert={ours}", true],
  ["verify-full takes it by name too", "tls", "sslmode=verify-full&sslrootcert={ours}", true, "localhost"],
  ["verify-full refuses another name", "otherName", "sslmode=verify-full&sslrootcert={ours}", "does not match"],
  ["verify-ca takes another name", "otherName", "sslmode=verify-ca&sslrootcert={ours}", true],
  ["verify-ca refuses another authority", "tls", "sslmode=verify-ca&sslrootcert={other}", UNKNOWN],
  ["verify-full refuses another authority", "tls", "sslmode=verify-full&sslrootcert={other}", UNKNOWN],
  ["require with an authority verifies it", "tls", "sslmode=require&sslrootcert={other}", UNKNOWN],
  ["require with an authority takes another name", "otherName", "sslmode=require&sslrootcert={ours}", true],
  ["system authorities don't know ours", "tls", "sslrootcert=system", UNKNOWN],
  ["system goes with verify-full only", "tls", "sslmode=require&sslrootcert=system", "write sslmode=verify-full"],
  ["verify-full needs an authority", "tls", "sslmode=verify-full", "sslrootcert=system"],
  [
    "a missing file is named",
    "tls",
    "sslmode=verify-ca&sslrootcert=/nowhere/root.crt",
    "/nowhere/root.crt does not exist",
  ],
  ["an unknown mode is refused", "tls", "sslmode=always", "disable, allow, prefer, require, verify-ca, verify-full"],
  ["ssl=true asks for TLS", "plain", "ssl=true", NO_TLS],
  ["a client's certificate is shown", "certificate", "sslmode=require&sslcert={client_crt}&sslkey={client_key}", true],
  ["without it such a server refuses", "certificate", "sslmode=require", "certificate"],
])("%s", async (...row) => {
  const [, server, parameters, wanted, host] = row;
  files["client_crt"] = join(home, "client.crt");
  files["client_key"] = join(home, "client.key");
  const found = await outcome(server, parameters, host);
  expect(found).toEqual(typeof wanted === "string" ? expect.stringContaining(wanted) : wanted);
});

test("a private key that other users may read is refused", async () => {
  chmodSync(join(home, "client.key"), 0o644);
  const parameters = `sslmode=require&sslcert=${encodeURIComponent(join(home, "client.crt"))}&sslkey=${encodeURIComponent(join(home, "client.key"))}`;
  expect(await outcome("certificate", parameters)).toContain("others may read the private key");
  chmodSync(join(home, "client.key"), 0o600);
});

test("the authority's certificate in its default location is used", async () => {
  mkdirSync(join(home, ".postgresql"));
  writeFileSync(join(home, ".postgresql", "root.crt"), certificateAuthority("Another").pem);
  expect(await outcome("tls", "sslmode=verify-full")).toContain(UNKNOWN);
  expect(await outcome("tls", "sslmode=require")).toContain(UNKNOWN);
});

describe("channel_binding behaves as in PostgreSQL's own clients", () => {
  test.each<[server: string, parameters: string, expected: boolean | string]>([
    ["tls", "sslmode=require&sslrootcert={ours}&channel_binding=require", true],
    ["tls", "sslmode=require&sslrootcert={ours}&channel_binding=prefer", true],
    ["tls", "sslmode=require&sslrootcert={ours}&channel_binding=disable", true],
    ["tls", "sslmode=disable&channel_binding=require", "does not bind its authentication"],
    ["plain", "channel_binding=require", "does not bind its authentication"],
    ["plain", "channel_binding=prefer", false],
    ["plain", "channel_binding=always", "channel_binding is not supported"],
    ["plain", "gssencmode=disable&sslnegotiation=postgres", false],
    ["plain", "gssencmode=require", "gssencmode is not supported"],
  ])("%s, %s", async (server, parameters, expected) => {
    const found = await outcome(server, parameters);
    if (typeof expected === "string") expect(found).toContain(expected);
    else expect(found).toBe(expected);
  });
});
