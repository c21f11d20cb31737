import { isIP } from "node:net";
import {
  INVALID_VALUE,
  refuse,
  urlOf,
  ACCOUNT_NOT_FOUND,
  WEBHOOKS_PER_ACCOUNT_MAX,
  TOO_MANY_WEBHOOKS,
  DEFAULT_WEBHOOK_ACTIONS,
  WEBHOOK_NOT_FOUND,
  WEBHOOK_TEST,
  type Webhook,
  type WebhookEvent,
  type webhooks,
} from "@parley/contract";
import { EgressFailure, FAILURES, type Egress, type EgressReason, webhookSecret } from "@parley/egress";
import type { Pool, Vault } from "@parley/database";
import type { AccountStore } from "../../messaging/accounts/store.ts";
import { notify } from "../../base/log/notifications.sql.ts";
import { subscriptionStore, type ListedSubscription } from "../dispatch/subscriptions.sql.ts";
import type { SubscriberKind } from "../dispatch/subscriber-kind.ts";
import type { AuditedAccount, RecordAudit } from "../../identity/audit/record.sql.ts";
import type { RouteHandlers } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { chosenActions } from "./actions.ts";
import type { WebhookKeys } from "./signing-keys.ts";
import { secretOwner, renewSecret, signingSecrets } from "./secret.ts";
import { webhookChangeDetails, webhookHostDetails } from "./audit-details.ts";
import { webhookStore } from "./store.ts";

/** Remedies for addresses that a webhook cannot have. */
const REMEDIES: Partial<Record<EgressReason, string>> = {
  MUST_BE_HTTPS: "give an address that begins with https://",
  IP_DISALLOWED: "it leads to an address that is private or otherwise not public, which gets no webhooks",
  MUST_BE_FQDN: "give a host with its full name, such as hooks.example.com",
  CREDENTIALS_DISALLOWED: "leave the user and the password out: each delivery is signed",
};

const refuseUrl = (reason: EgressReason): never =>
  refuse(INVALID_VALUE, `url: ${FAILURES[reason].message}: ${REMEDIES[reason] ?? "give another address"}.`);

const isThisMachine = (hostname: string): boolean =>
  hostname === "localhost" || isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0;

/**
 * Checks the address of a webhook before it is saved; each delivery resolves and checks it again.
 * -> the address in the form in which it is saved
 * @errors INVALID_VALUE
 * @assumed A host name that does not resolve is accepted: it may resolve later.
 */
const checkedAddress = async (egress: Pick<Egress, "vet">, text: string): Promise<string> => {
  try {
    await egress.vet(text);
  } catch (error) {
    if (error instanceof EgressFailure) return refuseUrl(error.reason);
  }
  const url = urlOf(text) ?? refuseUrl("MUST_BE_FQDN");
  if (url.protocol !== "https:" && !isThisMachine(url.hostname)) return refuseUrl("MUST_BE_HTTPS");
  url.hash = "";
  return url.href;
};

interface WebhookRoutesDeps {
  readonly pool: Pool;
  readonly accounts: Pick<AccountStore, "byName">;
  readonly recordAudit: RecordAudit;
  readonly ports: Pick<Ports, "now" | "newId" | "random">;
  readonly vault: () => Promise<Vault>;
  readonly egress: Pick<Egress, "vet">;
  readonly keys: WebhookKeys;
  readonly post: SubscriberKind["send"];
  /** How long a new key waits, and a replaced secret continues to sign, unless the request says otherwise. @units milliseconds */
  readonly overlapMs: number;
  /** Timeout of a test delivery. @units milliseconds */
  readonly testTimeoutMs: number;
}

/** @units bytes */
const SECRET_BYTES = 32;
const HOUR_MS = 60 * 60 * 1_000;
/** @assumed The reason shown for a webhook that an admin turned off. */
const BY_OWNER = "turned off by the owner";

const shownAt = (webhook: ListedSubscription, now: Date): Webhook => {
  const { id, url, actions, off_time, off_reason, created_time } = webhook;
  const ends = signingSecrets(webhook, now).map(({ until }) => until.getTime());
  return {
    id,
    url,
    actions: [...chosenActions(actions)],
    state: off_time === null ? "on" : "off",
    ...(off_time !== null && { off_reason: off_reason ?? "", off_time: off_time.toISOString() }),
    ...(ends.length > 0 && { overlap_until: new Date(Math.max(...ends)).toISOString() }),
    created_time: created_time.toISOString(),
  };
};

