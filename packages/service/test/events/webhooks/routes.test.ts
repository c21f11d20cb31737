import { describe, expect, test } from "@jest/globals";
import { WEBHOOKS_PER_ACCOUNT_MAX, DEFAULT_WEBHOOK_ACTIONS, WEBHOOK_ACTIONS, type Webhook } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness } from "../../service-harness.ts";
import { webhooksHarness, WEBHOOKS_PATH, WEBHOOK_KEYS_PATH } from "./webhooks-harness.ts";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** The admin API for an account's webhooks. */

const w = fileFixture(webhooksHarness);
const far = fileFixture(() =>
  serviceHarness({
    database: w.database,
    adminKey: ADMIN_KEY,
    objectsFolder: w.objectsFolder,
    config: { secretsKey: "0".repeat(64) },
  }),
);

const UNKNOWN_ID = "/admin/accounts/nobody";
const NONE = "01890000-0000-7000-8000-000000000001";
const SECRETS = statement("", "select secret from subscriptions where kind = 'webhook'");
const PRIVATE_KEYS = statement("", "select private_key, public_key from webhook_keys");
const MANY = statement(
  "",
  `insert into subscriptions (id, account_id, name, kind, url, secret, actions, start_seq, created_time)
   select gen_random_uuid(), account_id, 'many ' || n, 'webhook', url, secret, actions, start_seq, created_time
     from (select * from subscriptions where kind = 'webhook' limit 1) one, generate_series(1, $1) n`,
);
const FEW = statement("", "delete from subscriptions where name like 'many %'");

test("POST /admin/accounts/{account}/webhooks answers 201 with the secret, which is shown once and stored encrypted", async () => {
  const { webhook, secret, public_key } = await w.addWebhook({ url: "https://hooks.example.com/a?b=c#d" });
  expect(webhook).toMatchObject({
    url: "https://hooks.example.com/a?b=c",
    state: "on",
    actions: DEFAULT_WEBHOOK_ACTIONS,
  });
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(public_key).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const stored = JSON.stringify([await pool.rows(SECRETS, []), await pool.rows(PRIVATE_KEYS, [])]);
  for (const plain of [secret, secret.slice(6), "PRIVATE KEY"]) expect(stored).not.toContain(plain);
});

test("GET /admin/accounts/{account}/webhooks answers 200 with all webhooks of the account, without secrets", async () => {
  const { webhook, secret } = await w.addWebhook({ url: "https://hooks.example.com/b", actions: ["message_create"] });
  const { code, body } = await w.adminRequest<{ webhooks: Webhook[] }>("GET", WEBHOOKS_PATH);
  expect(code).toBe(200);
  expect(body.webhooks.at(-1)).toEqual(webhook);
  expect(JSON.stringify(body)).not.toContain(secret);
  expect((await w.adminRequest("GET", "/admin/accounts/solo/webhooks")).body).toEqual({ webhooks: [] });
});

test("PUT /admin/accounts/{account}/webhooks/{webhook_id} answers 200 and changes the given members", async () => {
  const { webhook } = await w.addWebhook({ url: "https://hooks.example.com/c" });
  const path = `${WEBHOOKS_PATH}/${webhook.id}`;
  const url = "https://other.example.com/";
  expect((await w.adminRequest("PUT", path, { url })).body).toEqual({ ...webhook, url });
  const actions = [...WEBHOOK_ACTIONS];
  expect(await w.adminRequest("PUT", path, { actions })).toMatchObject({ code: 200, body: { url, actions } });
  expect((await w.adminRequest("PUT", path, { state: "off" })).body).toMatchObject({
    state: "off",
    off_reason: "turned off by the owner",
  });
  expect((await w.adminRequest<Webhook>("PUT", path, { state: "on" })).body).toEqual({ ...webhook, url, actions });
});

test("DELETE /admin/accounts/{account}/webhooks/{webhook_id} answers 200, a second time 404 WEBHOOK_NOT_FOUND", async () => {
  const { webhook } = await w.addWebhook({ url: "https://hooks.example.com/d" });
  expect(await w.adminRequest("DELETE", `${WEBHOOKS_PATH}/${webhook.id}`)).toEqual({ code: 200, body: webhook });
  expect(await w.adminRequest("DELETE", `${WEBHOOKS_PATH}/${webhook.id}`)).toMatchObject({
    code: 404,
    body: { status: "WEBHOOK_NOT_FOUND" },
  });
});

test("POST /admin/accounts/{account}/webhooks over the maximum is refused with TOO_MANY_WEBHOOKS", async () => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(MANY, [WEBHOOKS_PER_ACCOUNT_MAX]);
  const { code, body } = await w.adminRequest("POST", WEBHOOKS_PATH, { url: "https://hooks.example.com/e" });
  await pool.rows(FEW, []);
  expect([code, body.status]).toEqual([409, "TOO_MANY_WEBHOOKS"]);
});

