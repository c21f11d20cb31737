import type { NewWebhook, Webhook, WebhookKey } from "@parley/contract";
import { adminWorld, type AdminWorld } from "../admin/admin-harness.ts";
import type { WorldOptions } from "../service-harness.ts";
import { endpoint, type Endpoint } from "./fake-webhook-receiver.ts";

export const HOOKS = "/admin/accounts/acme/webhooks";
export const KEYS = "/admin/accounts/acme/webhook-keys";

/** An object as it was created, with the secret that is shown once. */
export interface CreatedWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
  readonly public_key: string;
}

/** The admin API of a local instance, with endpoints that are closed with it. */
export interface WebhookWorld extends AdminWorld {
  add(body: NewWebhook): Promise<CreatedWebhook>;
  keys(): Promise<WebhookKey[]>;
  /** Creates an endpoint and a webhook for it. */
  hooked(body?: Partial<NewWebhook>): Promise<{ readonly receiver: Endpoint; readonly made: CreatedWebhook }>;
}

export const webhookWorld = async (options: WorldOptions = {}): Promise<WebhookWorld> => {
  const o = await adminWorld({ isLocal: true, ...options });
  const receivers: Endpoint[] = [];
  const add: WebhookWorld["add"] = async (body) => {
    const { code, body: made } = await o.ask<CreatedWebhook>("POST", HOOKS, body);
    if (code !== 201) throw new Error(`${code} ${made.status}: ${made.message}`);
    return made;
  };
  return {
    ...o,
    add,
    keys: async () => (await o.ask<{ keys: WebhookKey[] }>("GET", KEYS)).body.keys,
    async hooked(body = {}) {
      const receiver = await endpoint();
      receivers.push(receiver);
      return { receiver, made: await add({ url: receiver.url, ...body }) };
    },
    async close() {
      await o.close();
      await Promise.all(receivers.map((each) => each.close()));
    },
  };
};
