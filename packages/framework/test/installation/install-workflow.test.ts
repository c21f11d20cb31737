import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IparamsConfig } from "@parley/contract";
import { migrate, type Database, vault } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { egress, type Egress } from "@parley/egress";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { createInstallWorkflow } from "../../src/installation/workflow/install.ts";
import { createInstallations, type Installations, createSerialQueue } from "../../src/state/installations.ts";
import { installationStore } from "../../src/state/installations.sql.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import type { Project } from "../../src/model/project.ts";
import type { PlannedInstallation, SetUpOutcome } from "../../src/runtime/calls/payload.ts";
import { KEY, startFakeAccount, type FakeAccount } from "../support/fake-account.ts";

const SUFFIX = ".parley.localhost";
const product = { type_attributes: { product: "chat" } };
const iparams: IparamsConfig = {
  domain: { display_name: "Account", type: "domain", required: true, ...product },
  api_key: { display_name: "API key", type: "api_key", required: true, secure: true, ...product },
  note: { display_name: "Note", type: "text" },
};
const defaultProject: Project = {
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

let project = defaultProject;
let database: Database;
let account: FakeAccount;
let egressClient: Egress;
let installations: Installations;
/** Calls of the app's own handlers. `nextOutcome` is their next result. */
let handlerCalls: [string, PlannedInstallation][];
let nextOutcome: SetUpOutcome;
let workflow: ReturnType<typeof createInstallWorkflow>;

const install = (values: Record<string, unknown>) => workflow({ values, attributes: {} });
const validValues = { domain: "acme", api_key: KEY, note: "hello" };

beforeAll(async () => {
  database = await testDatabase({ key: "install-road", run: (fresh) => migrate(fresh, APP_SCHEMA, APP_MIGRATIONS) });
  account = await startFakeAccount();
  egressClient = egress({
    hosts: new Map([
      [`acme${SUFFIX}`, { origin: account.origin }],
      [`other${SUFFIX}`, { origin: account.origin }],
      [`gone${SUFFIX}`, { origin: "http://127.0.0.1:9" }],
    ]),
  });
});
beforeEach(() => {
  project = defaultProject;
  handlerCalls = [];
  nextOutcome = { ok: true };
  account.requests.length = 0;
  installations = createInstallations({
    store: installationStore(database.pool(APP_SCHEMA)),
    vault: vault(randomBytes(32), realHostPorts.random),
    ports: realHostPorts,
    project: project.name,
    app: () => project,
    domainSuffix: SUFFIX,
    account: { name: "acme", domain: `acme${SUFFIX}` },
  });
  workflow = createInstallWorkflow({
    project: () => project,
    installations: installations,
    egress: egressClient,
    domainSuffix: SUFFIX,
    account: { name: "acme", domain: `acme${SUFFIX}` },
    inTurn: createSerialQueue(),
    newId: realHostPorts.newId,
    setUp: async (event, prospect) => {
      handlerCalls.push([event, prospect]);
      return nextOutcome;
    },
  });
});
afterEach(async () => {
  account.setFailure(undefined);
  const installation = await installations.find();
  if (installation) await installations.remove(installation.id);
});
afterAll(async () => {
  await egressClient.close();
  await account.close();
  await database.close();
});

describe("a first installation", () => {
  test("checks the key with the account, asks the app, then stores the values, secure values separately", async () => {
    const result = await install(validValues);
    expect(result).toMatchObject({ ok: true });
    expect(account.requests).toEqual([{ path: "/v2/accounts/configuration", authorization: `Bearer ${KEY}` }]);
    const values = { domain: `acme${SUFFIX}`, note: "hello" };
    expect(handlerCalls).toEqual([
      ["onAppInstall", { values, secureValues: { api_key: KEY }, account: { account_id: 7, datacenter: "EUC" } }],
    ]);
    const installation = await installations.find();
    expect(installation).toMatchObject({ account: "acme", domain: `acme${SUFFIX}`, values, version: 1 });
    expect([...(installation?.secure ?? [])]).toEqual(["api_key"]);
    expect(await installations.secrets(installation ?? { id: "" })).toEqual({ api_key: KEY });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  test("with invalid values is rejected before any request", async () => {
    expect(await install({ ...validValues, domain: "not a name", api_key: "" })).toEqual({
      ok: false,
      message: "Validation failed.",
      errors: {
        domain: "Enter the account name only: letters, digits and hyphens.",
        api_key: "This field is required!",
      },
    });
    expect([account.requests, handlerCalls, await installations.find()]).toEqual([[], [], undefined]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a wrong key", { api_key: "other" }],
    ["an unknown account", { domain: "nobody" }],
    ["an account with an unreachable host", { domain: "gone" }],
  ])("with %s reports an error at the key and stores nothing", async (_, change) => {
    expect(await install({ ...validValues, ...change })).toEqual({
      ok: false,
      message: "Validation failed.",
      errors: { api_key: "Domain or API key is not matching" },
    });
    expect([handlerCalls, await installations.find()]).toEqual([[], undefined]);
  });

  test("reports the errors of values and of keys together, and asks no account while its address is wrong", async () => {
    const note = { note: "This value is not of the type text." };
    expect(await install({ ...validValues, api_key: "other", note: {} })).toMatchObject({
      errors: { api_key: "Domain or API key is not matching", ...note },
    });
    expect(account.requests).toHaveLength(1);
    expect(await install({ ...validValues, domain: "not a name", note: {} })).toMatchObject({
      errors: { domain: "Enter the account name only: letters, digits and hyphens.", ...note },
    });
    expect(account.requests).toHaveLength(1);
    expect([handlerCalls, await installations.find()]).toEqual([[], undefined]);
  });

  test("whose values are checked only calls no handler and stores nothing", async () => {
    const check = (values: Record<string, unknown>) => workflow({ values, attributes: {}, checks_only: true });
    expect(await check(validValues)).toMatchObject({ ok: false, errors: {} });
    expect(await check({ ...validValues, api_key: "other" })).toMatchObject({
      errors: { api_key: "Domain or API key is not matching" },
    });
    expect([handlerCalls, await installations.find()]).toEqual([[], undefined]);
  });

  test.each([429, 500, 503])("accepts a key when the account answers %d", async (status) => {
    account.setFailure(status);
    expect(await install(validValues)).toMatchObject({
      errors: { api_key: expect.stringContaining("could not be checked") as unknown },
    });
  });

  test("can be rejected by the app with its own message", async () => {
    nextOutcome = { ok: false, message: "This plan has no groups." };
    expect(await install(validValues)).toEqual({
      ok: false,
      errors: {},
      message: "This plan has no groups.",
      isByApp: true,
    });
    expect(await installations.find()).toBeUndefined();
  });

  test("and a concurrent save become one installation and one update", async () => {
    await Promise.all([install(validValues), install({ ...validValues, note: "second" })]);
    expect(handlerCalls.map(([event]) => event)).toEqual(["onAppInstall", "afterAppUpdate"]);
    expect(await installations.find()).toMatchObject({ version: 2, values: { note: "second" } });
  });
});

describe("a change of the installation", () => {
  beforeEach(async () => {
    await install(validValues);
    account.requests.length = 0;
    handlerCalls.length = 0;
  });

  test("with an empty key keeps the stored one without requiring it", async () => {
    expect(await install({ domain: "acme", api_key: "", note: "new" })).toMatchObject({ ok: true });
    expect(account.requests).toEqual([]);
    expect(handlerCalls).toEqual([
      ["afterAppUpdate", { values: { domain: `acme${SUFFIX}`, note: "new" }, secureValues: {}, account: undefined }],
    ]);
    const installation = await installations.find();
    expect(await installations.secrets(installation ?? { id: "" })).toEqual({ api_key: KEY });
  });

  test("of the domain requires the key again: the stored one is never sent to another account", async () => {
    expect(await install({ domain: "other", api_key: "" })).toMatchObject({
      errors: { api_key: `Enter the key of other${SUFFIX}: the stored key belongs to acme${SUFFIX}.` },
    });
    expect([account.requests, handlerCalls]).toEqual([[], []]);
    expect(await install({ domain: "other", api_key: KEY })).toMatchObject({ ok: true });
  });

  test("of a host that receives a stored secret requires that secret again, and no other", async () => {
    const text = (secure: boolean) => ({ display_name: "A", type: "text" as const, secure });
    const headers = { Authorization: "<%= iparam.secret %>" };
    project = {
      ...defaultProject,
      iparams: { host: text(false), note: text(false), secret: text(true), unused: text(true) },
      requests: { ask: { schema: { method: "GET", host: "<%= iparam.host %>", headers } } },
    };
    const first = { host: "one.example.com", note: "a", secret: "s", unused: "u" };
    expect(await install(first)).toMatchObject({ ok: true });
    expect(await install({ host: "one.example.com", note: "b.example.com" })).toMatchObject({ ok: true });
    const message = "Enter this again: it could now be sent to two.example.com, and it was stored for another host.";
    expect(await install({ host: "two.example.com" })).toMatchObject({ ok: false, errors: { secret: message } });
    expect((await installations.find())?.values["host"]).toBe("one.example.com");
    expect(await install({ host: "two.example.com", secret: "t" })).toMatchObject({ ok: true });
  });

  test("that the app rejects keeps the stored values", async () => {
    nextOutcome = { ok: false, message: "No." };
    expect(await install({ ...validValues, note: "new" })).toMatchObject({ ok: false });
    expect(await installations.find()).toMatchObject({ version: 1, values: { note: "hello" } });
  });
});