describe("an unknown webhook", () => {
  const cases: [string, string, string, unknown][] = [
    ["GET /admin/accounts/{account}/webhooks ACCOUNT_NOT_FOUND", "GET", `${UNKNOWN_ID}/webhooks`, undefined],
    [
      "POST /admin/accounts/{account}/webhooks ACCOUNT_NOT_FOUND",
      "POST",
      `${UNKNOWN_ID}/webhooks`,
      { url: "https://a.example" },
    ],
    ["PUT /admin/accounts/{account}/webhooks/{webhook_id} WEBHOOK_NOT_FOUND", "PUT", `${WEBHOOKS_PATH}/${NONE}`, {}],
    [
      "DELETE /admin/accounts/{account}/webhooks/{webhook_id} ACCOUNT_NOT_FOUND",
      "DELETE",
      `${UNKNOWN_ID}/webhooks/none`,
      undefined,
    ],
    ["PUT /admin/accounts/{account}/webhooks/{webhook_id} ACCOUNT_NOT_FOUND", "PUT", `${UNKNOWN_ID}/webhooks/none`, {}],
    [
      "POST /admin/accounts/{account}/webhooks/{webhook_id}/test ACCOUNT_NOT_FOUND",
      "POST",
      `${UNKNOWN_ID}/webhooks/none/test`,
      undefined,
    ],
    [
      "POST /admin/accounts/{account}/webhooks/{webhook_id}/test WEBHOOK_NOT_FOUND",
      "POST",
      `${WEBHOOKS_PATH}/none/test`,
      undefined,
    ],
    ["GET /admin/accounts/{account}/webhook-keys ACCOUNT_NOT_FOUND", "GET", `${UNKNOWN_ID}/webhook-keys`, undefined],
    ["POST /admin/accounts/{account}/webhook-keys ACCOUNT_NOT_FOUND", "POST", `${UNKNOWN_ID}/webhook-keys`, {}],
  ];
  test.each(cases)("%s", async (title, method, address, body) => {
    const response = await w.adminRequest(method, address, body);
    expect([response.code, response.body.status]).toEqual([404, title.split(" ").at(-1)]);
  });

  test("is 404 also for the subscription of an app host", async () => {
    const { id } = await w.admin.subscribe({ account: "acme", name: "app", kind: "app", url: "http://127.0.0.1:1/" });
    expect((await w.adminRequest("DELETE", `${WEBHOOKS_PATH}/${id}`)).code).toBe(404);
    await w.admin.keepOnly({ account: "acme", kind: "app", names: [] });
  });
});

describe("a forbidden URL is refused, and no webhook is added", () => {
  const hosts: [string, string, RegExp][] = [
    ["http", "http://hooks.example.com/", /Must be HTTPS/],
    ["no address", "hooks.example.com", /Must be HTTPS/],
    ["a password", "https://a:b@hooks.example.com/", /Credentials/],
    ["one label", "https://hooks/", /Must be FQDN/],
    // Which addresses these are is tested with the package that checks them.
    ["a private address", "https://10.0.0.1/", /IP is disallowed/],
  ];
  test.each(hosts)("on a local instance: %s", async (_, url, words) => {
    const before = (await w.adminRequest("GET", WEBHOOKS_PATH)).body;
    const { code, body } = await w.adminRequest("POST", WEBHOOKS_PATH, { url });
    expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
    expect(body.message).toMatch(words);
    expect((await w.adminRequest("GET", WEBHOOKS_PATH)).body).toEqual(before);
  });

  const loopback: [string, string][] = [
    ["http", "http://127.0.0.1:4000/"],
    ["by its name", "http://localhost:4000/"],
    ["https", "https://127.0.0.1:4000/"],
    ["of IPv6", "http://[::1]:4000/"],
    ["of IPv4 in IPv6", "http://[::ffff:127.0.0.1]:4000/"],
  ];
  test.each(loopback)("elsewhere, also for this machine: %s", async (_, url) => {
    const ask = (body: object) =>
      far.raw("POST", WEBHOOKS_PATH, {
        headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await ask({ url })).status).toBe(400);
    expect((await w.adminRequest("POST", WEBHOOKS_PATH, { url })).code).toBe(201);
  });

  const bodies: [string, object][] = [
    ["no address", {}],
    ["an action that is none", { url: "https://hooks.example.com/", actions: ["message_delete"] }],
    ["no action", { url: "https://hooks.example.com/", actions: [] }],
  ];
  test.each(bodies)("%s", async (_, body) => {
    expect((await w.adminRequest("POST", WEBHOOKS_PATH, body)).code).toBe(400);
  });
});

test("a process with another key for stored secrets reports it, and sends nothing unsigned", async () => {
  const { receiver, created } = await w.addReceiver();
  const reply = await far.raw("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  expect(await reply.json()).toMatchObject({ delivered: false, reason: expect.stringContaining("can't be signed") });
  expect(receiver.received).toEqual([]);
});

test("GET /admin/accounts/{account}/webhook-keys answers 200 with public keys only", async () => {
  const { code, body } = await w.adminRequest<{ keys: object[] }>("GET", WEBHOOK_KEYS_PATH);
  expect(code).toBe(200);
  expect(body.keys.map((key) => Object.keys(key))).toEqual([
    ["id", "public_key", "public_key_base64", "public_key_pkcs1", "state", "signs_from"],
  ]);
});
