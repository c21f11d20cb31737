import type { AdminDelivery, AdminSubscription } from "@parley/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { adminCalls, platformCalls } from "../admin-client.ts";
import { appsKey } from "./apps-query.ts";
import { callQueryOf, type CallFilter } from "./activity-values.ts";
import { APP_VALUES } from "./contract-values.ts";

/** The app on the account whose activity is read. */
export interface AppOfAccount {
  readonly account: string;
  readonly name: string;
}

/** Calls of an app leave no event: they are read when a page opens, and when the admin returns to it. */
const UNLOGGED = { staleTime: 0, refetchOnWindowFocus: "always" } as const;

/** Key of everything that is known of what an app does. */
export const activityKey = ({ account, name }: AppOfAccount): readonly unknown[] => [
  ...appsKey(account),
  "activity",
  name,
];

/** Calls of the app's handlers, the newest first. */
export const callsQuery = (app: AppOfAccount, filter: CallFilter) =>
  infiniteQueryOptions({
    ...UNLOGGED,
    queryKey: [...activityKey(app), "calls", filter],
    initialPageParam: "",
    queryFn: ({ pageParam: before, signal }) =>
      platformCalls.listInvocations({
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
    queryFn: ({ signal }) => platformCalls.getInvocation({ params: { ...app, invocation_id: id }, signal }),
  });

export const schedulesQuery = (app: AppOfAccount) =>
  queryOptions({
    ...UNLOGGED,
    queryKey: [...activityKey(app), "schedules"],
    queryFn: ({ signal }) => platformCalls.listSchedules({ params: app, signal }),
  });

/** Events that the app handles, with sample payloads. */
export const eventsQuery = (app: AppOfAccount) =>
  queryOptions({
    ...UNLOGGED,
    queryKey: [...activityKey(app), "events"],
    queryFn: async ({ signal }) => (await platformCalls.listRaisableEvents({ params: app, signal })).events,
  });

/** An event that the app failed to handle, with the error of its last call, if that call is among the newest failed calls. */
export interface FailedEvent extends AdminDelivery {
  /** As the app handles it, such as onMessageCreate. */
  readonly name: string;
  readonly error: string;
}

/** @shape subscription: undefined: the app receives no events */
interface FailedEvents {
  readonly subscription: string | undefined;
  readonly events: readonly FailedEvent[];
  readonly hasMore: boolean;
}

/** Which of an account's subscriptions brings an app its events. @shape eventsUrl: that of an app in a folder; absent: of an installed version */
const isOfApp = ({ kind, name, url }: AdminSubscription, app: AppOfAccount, eventsUrl: string | undefined): boolean =>
  kind === "app" && (eventsUrl === undefined ? name === APP_VALUES.subscriptionPrefix + app.name : url === eventsUrl);

/** Events that were given up, the newest first. @shape eventsUrl: as for `isOfApp` */
export const failedEventsQuery = (app: AppOfAccount, eventsUrl?: string) =>
  queryOptions({
    ...UNLOGGED,
    queryKey: [...activityKey(app), "failed-events"],
    queryFn: async ({ signal }): Promise<FailedEvents> => {
      const { account } = app;
      const { subscriptions } = await adminCalls.listSubscriptions({ params: { account }, signal });
      const subscription = subscriptions.find((each) => isOfApp(each, app, eventsUrl))?.id;
      if (subscription === undefined) return { subscription, events: [], hasMore: false };
      const [{ deliveries, next_before }, { invocations }] = await Promise.all([
        adminCalls.listDeliveries({
          params: { account, subscription_id: subscription },
          query: { state: "dead" },
          signal,
        }),
        platformCalls.listInvocations({ params: app, query: { result: "failed" }, signal }),
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
