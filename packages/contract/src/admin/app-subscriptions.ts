import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { ACCOUNT_CLOSED } from "../api/problems.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { SUBSCRIPTION_NOT_FOUND } from "./deliveries.ts";

/**
 * Days for which the events of a paused app are kept beyond the usual time, unless PARLEY_PAUSED_EVENTS_DAYS names another number.
 * @assumed
 */
export const PAUSED_EVENTS_DAYS = 90;

/** Names of the subscriptions of installed apps begin with it; those of app hosts that a command starts do not. */
export const INSTALLED_APP_PREFIX = "app ";

/** Subscription of an app's installation to the events of its account. */
export const AppSubscription = Type.Object(
  {
    id: Type.String(),
    account: Type.String(),
    app: Type.String(),
    url: Type.String(),
    events: Type.Union([Type.Array(Type.String()), Type.Null()]),
    state: Type.Enum(["on", "paused"]),
    paused_time: Type.Optional(Time),
    to_come: Type.Integer({ description: "Events that it has not received yet, counted up to 10000." }),
    missed: Type.Integer({ description: "Events that expired while it was paused." }),
  },
  { title: "AppSubscription" },
);
export type AppSubscription = Static<typeof AppSubscription>;

export const AppSubscriptionSettings = Type.Object(
  {
    url: Type.String({ maxLength: 2_048, description: "Address of the platform that receives the events." }),
    secret: Type.String({ pattern: "^whsec_[A-Za-z0-9+/=]{32,128}$", description: "Signs the events." }),
    events: Type.Optional(
      Type.Union([Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64 }), Type.Null()], {
        description:
          "Kinds of events that it receives, such as message_create; null or absent: all that apps can handle.",
      }),
    ),
    paused: Type.Boolean({ description: "true: events wait in order until it is false." }),
  },
  { title: "AppSubscriptionSettings" },
);
export type AppSubscriptionSettings = Static<typeof AppSubscriptionSettings>;

const ROUTE = "/admin/accounts/{account}/app-subscriptions/{app}";

/** Subscriptions of apps, which the platform keeps. */
export const appSubscriptions = {
  putAppSubscription: endpoint({
    route: `PUT ${ROUTE}`,
    summary: "Subscribe an installation to an account's events, or change its subscription; it keeps its position",
    spec: "Events",
    access: { adminKey: true },
    body: AppSubscriptionSettings,
    reply: { code: 200, body: AppSubscription },
    problems: [ACCOUNT_NOT_FOUND, ACCOUNT_CLOSED],
  }),
  deleteAppSubscription: endpoint({
    route: `DELETE ${ROUTE}`,
    summary: "End the subscription of an uninstalled app",
    spec: "Events",
    access: { adminKey: true },
    reply: { code: 200, body: AppSubscription },
    problems: [ACCOUNT_NOT_FOUND, SUBSCRIPTION_NOT_FOUND],
  }),
};
