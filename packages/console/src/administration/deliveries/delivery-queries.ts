import type { AdminSubscription, DeliveryState } from "@parley/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";
import type { WebhookEventKind } from "./delivery-values.ts";

/** The endpoint whose deliveries are shown. @shape id: of the webhook, which is its subscription */
export interface DeliveryEndpoint {
  readonly account: string;
  readonly id: string;
}

export interface DeliveryFilter {
  /** Any when absent. */
  readonly state?: DeliveryState | undefined;
  readonly kind?: WebhookEventKind | undefined;
}

/** All that is read of an endpoint. */
export const endpointKey = ({ account, id }: DeliveryEndpoint) => ["admin", "deliveries", account, id] as const;

/** The endpoint with the numbers of its deliveries; null if the account has no endpoint with this id. */
export const endpointQuery = (endpoint: DeliveryEndpoint) =>
  queryOptions({
    queryKey: [...endpointKey(endpoint), "endpoint"],
    queryFn: async ({ signal }): Promise<AdminSubscription | null> => {
      const { subscriptions } = await adminCalls.listSubscriptions({ params: { account: endpoint.account }, signal });
      return subscriptions.find(({ id, kind }) => id === endpoint.id && kind === "webhook") ?? null;
    },
  });

const PAGE_SIZE = 50;

/** Deliveries, the newest first. */
export const deliveriesQuery = (endpoint: DeliveryEndpoint, { state, kind }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: [...endpointKey(endpoint), "list", state, kind],
    queryFn: ({ pageParam, signal }) =>
      adminCalls.listDeliveries({
        params: { account: endpoint.account, subscription_id: endpoint.id },
        query: {
          limit: PAGE_SIZE,
          ...(state && { state }),
          ...(kind && { kind }),
          ...(pageParam !== undefined && { before: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_before }) => next_before,
  });

/** One delivery with its last request and the response. */
export const deliveryQuery = (endpoint: DeliveryEndpoint, eventId: string) =>
  queryOptions({
    queryKey: [...endpointKey(endpoint), "delivery", eventId],
    queryFn: ({ signal }) =>
      adminCalls.getDelivery({
        params: { account: endpoint.account, subscription_id: endpoint.id, event_id: eventId },
        signal,
      }),
  });
