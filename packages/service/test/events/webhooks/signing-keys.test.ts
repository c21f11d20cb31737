import { createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type { WebhookKey } from "@parley/contract";
import { realPorts, SERVICE_SCHEMA } from "../../../src/index.ts";
import { webhookKeys } from "../../../src/events/webhooks/signing-keys.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { webhooksHarness, WEBHOOKS_PATH, WEBHOOK_KEYS_PATH, type WebhooksHarness } from "./webhooks-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Signing keys and their rotation, with a clock that the tests move. */

let ahead = 0;
const ports = { now: () => new Date(realPorts.now().getTime() + ahead) };
const HOUR_MS = 3_600_000;

const w = fileFixture(() => webhooksHarness({ ports }));
const other = fileFixture(() =>
  serviceHarness({
    database: w.database,
    ports,
    adminKey: ADMIN_KEY,
    isLocal: true,
    objectsFolder: w.objectsFolder,
  }),
);

const rotate = async (body: object = {}) =>
  (await w.adminRequest<{ keys: WebhookKey[] }>("POST", WEBHOOK_KEYS_PATH, body)).body.keys;
const states = (keys: readonly WebhookKey[]) => keys.map(({ state }) => state);

/** The key with which each of two processes signs a test delivery. */
const signers = async (
  webhook: Awaited<ReturnType<WebhooksHarness["addReceiver"]>>,
): Promise<(string | undefined)[]> => {
  const { receiver, created } = webhook;
  const before = receiver.received.length;
  await w.adminRequest("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`);
  await other.raw("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const keys = await w.listKeys();
  return receiver.received.slice(before).map(({ bytes, headers }) => {
    const signature = Buffer.from(String(headers["x-freshchat-signature"]), "base64");
    return keys.find(({ public_key }) => verify("RSA-SHA256", bytes, createPublicKey(public_key), signature))?.id;
  });
};

test("a key is listed in the three formats that verifiers accept, all of the same key", async () => {
  await w.addReceiver();
  const [key] = await w.listKeys();
  const { public_key, public_key_base64, public_key_pkcs1 } = key as WebhookKey;
  expect(public_key_base64).toBe(public_key.replace(/-----.*-----|\s/g, ""));
  expect(public_key_pkcs1).toMatch(/^-----BEGIN RSA PUBLIC KEY-----\n[\s\S]+\n-----END RSA PUBLIC KEY-----\n$/);
  expect(createPublicKey(public_key_pkcs1).export({ type: "spki", format: "pem" })).toBe(public_key);
});

describe("a rotation with an overlap", () => {
  test("POST /admin/accounts/{account}/webhook-keys answers 201: both are listed, the first one signs until its time is over", async () => {
    const webhook = await w.addReceiver();
    const [first] = await w.listKeys();
    expect(first).toMatchObject({ state: "active", public_key: webhook.created.public_key });
    expect(createPublicKey(first?.public_key ?? "").asymmetricKeyDetails?.modulusLength).toBe(2048);
    const response = await w.adminRequest<{ keys: WebhookKey[] }>("POST", WEBHOOK_KEYS_PATH, {});
    expect(response.code).toBe(201);
    const [, second] = response.body.keys;
    expect(states(response.body.keys)).toEqual(["active", "next"]);
    expect(Date.parse(second?.signs_from ?? "") - ports.now().getTime()).toBeGreaterThan(23 * HOUR_MS);
    expect(await rotate()).toEqual(response.body.keys);
    expect(await signers(webhook)).toEqual([first?.id, first?.id]);
    ahead += 23.9 * HOUR_MS;
    expect(await signers(webhook)).toEqual([first?.id, first?.id]);
    ahead += 0.2 * HOUR_MS;
    expect(await signers(webhook)).toEqual([second?.id, second?.id]);
    expect(states(await w.listKeys())).toEqual(["retired", "active"]);
    expect((await w.addWebhook({ url: "https://hooks.example.com/" })).public_key).toBe(second?.public_key);
  });

  test("may have its own length; the previous key is listed until another overlap is over", async () => {
    expect(states(await rotate({ overlap_hours: 48 }))).toEqual(["retired", "active", "next"]);
    ahead += 49 * HOUR_MS;
    expect(states(await w.listKeys())).toEqual(["retired", "retired", "active"]);
    expect(states(await rotate({ overlap_hours: 1 }))).toEqual(["retired", "retired", "active", "next"]);
    ahead += 30 * HOUR_MS;
    expect(states(await rotate({ overlap_hours: 1 }))).toEqual(["active", "next"]);
  });
});

test("without an overlap the new key signs at once, in every process within a second, and the waiting one is removed", async () => {
  const webhook = await w.addReceiver();
  const [, waiting] = (await w.listKeys()).slice(-2);
  const keys = await rotate({ overlap_hours: 0 });
  const now = keys.at(-1);
  expect(states(keys).slice(-2)).toEqual(["retired", "active"]);
  expect(keys.map(({ id }) => id)).not.toContain(waiting?.id);
  for (const each of [w, other]) each.expireCaches();
  expect(await signers(webhook)).toEqual([now?.id, now?.id]);
});

test("two processes that concurrently add the first webhook of an account use one key", async () => {
  const path = "/admin/accounts/solo/webhooks";
  const add = (where: ServiceHarness) =>
    where.raw("POST", path, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ url: "https://hooks.example.com/" }),
    });
  const replies = await Promise.all([add(w), add(other), add(w), add(other)]);
  const rotated = await Promise.all(replies.map(async (reply) => (await reply.json()) as { public_key: string }));
  expect(new Set(rotated.map(({ public_key }) => public_key)).size).toBe(1);
});

test("an account without webhooks has no key, and a rotation creates the first one, which signs", async () => {
  await w.applyOrThrow({ name: "fresh", configuration: {} });
  expect((await w.adminRequest("GET", "/admin/accounts/fresh/webhook-keys")).body).toEqual({ keys: [] });
  const { body } = await w.adminRequest<{ keys: WebhookKey[] }>("POST", "/admin/accounts/fresh/webhook-keys", {});
  expect(states(body.keys)).toEqual(["active"]);
});

test.each([
  ["less than nothing", { overlap_hours: -1 }],
  ["more than a month", { overlap_hours: 721 }],
  ["a word", { overlap_hours: "soon" }],
])("an overlap of %s is refused", async (_, body) => {
  expect(await w.adminRequest("POST", WEBHOOK_KEYS_PATH, body)).toMatchObject({
    code: 400,
    body: { status: "INVALID_VALUE" },
  });
});

test("the keys of more accounts than may wait for a connection are read at the same time, a few at once", async () => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 2 });
  const vault = () => Promise.reject(new Error("No account has a key."));
  const { signer } = webhookKeys({ pool, ports: realPorts, vault, listedMs: 0 });
  const accounts = Array.from({ length: 1_500 }, (_, index) => 1_000_000 + index);
  expect(await Promise.all(accounts.map((id) => signer(id)))).toEqual(accounts.map(() => undefined));
  await pool.end();
});