/** Admin endpoints for an account's webhooks. */
export const webhookHandlers = (deps: WebhookRoutesDeps): RouteHandlers<typeof webhooks> => {
  const { pool, accounts, recordAudit, ports, vault, egress, keys, post, overlapMs, testTimeoutMs } = deps;
  const { now, newId, random } = ports;
  const stored = subscriptionStore(pool);
  const shown = (webhook: ListedSubscription) => shownAt(webhook, now());

  const ownerOf = async (name: string): Promise<AuditedAccount> =>
    (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);
  const accountOf = async (name: string): Promise<number> => (await ownerOf(name)).id;
  const find = async (accountId: number, id: string): Promise<ListedSubscription> => {
    const found = isUuid(id) ? await stored.byId(accountId, id) : undefined;
    return found?.kind === "webhook" ? found : refuse(WEBHOOK_NOT_FOUND);
  };
  const waitOf = ({ overlap_hours: hours }: { readonly overlap_hours?: number }) =>
    hours === undefined ? overlapMs : hours * HOUR_MS;
  const notifyDispatcher = () => notify(pool, "control");

  return {
    async listWebhooks({ params }) {
      return { webhooks: (await stored.ofAccount(await accountOf(params.account), "webhook")).map(shown) };
    },
    async createWebhook({ params, body, actor }) {
      const account = await ownerOf(params.account);
      const account_id = account.id;
      const url = await checkedAddress(egress, body.url);
      const public_key = await keys.ensure(account_id);
      const [id, created_time, secret] = [newId(), now(), webhookSecret(random(SECRET_BYTES))];
      const sealed = (await vault()).seal(secretOwner(id), secret);
      const actions = [...new Set(body.actions ?? DEFAULT_WEBHOOK_ACTIONS)];
      const row = { id, account_id, name: `webhook ${id}`, kind: "webhook", url, secret: sealed, actions } as const;
      await pool.transaction(async (tx) => {
        await webhookStore(tx).lock(account_id);
        const store = subscriptionStore(tx);
        if ((await store.ofAccount(account_id, "webhook")).length >= WEBHOOKS_PER_ACCOUNT_MAX)
          refuse(TOO_MANY_WEBHOOKS);
        await store.add({ ...row, created_time });
        const details = { ...webhookHostDetails(url), actions };
        await recordAudit(tx, { actor, action: "webhook.create", account, subject: id, details });
      });
      await notifyDispatcher();
      return { webhook: shown(await find(account_id, id)), secret, public_key };
    },
    async changeWebhook({ params, body, actor }) {
      const account = await ownerOf(params.account);
      const { id } = await find(account.id, params.webhook_id);
      const url = body.url === undefined ? undefined : await checkedAddress(egress, body.url);
      const actions = body.actions && [...new Set(body.actions)];
      await pool.transaction(async (tx) => {
        await webhookStore(tx).lock(account.id);
        const store = subscriptionStore(tx);
        const before = (await store.byId(account.id, id)) ?? refuse(WEBHOOK_NOT_FOUND);
        await store.change(account.id, id, { ...(url !== undefined && { url }), ...(actions && { actions }) });
        if (body.state === "on") await store.turnOn(id);
        if (body.state === "off") await store.turnOff(id, BY_OWNER, now());
        const details = webhookChangeDetails(before, (await store.byId(account.id, id)) ?? refuse(WEBHOOK_NOT_FOUND));
        if (details) await recordAudit(tx, { actor, action: "webhook.change", account, subject: id, details });
      });
      await notifyDispatcher();
      return shown(await find(account.id, id));
    },
    async removeWebhook({ params, actor }) {
      const account = await ownerOf(params.account);
      const removed = await find(account.id, params.webhook_id);
      await pool.transaction(async (tx) => {
        if (!(await subscriptionStore(tx).remove(account.id, removed.id))) return;
        const details = webhookHostDetails(removed.url);
        await recordAudit(tx, { actor, action: "webhook.delete", account, subject: removed.id, details });
      });
      await notifyDispatcher();
      return shown(removed);
    },
    async testWebhook({ params }) {
      const webhook = await find(await accountOf(params.account), params.webhook_id);
      const event: WebhookEvent = {
        actor: { actor_type: "system", actor_id: "" },
        action: WEBHOOK_TEST,
        action_time: now().toISOString(),
        data: { webhook: { id: webhook.id, actions: chosenActions(webhook.actions) } },
      };
      const began = performance.now();
      const outgoing = { id: `${newId()}_${WEBHOOK_TEST}`, body: JSON.stringify(event) };
      const attempt = await post(webhook, outgoing, { retryCount: 0, timeoutMs: testTimeoutMs });
      return {
        delivered: attempt.kind === "accepted",
        ...("status" in attempt && { status: attempt.status }),
        ...("reason" in attempt && { reason: attempt.reason }),
        milliseconds: Math.round(performance.now() - began),
      };
    },
    async renewWebhookSecret({ params, body, actor }) {
      const account = await ownerOf(params.account);
      const { id } = await find(account.id, params.webhook_id);
      const secret = webhookSecret(random(SECRET_BYTES));
      const sealed = (await vault()).seal(secretOwner(id), secret);
      await pool.transaction(async (tx) => {
        await webhookStore(tx).lock(account.id);
        const store = subscriptionStore(tx);
        const before = (await store.byId(account.id, id)) ?? refuse(WEBHOOK_NOT_FOUND);
        await store.renew(account.id, id, renewSecret(before, sealed, waitOf(body), now()));
        const details = webhookHostDetails(before.url);
        await recordAudit(tx, { actor, action: "webhook.renew_secret", account, subject: id, details });
      });
      await notifyDispatcher();
      return { webhook: shown(await find(account.id, id)), secret };
    },
    async listWebhookKeys({ params }) {
      return { keys: await keys.list(await accountOf(params.account)) };
    },
    async rotateWebhookKey({ params, body, actor }) {
      const account = await ownerOf(params.account);
      const rotated = await keys.rotate(account.id, waitOf(body), (tx, subject) =>
        recordAudit(tx, { actor, action: "webhook.renew_key", account, subject }),
      );
      return { keys: rotated };
    },
  };
};
