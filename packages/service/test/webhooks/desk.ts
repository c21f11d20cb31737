import type { NewWebhook, Webhook, WebhookKey } from "@parley/contract";
import { office, type Office } from "../admin/office.ts";
import type { WorldOptions } from "../world.ts";
import { endpoint, type Endpoint } from "./endpoint.ts";

export const HOOKS = "/admin/accounts/acme/webhooks";
export const KEYS = "/admin/accounts/acme/webhook-keys";

/** What is made, and shown once. */
export interface Made {
  readonly webhook: Webhook;
  readonly secret: string;
  readonly public_key: string;
}

/** The owner's desk, on an instance of one's own machine, with endpoints that end with it. */
export interface Desk extends Office {
  add(body: NewWebhook): Promise<Made>;
  keys(): Promise<WebhookKey[]>;
  /** A receiver, and a webhook that leads there. */
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
