import type { NewWebhook, Webhook, WebhookKey } from "@parley/contract";
import { adminHarness, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";
import { startFakeWebhookReceiver, type FakeWebhookReceiver } from "./fake-webhook-receiver.ts";

export const WEBHOOKS_PATH = "/admin/accounts/acme/webhooks";
export const WEBHOOK_KEYS_PATH = "/admin/accounts/acme/webhook-keys";

/** An object as it was created, with the secret that is shown once. */
export interface CreatedWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
  readonly public_key: string;
}

/** The admin API of a local instance, with endpoints that are closed with it. */
export interface WebhooksHarness extends AdminHarness {
  addWebhook(body: NewWebhook): Promise<CreatedWebhook>;
  listKeys(): Promise<WebhookKey[]>;
  /** Creates an endpoint and a webhook for it. */
  addReceiver(
    body?: Partial<NewWebhook>,
  ): Promise<{ readonly receiver: FakeWebhookReceiver; readonly created: CreatedWebhook }>;
}

export const webhooksHarness = async (options: ServiceHarnessOptions = {}): Promise<WebhooksHarness> => {
  const o = await adminHarness({ isLocal: true, ...options });
  const receivers: FakeWebhookReceiver[] = [];
  const addWebhook: WebhooksHarness["addWebhook"] = async (body) => {
    const { code, body: created } = await o.adminRequest<CreatedWebhook>("POST", WEBHOOKS_PATH, body);
    if (code !== 201) throw new Error(`${code} ${created.status}: ${created.message}`);
    return created;
  };
  return {
    ...o,
    addWebhook,
    listKeys: async () => (await o.adminRequest<{ keys: WebhookKey[] }>("GET", WEBHOOK_KEYS_PATH)).body.keys,
    async addReceiver(body = {}) {
      const receiver = await startFakeWebhookReceiver();
      receivers.push(receiver);
      return { receiver, created: await addWebhook({ url: receiver.url, ...body }) };
    },
    async close() {
      await o.close();
      await Promise.all(receivers.map((each) => each.close()));
    },
  };
};
