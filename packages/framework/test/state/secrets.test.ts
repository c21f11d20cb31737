import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IparamsConfig } from "@parley/contract";
import { migrate, statement, type Database, type Pool, openVault, vault, type Vault } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { createInstallations, type Installations } from "../../src/state/installations.ts";
import { installationStore } from "../../src/state/installations.sql.ts";
import { realHostPorts } from "../../src/environment/ports.ts";

const CANARY = "canary-9b1d-Geheimnis ü";
const random = (count: number) => randomBytes(count);

describe("a vault", () => {
  const one = vault(randomBytes(32), random);

  test("decrypts its own values, for their owner only", () => {
    const sealed = one.seal("a/key", CANARY);
    expect(one.open("a/key", sealed)).toBe(CANARY);
    expect(() => one.open("b/key", sealed)).toThrow();
    expect(() => vault(randomBytes(32), random).open("a/key", sealed)).toThrow();
  });

  test("detects every changed byte", () => {
    const sealed = Buffer.from(one.seal("a", CANARY), "base64");
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => one.open("a", changed.toString("base64"))).toThrow();
    }
  });

  test("encrypts the same text differently each time", () => {
    expect(one.seal("a", CANARY)).not.toBe(one.seal("a", CANARY));
  });
});

describe("the secrets key", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-key-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("is in a file that only its owner may read, and is the same at the next start", async () => {
    const sealed = (await openVault(folder, random, undefined)).seal("a", CANARY);
    expect((await stat(join(folder, "secrets-key"))).mode & 0o777).toBe(0o600);
    expect((await openVault(folder, random, undefined)).open("a", sealed)).toBe(CANARY);
  });

  test("is read from the environment if set there", async () => {
    const key = randomBytes(32).toString("hex");
    const sealed = (await openVault("/nowhere", random, key)).seal("a", CANARY);
    expect((await openVault("/elsewhere", random, key.toUpperCase())).open("a", sealed)).toBe(CANARY);
    await expect(openVault("/nowhere", random, "short")).rejects.toThrow("PARLEY_SECRETS_KEY must hold 64 hex digits");
  });

  test("that is damaged is reported by file name and never by content", async () => {
    const path = join(folder, "secrets-key");
    await chmod(path, 0o600);
    await writeFile(path, "damaged");
    const failure = await openVault(folder, random, undefined).catch(String);
    expect(failure).toContain(path);
    expect(failure).not.toContain("damaged");
    expect(await readFile(path, "utf8")).toBe("damaged");
  });
});

describe("an installation", () => {
  const iparams: IparamsConfig = {
    domain: { display_name: "Account", type: "domain", type_attributes: { product: "chat" } },
    token: { display_name: "Token", type: "text", secure: true },
  };
  let database: Database;
  let pool: Pool;
  let seal: Vault;
  const of = (project: string): Installations =>
    createInstallations({
      store: installationStore(pool),
      vault: seal,
      ports: realHostPorts,
      project,
      app: () => ({ iparams, requests: {} }),
      domainSuffix: ".parley.localhost",
      account: { name: "acme", domain: "acme.parley.localhost" },
    });

  beforeAll(async () => {
    database = await testDatabase({ key: "framework", run: (fresh) => migrate(fresh, APP_SCHEMA, APP_MIGRATIONS) });
    pool = database.pool(APP_SCHEMA);
    seal = vault(randomBytes(32), random);
  });
  afterAll(() => database.close());

  test("is loaded as it was saved, with its secure values separate and unreadable in the database", async () => {
    const mine = of("one");
    expect(await mine.find()).toBeUndefined();
    const saved = await mine.save({ domain: "acme.parley.localhost", n: 3 }, { token: CANARY });
    expect(saved).toMatchObject({ account: "acme", domain: "acme.parley.localhost", version: 1 });
    expect(await mine.find()).toEqual(saved);
    expect(saved.values).toEqual({ domain: "acme.parley.localhost", n: 3 });
    expect(saved.secure).toEqual(new Set(["token"]));
    expect(await mine.secrets(saved)).toEqual({ token: CANARY });
    const rows = await pool.rows(statement("", "select installations::text from installations"), []);
    expect(JSON.stringify(rows)).not.toContain("canary");
  });

  test("keeps a secure value that isn't entered again, and counts its versions", async () => {
    const mine = of("two");
    const first = await mine.save({ domain: "acme.parley.localhost" }, { token: "a", other: "b" });
    const second = await mine.save({ domain: "solo.parley.localhost" }, { other: "c" });
    expect(second).toMatchObject({ id: first.id, account: "acme", domain: "solo.parley.localhost", version: 2 });
    expect(await mine.secrets(second)).toEqual({ token: "a", other: "c" });
  });

  test("saved twice concurrently is stored once", async () => {
    const mine = of("three");
    const saved = await Promise.all([1, 2, 3, 4].map((n) => mine.save({ n }, {})));
    expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
    expect((await mine.find())?.version).toBe(4);
    expect((await mine.find())?.account).toBe("acme");
  });

  test("is deleted with its secure values", async () => {
    const mine = of("four");
    const saved = await mine.save({}, { token: "a" });
    await mine.remove(saved.id);
    expect(await mine.find()).toBeUndefined();
    expect(await mine.secrets({ id: saved.id })).toEqual({});
  });
});
