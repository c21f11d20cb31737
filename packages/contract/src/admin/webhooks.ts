import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { Time, Url } from "../api/values.ts";
import { WEBHOOK_ACTIONS } from "../api/webhooks.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";

/** @assumed Maximum number of webhooks per account. */
export const WEBHOOKS_PER_ACCOUNT_MAX = 100;
/** @assumed Maximum time that a new key waits before it signs, and that a renewed secret continues to sign. @units hours */
export const OVERLAP_HOURS_MAX = 720;

/** @assumed Maximum number of earlier secrets of a webhook that sign in addition to the current secret. */
export const OLD_SECRETS_MAX = 4;

const Actions = Type.Array(Type.Enum([...WEBHOOK_ACTIONS]), { minItems: 1, maxItems: WEBHOOK_ACTIONS.length });
const State = Type.Enum(["on", "off"]);

/** A URL that receives an account's events. */
export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    actions: Type.Array(Type.String()),
    state: State,
    off_reason: Type.Optional(Type.String()),
    off_time: Type.Optional(Time),
    /** Until this time a renewed secret signs in addition to the current secret. */
    overlap_until: Type.Optional(Time),
    created_time: Time,
  },
  { title: "Webhook" },
);
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = Type.Object({ url: Url, actions: Type.Optional(Actions) }, { title: "NewWebhook" });
export type NewWebhook = Static<typeof NewWebhook>;

/** Public key of a signing key pair. Receivers accept a signature by any listed key. */
export const WebhookKey = Type.Object(
  {
    id: Type.String(),
    public_key: Type.String({ description: "SPKI, PEM: BEGIN PUBLIC KEY." }),
    public_key_base64: Type.String({ description: "The same key in one line: the text between BEGIN and END." }),
    public_key_pkcs1: Type.String({ description: "The same key as PKCS #1, PEM: BEGIN RSA PUBLIC KEY." }),
    state: Type.Enum(["active", "next", "retired"]),
    signs_from: Time,
  },
  { title: "WebhookKey" },
);
export type WebhookKey = Static<typeof WebhookKey>;

const Keys = Type.Object({ keys: Type.Array(WebhookKey) });

const Overlap = (description: string) =>
  Type.Object({
    overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_HOURS_MAX, description })),
  });

/** Result of a test delivery. */
export const WebhookTested = Type.Object(
  {
    delivered: Type.Boolean(),
    status: Type.Optional(
      Type.Integer({ description: "HTTP status of the receiver's response; absent without a response." }),
    ),
    reason: Type.Optional(Type.String()),
    milliseconds: Type.Integer(),
  },
  { title: "WebhookTested" },
);
export type WebhookTested = Static<typeof WebhookTested>;

export const WEBHOOK_NOT_FOUND = problem({ code: 404, status: "WEBHOOK_NOT_FOUND", message: "webhook not found" });
export const TOO_MANY_WEBHOOKS = problem({
  code: 409,
  status: "TOO_MANY_WEBHOOKS",
  message: `The account has ${WEBHOOKS_PER_ACCOUNT_MAX} webhooks, which is the most: remove one first.`,
});

export const TOO_MANY_SECRETS = problem({
  code: 409,
  status: "TOO_MANY_SECRETS",
  message: `${OLD_SECRETS_MAX} secrets of the webhook sign beside the present one, which is the most: wait until an overlap is over, or renew with an overlap of 0.`,
});

const SPEC = "Events";

/** Webhooks of an account and their keys, managed with the admin key. */
export const webhooks = {
  listWebhooks: endpoint({
    route: "GET /admin/accounts/{account}/webhooks",
    summary: "List the webhooks of an account, the oldest first",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Type.Object({ webhooks: Type.Array(Webhook) }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  createWebhook: endpoint({
    route: "POST /admin/accounts/{account}/webhooks",
    summary: "Create a webhook for an account's events; only this response contains the secret",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    body: NewWebhook,
    reply: {
      code: 201,
      body: Type.Object({
        webhook: Webhook,
        secret: Type.String({ description: "Secret of the webhook-signature header." }),
        public_key: Type.String({ description: "Public key of the X-Freshchat-Signature header: SPKI, PEM." }),
      }),
    },
    problems: [ACCOUNT_NOT_FOUND, TOO_MANY_WEBHOOKS],
  }),
  changeWebhook: endpoint({
    route: "PUT /admin/accounts/{account}/webhooks/{webhook_id}",
    summary: "Change a webhook's address or actions, or turn it on or off",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    body: Type.Object({
      url: Type.Optional(Url),
      actions: Type.Optional(Actions),
      state: Type.Optional(State),
    }),
    reply: { code: 200, body: Webhook },
    problems: [ACCOUNT_NOT_FOUND, WEBHOOK_NOT_FOUND],
  }),
  removeWebhook: endpoint({
    route: "DELETE /admin/accounts/{account}/webhooks/{webhook_id}",
    summary: "Remove a webhook with its pending deliveries",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Webhook },
    problems: [ACCOUNT_NOT_FOUND, WEBHOOK_NOT_FOUND],
  }),
  testWebhook: endpoint({
    route: "POST /admin/accounts/{account}/webhooks/{webhook_id}/test",
    summary: "Send a test delivery to a webhook and return the result",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: WebhookTested },
    problems: [ACCOUNT_NOT_FOUND, WEBHOOK_NOT_FOUND],
  }),
  renewWebhookSecret: endpoint({
    route: "POST /admin/accounts/{account}/webhooks/{webhook_id}/secret",
    summary:
      "Renew a webhook's secret, which only this response contains; the previous secret also signs until the overlap ends",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    body: Overlap("0: only the new secret signs."),
    reply: {
      code: 201,
      body: Type.Object({
        webhook: Webhook,
        secret: Type.String({ description: "Secret of the webhook-signature header." }),
      }),
    },
    problems: [ACCOUNT_NOT_FOUND, WEBHOOK_NOT_FOUND, TOO_MANY_SECRETS],
  }),
  listWebhookKeys: endpoint({
    route: "GET /admin/accounts/{account}/webhook-keys",
    summary: "List the public keys that verify an account's webhooks",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Keys },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  rotateWebhookKey: endpoint({
    route: "POST /admin/accounts/{account}/webhook-keys",
    summary: "Create a new key, which signs after an overlap; a key that already waits is kept",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    body: Overlap("0: the key signs immediately."),
    reply: { code: 201, body: Keys },
    problems: [ACCOUNT_NOT_FOUND],
  }),
};
