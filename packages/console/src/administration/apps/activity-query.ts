import type { AdminDelivery } from "@parley/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { admin, platform } from "../admin-client.ts";
import { appsKey } from "./apps-query.ts";
import { callQueryOf, type CallFilter } from "./activity-values.ts";
import { APP_VALUES } from "./contract-values.ts";

/** The app on the account whose activity is read. */
export interface AppOfAccount {
  readonly account: string;
  readonly name: string;
}

/** Key of everything that is known of what an app does. */
export const activityKey = ({ account, name }: AppOfAccount): readonly unknown[] => [
  ...appsKey(account),
  "activity",
  name,
];

/** Calls of the app's handlers, the newest first. */
export const callsQuery = (app: AppOfAccount, filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: [...activityKey(app), "calls", filter],
    initialPageParam: "",
    queryFn: ({ pageParam: before, signal }) =>
      platform.listInvocations({
        params: app,
        query: { ...callQueryOf(filter, Date.now()), ...(before !== "" && { before }) },
        signal,
      }),
    getNextPageParam: ({ next_before }) => next_before,
  });

/** One call with its payload. A recorded call never changes. */
export const callQuery = (app: AppOfAccount, id: string) =>
  queryOptions({
    queryKey: [...activityKey(app), "call", id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => platform.getInvocation({ params: { ...app, invocation_id: id }, signal }),
  });

export const schedulesQuery = (app: AppOfAccount) =>
  queryOptions({
    queryKey: [...activityKey(app), "schedules"],
    queryFn: ({ signal }) => platform.listSchedules({ params: app, signal }),
  });

/** Events that the app handles, with sample payloads. */
export const eventsQuery = (app: AppOfAccount) =>
  queryOptions({
    queryKey: [...activityKey(app), "events"],
    queryFn: async ({ signal }) => (await platform.listRaisableEvents({ params: app, signal })).events,
  });

/** An event that the app failed to handle, with the error of its last call, if it is among the newest failed ones. */
export interface FailedEvent extends AdminDelivery {
  /** As the app handles it, such as onMessageCreate. */
  readonly name: string;
  readonly error: string;
}

/** @shape subscription: undefined: the app receives no events */
export interface FailedEvents {
  readonly subscription: string | undefined;
  readonly events: readonly FailedEvent[];
  readonly hasMore: boolean;
}

/** Events that were given up, the newest first. */
export const failedEventsQuery = (app: AppOfAccount) =>
  queryOptions({
    queryKey: [...activityKey(app), "failed-events"],
    queryFn: async ({ signal }): Promise<FailedEvents> => {
      const { account, name } = app;
      const { subscriptions } = await admin.listSubscriptions({ params: { account }, signal });
      const subscription = subscriptions.find(
        (each) => each.kind === "app" && each.name === APP_VALUES.subscriptionPrefix + name,
      )?.id;
      if (subscription === undefined) return { subscription, events: [], hasMore: false };
      const [{ deliveries, next_before }, { invocations }] = await Promise.all([
        admin.listDeliveries({
          params: { account, subscription_id: subscription },
          query: { state: "dead" },
          signal,
        }),
        platform.listInvocations({ params: app, query: { result: "failed" }, signal }),
      ]);
      const errorOf = (event: string) => invocations.find(({ source }) => source === event)?.error;
      return {
        subscription,
        events: deliveries.map((each) => ({
          ...each,
          name: APP_VALUES.eventNames[each.kind] ?? each.kind,
          error: errorOf(each.event_id) ?? each.reason ?? "",
        })),
        hasMore: next_before !== undefined,
      };
    },
  });
