import type { NewWebhook, Webhook, WebhookKey } from "@parley/contract";
import { office, type Office } from "../admin/office.ts";
import type { WorldOptions } from "../world.ts";
import { endpoint, type Endpoint } from "./endpoint.ts";

export const HOOKS = "/admin/accounts/acme/webhooks";
export const KEYS = "/admin/accounts/acme/webhook-keys";

/** An object as it was created, with the secret that is shown once. */
export interface Made {
  readonly webhook: Webhook;
  readonly secret: string;
  readonly public_key: string;
}

/** The admin API of a local instance, with endpoints that are closed with it. */
export interface Desk extends Office {
  add(body: NewWebhook): Promise<Made>;
  keys(): Promise<WebhookKey[]>;
  /** Creates an endpoint and a webhook for it. */
  hooked(body?: Partial<NewWebhook>): Promise<{ readonly receiver: Endpoint; readonly made: Made }>;
}

export const desk = async (options: WorldOptions = {}): Promise<Desk> => {
  const o = await office({ isLocal: true, ...options });
  const receivers: Endpoint[] = [];
  const add: Desk["add"] = async (body) => {
    const { code, body: made } = await o.ask<Made>("POST", HOOKS, body);
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
