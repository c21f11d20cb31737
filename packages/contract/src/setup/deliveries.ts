import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";

/** Delivery states of an event to one subscription. */
export const DELIVERY_STATES = ["delivered", "waiting", "aside", "dead"] as const;
const DeliveryState = Type.Enum([...DELIVERY_STATES], {
  description:
    "waiting: another attempt follows, and later events of the same conversation wait for it; aside: another attempt follows, out of order; " +
    "dead: no further attempt without a replay.",
});

/** Page sizes: default and maximum. */
const DELIVERIES_PAGE_SIZE = { default: 50, max: 500 } as const;

/** A subscription to an account's events, with its progress. */
export const AdminSubscription = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    kind: Type.Enum(["app", "webhook"]),
    url: Type.String(),
    actions: Type.Optional(Type.Array(Type.String(), { description: "All when absent." })),
    state: Type.Enum(["on", "off"]),
    off_time: Type.Optional(Time),
    off_reason: Type.Optional(Type.String()),
    created_time: Time,
    to_come: Type.Integer({
      description: "Events of the log that have not been delivered to it yet, counted up to 10000.",
    }),
    waiting: Type.Integer(),
    aside: Type.Integer(),
    dead: Type.Integer(),
    missed: Type.Integer({ description: "Events that expired while it was off." }),
  },
  { title: "AdminSubscription" },
);
export type AdminSubscription = Static<typeof AdminSubscription>;

/** Delivery of one event to one subscription. The list has events that were not delivered at the first attempt, and the latest that were. */
export const AdminDelivery = Type.Object(
  {
    event_id: Type.String(),
    kind: Type.String(),
    entity_id: Type.String({ description: "The conversation or user by which events are ordered." }),
    state: DeliveryState,
    replay: Type.Boolean(),
    tries: Type.Integer(),
    status: Type.Optional(Type.Integer({ description: "HTTP status of the last response." })),
    reason: Type.Optional(Type.String()),
    next_time: Type.Optional(Time),
    changed_time: Time,
  },
  { title: "AdminDelivery" },
);
export type AdminDelivery = Static<typeof AdminDelivery>;

/** Events to deliver again: exactly one of event_id, a time range, or failed. */
export const ReplayRequest = Type.Object(
  {
    event_id: Type.Optional(Type.String({ description: "One event." })),
    from: Type.Optional(Time),
    to: Type.Optional(Time),
    failed: Type.Optional(Type.Literal(true, { description: "All that are dead or aside." })),
  },
  { title: "ReplayRequest" },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

export const SUBSCRIPTION_NOT_FOUND = problem({
  code: 404,
  status: "SUBSCRIPTION_NOT_FOUND",
  message: "subscription not found",
});
export const EVENT_NOT_FOUND = problem({
  code: 404,
  status: "EVENT_NOT_FOUND",
  message: "The account's log has no event of this id, or not any more.",
});

const SPEC = "What the service does";

/** Subscriptions to an account's events, their deliveries, and replays. */
export const deliveries = {
  listSubscriptions: endpoint({
    route: "GET /admin/accounts/{account}/subscriptions",
    summary: "List the subscriptions to an account's events, with their progress",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Type.Object({ subscriptions: Type.Array(AdminSubscription) }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  listDeliveries: endpoint({
    route: "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries",
    summary: "List the deliveries of a subscription, the newest first",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    query: Type.Object({
      state: Type.Optional(DeliveryState),
      before: Type.Optional(Type.String({ pattern: "^\\d{1,15}$", description: "next_before of the previous page." })),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: DELIVERIES_PAGE_SIZE.max,
          description: `Deliveries a page; ${DELIVERIES_PAGE_SIZE.default} when absent.`,
        }),
      ),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        deliveries: Type.Array(AdminDelivery),
        next_before: Type.Optional(Type.String({ description: "Absent on the last page." })),
      }),
    },
    problems: [ACCOUNT_NOT_FOUND, SUBSCRIPTION_NOT_FOUND],
  }),
  replayDeliveries: endpoint({
    route: "POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay",
    summary: "Replay events to a subscription: one, those of a time range, or all that failed",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    body: ReplayRequest,
    reply: { code: 202, body: Type.Object({ replayed: Type.Integer() }) },
    problems: [ACCOUNT_NOT_FOUND, SUBSCRIPTION_NOT_FOUND, EVENT_NOT_FOUND],
  }),
};
