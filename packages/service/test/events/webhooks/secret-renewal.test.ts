import { describe, expect, test } from "@jest/globals";
import { OLD_SECRETS_MAX, type Webhook } from "@parley/contract";
import { statement } from "@parley/database";
import { verifyWebhook } from "@parley/egress";
import { realPorts, SERVICE_SCHEMA } from "../../../src/index.ts";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness } from "../../service-harness.ts";
import { webhooksHarness, WEBHOOKS_PATH, type WebhooksHarness } from "./webhooks-harness.ts";
import type { ReceivedWebhook } from "./fake-webhook-receiver.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** A webhook's new secret beside the previous one, with a clock that the tests move. */

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

interface Renewed {
  readonly webhook: Webhook;
  readonly secret: string;
}
type Hook = Awaited<ReturnType<WebhooksHarness["addReceiver"]>>;

const secretPath = (id: string) => `${WEBHOOKS_PATH}/${id}/secret`;
const renew = async ({ created }: Hook, body: object = {}): Promise<Renewed> => {
  const response = await w.adminRequest<Renewed>("POST", secretPath(created.webhook.id), body);
  if (response.code !== 201) throw new Error(`${response.code} ${response.body.status}`);
  return response.body;
};
/** The secrets that sign a delivery, in the order of the signatures. */
const signing = ({ bytes, headers }: ReceivedWebhook, secrets: Readonly<Record<string, string>>): string[] => {
  const nowSeconds = Math.floor(ports.now().getTime() / 1_000);
  return String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => {
      const alone = { ...headers, "webhook-signature": signature };
      const found = Object.entries(secrets).find(([, secret]) =>
        verifyWebhook({ headers: alone, body: bytes.toString(), secret, nowSeconds }),
      );
      return found?.[0] ?? "nobody";
    });
};
/** Sends a test delivery from each of two processes. */
const tested = async ({ receiver, created }: Hook): Promise<readonly ReceivedWebhook[]> => {
  const before = receiver.received.length;
  await w.adminRequest("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`);
  await other.raw("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  return receiver.received.slice(before);
};

describe("a renewal with an overlap", () => {
  test("POST /admin/accounts/{account}/webhooks/{webhook_id}/secret answers 201 with the new secret, which is shown once", async () => {
    const subscribed = await w.addReceiver();
    const { webhook, secret } = await renew(subscribed);
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(secret).not.toBe(subscribed.created.secret);
    const until = Date.parse(webhook.overlap_until ?? "") - ports.now().getTime();
    expect(webhook).toEqual({ ...subscribed.created.webhook, overlap_until: webhook.overlap_until });
    expect(until).toBeGreaterThan(23.9 * HOUR_MS);
    expect(until).toBeLessThanOrEqual(24 * HOUR_MS);
    const { body } = await w.adminRequest<{ webhooks: Webhook[] }>("GET", WEBHOOKS_PATH);
    expect(body.webhooks.at(-1)).toEqual(webhook);
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const stored = JSON.stringify([body, await pool.rows(statement("", "select * from subscriptions"), [])]);
    for (const plain of [secret, subscribed.created.secret]) expect(stored).not.toContain(plain.slice(6));
  });

  test("signs with both secrets until it is over, then with the new one only, in every process", async () => {
    const subscribed = await w.addReceiver();
    const { sendMessage } = await conversationFixture(w, await firstChannelId(w));
    await subscribed.receiver.until(1);
    const secrets = { old: subscribed.created.secret, new: (await renew(subscribed, { overlap_hours: 2 })).secret };
    expect((await tested(subscribed)).map((post) => signing(post, secrets))).toEqual([
      ["new", "old"],
      ["new", "old"],
    ]);
    ahead += 1.9 * HOUR_MS;
    // The sending process learns of the renewal within a second; until then it signs with the old secret, which is still valid.
    const both = await toldUntil(subscribed, sendMessage, (post) => signing(post, secrets).length === 2);
    expect(signing(both, secrets)).toEqual(["new", "old"]);
    expect(both.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
    ahead += 0.2 * HOUR_MS;
    const after = await toldUntil(subscribed, sendMessage, (post) => signing(post, secrets).length === 1);
    expect(signing(after, secrets)).toEqual(["new"]);
    expect((await tested(subscribed)).map((post) => signing(post, secrets))).toEqual([["new"], ["new"]]);
    const { body } = await w.adminRequest<{ webhooks: Webhook[] }>("GET", WEBHOOKS_PATH);
    expect(body.webhooks.at(-1)).toEqual(subscribed.created.webhook);
  });

  test("followed by another renewal before it is over keeps the time of each", async () => {
    const subscribed = await w.addReceiver();
    const secrets: Record<string, string> = { first: subscribed.created.secret };
    secrets["second"] = (await renew(subscribed, { overlap_hours: 10 })).secret;
    const { webhook, secret } = await renew(subscribed, { overlap_hours: 1 });
    secrets["third"] = secret;
    expect(Date.parse(webhook.overlap_until ?? "") - ports.now().getTime()).toBeGreaterThan(9 * HOUR_MS);
    const signers = async () => signing((await tested(subscribed))[0] as ReceivedWebhook, secrets);
    expect(await signers()).toEqual(["third", "second", "first"]);
    ahead += 1.1 * HOUR_MS;
    expect(await signers()).toEqual(["third", "first"]);
    ahead += 9 * HOUR_MS;
    expect(await signers()).toEqual(["third"]);
  });

  test("several concurrent renewals keep every secret that was returned as valid", async () => {
    const subscribed = await w.addReceiver();
    const renewed = await Promise.all(Array.from({ length: OLD_SECRETS_MAX }, () => renew(subscribed)));
    const names = [subscribed.created.secret, ...renewed.map(({ secret }) => secret)].map((secret, n) => [
      `s${n}`,
      secret,
    ]);
    const [post] = await tested(subscribed);
    expect(signing(post as ReceivedWebhook, Object.fromEntries(names) as Record<string, string>).sort()).toEqual(
      names.map(([name]) => name),
    );
  });
});

/** Sends messages until a delivery satisfies the condition, and returns that delivery. */
const toldUntil = async (
  { receiver }: Hook,
  say: (text: string) => Promise<unknown>,
  isSo: (post: ReceivedWebhook) => boolean,
): Promise<ReceivedWebhook> => {
  for (let tries = 0; tries < 50; tries += 1) {
    const before = receiver.received.length;
    await say(`try ${tries}`);
    await receiver.until(before + 1);
    const found = receiver.received.slice(before).find(isSo);
    if (found) return found;
  }
  throw new Error("no delivery came so");
};

test("without an overlap only the new secret signs, regardless of earlier renewals", async () => {
  const subscribed = await w.addReceiver();
  const middle = (await renew(subscribed)).secret;
  const { webhook, secret } = await renew(subscribed, { overlap_hours: 0 });
  expect(webhook).toEqual(subscribed.created.webhook);
  const secrets = { old: subscribed.created.secret, middle, new: secret };
  expect((await tested(subscribed)).map((post) => signing(post, secrets))).toEqual([["new"], ["new"]]);
});

describe("a renewal is refused, and the secret is unchanged", () => {
  const NONE = "01890000-0000-7000-8000-000000000001";
  const cases: [string, number, string, object][] = [
    [
      "POST /admin/accounts/{account}/webhooks/{webhook_id}/secret ACCOUNT_NOT_FOUND",
      404,
      "/admin/accounts/nobody",
      {},
    ],
    ["POST /admin/accounts/{account}/webhooks/{webhook_id}/secret WEBHOOK_NOT_FOUND", 404, "/admin/accounts/acme", {}],
    ["another account's: WEBHOOK_NOT_FOUND", 404, "/admin/accounts/solo", {}],
    ["an overlap that is none: INVALID_VALUE", 400, "/admin/accounts/acme", { overlap_hours: "soon" }],
    ["more than a month: INVALID_VALUE", 400, "/admin/accounts/acme", { overlap_hours: 721 }],
  ];
  test.each(cases)("%s", async (title, code, account, body) => {
    const subscribed = await w.addReceiver();
    const id = title.startsWith("POST") ? NONE : subscribed.created.webhook.id;
    const response = await w.adminRequest("POST", `${account}/webhooks/${id}/secret`, body);
    expect([response.code, response.body.status]).toEqual([code, title.split(" ").at(-1)]);
    const [post] = await tested(subscribed);
    expect(signing(post as ReceivedWebhook, { old: subscribed.created.secret })).toEqual(["old"]);
  });

  test("POST /admin/accounts/{account}/webhooks/{webhook_id}/secret TOO_MANY_SECRETS: one more than the maximum that sign concurrently", async () => {
    const subscribed = await w.addReceiver();
    for (let count = 0; count < OLD_SECRETS_MAX; count += 1) await renew(subscribed, { overlap_hours: 1 });
    const path = secretPath(subscribed.created.webhook.id);
    const before = (await tested(subscribed))[0]?.headers["webhook-signature"]?.toString().split(" ").length;
    expect(await w.adminRequest("POST", path, {})).toMatchObject({ code: 409, body: { status: "TOO_MANY_SECRETS" } });
    expect((await tested(subscribed))[0]?.headers["webhook-signature"]?.toString().split(" ").length).toBe(before);
    ahead += 1.1 * HOUR_MS;
    expect((await w.adminRequest("POST", path, {})).code).toBe(201);
  });
});
