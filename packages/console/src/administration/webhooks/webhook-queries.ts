import type { AdminSubscription, Webhook } from "@parley/contract";
import { queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";

/** A webhook with the success of its deliveries. */
export interface ListedWebhook extends Webhook {
  readonly progress: AdminSubscription | undefined;
}

/** All webhooks of an account, the oldest first. */
export const webhooksQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "webhooks", account],
    queryFn: async ({ signal }): Promise<ListedWebhook[]> => {
      const request = { params: { account }, signal };
      const [{ webhooks }, { subscriptions }] = await Promise.all([
        adminCalls.listWebhooks(request),
        adminCalls.listSubscriptions(request),
      ]);
      const progressOf = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
      return webhooks.map((webhook) => ({ ...webhook, progress: progressOf.get(webhook.id) }));
    },
  });

/** The public keys that verify webhooks of an account, in the order in which they sign. */
export const webhookKeysQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "webhook-keys", account],
    queryFn: async ({ signal }) => (await adminCalls.listWebhookKeys({ params: { account }, signal })).keys,
  });
