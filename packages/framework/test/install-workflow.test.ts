import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IparamsConfig } from "@parley/contract";
import { migrate, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { egress, type Egress } from "@parley/egress";
import { APP_MIGRATIONS, APP_SCHEMA } from "../src/db/migrations.ts";
import { createInstallWorkflow } from "../src/installation/workflow/install.ts";
import { createInstallations, type Installations, createSerialQueue } from "../src/installation/installations.ts";
import { installationStore } from "../src/installation/store.ts";
import { vault } from "../src/installation/secret-vault.ts";
import { realHostPorts } from "../src/environment/ports.ts";
import type { Project } from "../src/package/model/project.ts";
import type { PlannedInstallation, SetUpOutcome } from "../src/runtime/payloads/payload.ts";
import { KEY, startFakeAccount, type FakeAccount } from "./fake-account.ts";

const SUFFIX = ".parley.localhost";
const product = { type_attributes: { product: "chat" } };
const iparams: IparamsConfig = {
  domain: { display_name: "Account", type: "domain", required: true, ...product },
  api_key: { display_name: "API key", type: "api_key", required: true, secure: true, ...product },
  note: { display_name: "Note", type: "text" },
};
const usualProject: Project = {
  folder: "/nowhere",
  declaredHosts: [],
  entities: {},
  appSettings: {},
  name: "road",
  description: "",
  platformVersion: "3.0",
  handlers: [],
  manifest: { "platform-version": "3.0", modules: { common: {} } },
  iparams,
  requests: {},
  serverCode: "",
  callbacksCode: "",
  version: "1",
};

let project = usualProject;
let database: Database;
let account: FakeAccount;
let gate: Egress;
let kept: Installations;
/** Calls of the app's own handlers. `nextOutcome` is their next result. */
let asked: [string, PlannedInstallation][];
let word: SetUpOutcome;
let road: ReturnType<typeof createInstallWorkflow>;

const give = (values: Record<string, unknown>) => road({ values, attributes: {} });
const good = { domain: "acme", api_key: KEY, note: "hello" };

beforeAll(async () => {
  database = await testDatabase({ key: "install-road", run: (fresh) => migrate(fresh, APP_SCHEMA, APP_MIGRATIONS) });
  account = await startFakeAccount();
  gate = egress({
    hosts: new Map([
      [`acme${SUFFIX}`, { origin: account.origin }],
      [`other${SUFFIX}`, { origin: account.origin }],
      [`gone${SUFFIX}`, { origin: "http://127.0.0.1:9" }],
    ]),
  });
});
beforeEach(() => {
  project = usualProject;
  asked = [];
  word = { ok: true };
  account.requests.length = 0;
  kept = createInstallations({
    store: installationStore(database.pool(APP_SCHEMA)),
    vault: vault(randomBytes(32), realHostPorts.random),
    ports: realHostPorts,
    project: project.name,
    app: () => project,
    domainSuffix: SUFFIX,
    usualDomain: `acme${SUFFIX}`,
  });
  road = createInstallWorkflow({
    project: () => project,
    installations: kept,
    egress: gate,
    domainSuffix: SUFFIX,
    usualDomain: `acme${SUFFIX}`,
    inTurn: createSerialQueue(),
    setUp: async (event, prospect) => {
      asked.push([event, prospect]);
      return word;
    },
  });
});
afterEach(async () => {
  account.setFailure(undefined);
  const installation = await kept.find();
  if (installation) await kept.remove(installation.id);
});
afterAll(async () => {
  await gate.close();
  await account.close();
  await database.close();
});

describe("a first installation", () => {
  test("checks the key with the account, asks the app, then stores the values, secure ones separately", async () => {
    const result = await give(good);
    expect(result).toMatchObject({ ok: true });
    expect(account.requests).toEqual([{ path: "/v2/accounts/configuration", authorization: `Bearer ${KEY}` }]);
    const values = { domain: `acme${SUFFIX}`, note: "hello" };
    expect(asked).toEqual([
      ["onAppInstall", { values, secureValues: { api_key: KEY }, account: { account_id: 7, datacenter: "EUC" } }],
    ]);
    const installation = await kept.find();
    expect(installation).toMatchObject({ account: "acme", domain: `acme${SUFFIX}`, values, version: 1 });
    expect([...(installation?.secure ?? [])]).toEqual(["api_key"]);
    expect(await kept.secrets(installation?.id ?? "")).toEqual({ api_key: KEY });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  test("with invalid values is rejected before any request", async () => {
    expect(await give({ ...good, domain: "not a name", api_key: "" })).toEqual({
      ok: false,
      message: "Validation failed.",
      errors: {
        domain: "Enter the account name only: letters, digits and hyphens.",
        api_key: "This field is required!",
      },
    });
    expect([account.requests, asked, await kept.find()]).toEqual([[], [], undefined]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a wrong key", { api_key: "other" }],
    ["an unknown account", { domain: "nobody" }],
    ["an account with an unreachable host", { domain: "gone" }],
  ])("with %s reports an error at the key and stores nothing", async (_, change) => {
    expect(await give({ ...good, ...change })).toEqual({
      ok: false,
      message: "Validation failed.",
      errors: { api_key: "Domain or API key is not matching" },
    });
    expect([asked, await kept.find()]).toEqual([[], undefined]);
  });

  test.each([429, 500, 503])("accepts a key when the account answers %d", async (status) => {
    account.setFailure(status);
    expect(await give(good)).toMatchObject({
      errors: { api_key: expect.stringContaining("could not be checked") as unknown },
    });
  });

  test("can be rejected by the app with its own message", async () => {
    word = { ok: false, message: "This plan has no groups." };
    expect(await give(good)).toEqual({ ok: false, errors: {}, message: "This plan has no groups." });
    expect(await kept.find()).toBeUndefined();
  });

  test("and a concurrent save become one installation and one update", async () => {
    await Promise.all([give(good), give({ ...good, note: "second" })]);
    expect(asked.map(([event]) => event)).toEqual(["onAppInstall", "afterAppUpdate"]);
    expect(await kept.find()).toMatchObject({ version: 2, values: { note: "second" } });
  });
});

describe("a change of the installation", () => {
  beforeEach(async () => {
    await give(good);
    account.requests.length = 0;
    asked.length = 0;
  });

  test("with an empty key keeps the stored one without requiring it", async () => {
    expect(await give({ domain: "acme", api_key: "", note: "new" })).toMatchObject({ ok: true });
    expect(account.requests).toEqual([]);
    expect(asked).toEqual([
      ["afterAppUpdate", { values: { domain: `acme${SUFFIX}`, note: "new" }, secureValues: {}, account: undefined }],
    ]);
    const installation = await kept.find();
    expect(await kept.secrets(installation?.id ?? "")).toEqual({ api_key: KEY });
  });

  test("of the domain requires the key again: the stored one is never sent to another account", async () => {
    expect(await give({ domain: "other", api_key: "" })).toMatchObject({
      errors: { api_key: `Enter the key of other${SUFFIX}: the one that is stored belongs to acme${SUFFIX}.` },
    });
    expect([account.requests, asked]).toEqual([[], []]);
    expect(await give({ domain: "other", api_key: KEY })).toMatchObject({ ok: true });
  });

  test("of a host that receives a stored secret requires that secret again, and no other", async () => {
    const text = (secure: boolean) => ({ display_name: "A", type: "text" as const, secure });
    const headers = { Authorization: "<%= iparam.secret %>" };
    project = {
      ...usualProject,
      iparams: { host: text(false), note: text(false), secret: text(true), unused: text(true) },
      requests: { ask: { schema: { method: "GET", host: "<%= iparam.host %>", headers } } },
    };
    const first = { host: "one.example.com", note: "a", secret: "s", unused: "u" };
    expect(await give(first)).toMatchObject({ ok: true });
    expect(await give({ host: "one.example.com", note: "b.example.com" })).toMatchObject({ ok: true });
    const message = "Enter this again: it could now be sent to two.example.com, and it was stored for another host.";
    expect(await give({ host: "two.example.com" })).toMatchObject({ ok: false, errors: { secret: message } });
    expect((await kept.find())?.values["host"]).toBe("one.example.com");
    expect(await give({ host: "two.example.com", secret: "t" })).toMatchObject({ ok: true });
  });

  test("that the app rejects keeps the stored values", async () => {
    word = { ok: false, message: "No." };
    expect(await give({ ...good, note: "new" })).toMatchObject({ ok: false });
    expect(await kept.find()).toMatchObject({ version: 1, values: { note: "hello" } });
  });
});
