import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { STREAM_PERMISSIONS, type StreamEventKind } from "../api/stream.ts";

/** Delivery states of an event to one subscription. */
export const DELIVERY_STATES = ["delivered", "waiting", "aside", "dead"] as const;
export const DeliveryState = Type.Enum([...DELIVERY_STATES], {
  description:
    "waiting: another attempt follows, and later events of the same conversation wait for it; aside: another attempt follows, out of order; " +
    "dead: no further attempt without a replay.",
});
export type DeliveryState = Static<typeof DeliveryState>;

/** Page sizes: default and maximum. */
const DELIVERIES_PAGE_SIZE = { default: 50, max: 500 } as const;

/** @assumed Number of events of which a subscription has the success. */
export const RECENT_DELIVERIES = 100;

/**
 * Limits of the kept parts of a delivery's last request.
 * @assumed The numbers. Names and values of headers count together.
 */
export const DELIVERY_EXCHANGE_LIMITS = {
  /** Number of deliveries of a subscription whose exchange is kept: the newest deliveries. */
  deliveries: 1_000,
  /** @units characters */
  responseBody: 2_000,
  /** @units characters */
  headerValue: 300,
  /** @units characters */
  shownRequestBody: 65_536,
} as const;

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
    recent: Type.Object(
      { attempted: Type.Integer(), delivered: Type.Integer() },
      {
        description: `Of the last ${RECENT_DELIVERIES} events that were sent: how many there are, and how many arrived.`,
      },
    ),
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
    milliseconds: Type.Optional(
      Type.Integer({ description: "Duration of the last request; only of a webhook's deliveries." }),
    ),
    next_time: Type.Optional(Time),
    changed_time: Time,
  },
  { title: "AdminDelivery" },
);
export type AdminDelivery = Static<typeof AdminDelivery>;

const Headers = Type.Record(Type.String(), Type.String());

/** The last request of a webhook's delivery, and its response. */
export const DeliveryExchange = Type.Object(
  {
    time: Time,
    milliseconds: Type.Integer(),
    request: Type.Object({
      url: Type.String(),
      headers: Headers,
      body: Type.Optional(
        Type.String({
          description:
            "The body as it is made from the event log now: like the body that was sent, except that links to uploads are renewed, and that " +
            `the data of deleted users is removed. At most ${DELIVERY_EXCHANGE_LIMITS.shownRequestBody} characters. Absent when the log does not contain the event any more.`,
        }),
      ),
      truncated: Type.Boolean({ description: "Whether the body is longer." }),
    }),
    response: Type.Optional(
      Type.Object(
        {
          status: Type.Integer(),
          headers: Type.Record(Type.String(), Type.String(), {
            description: "Those that help to find a fault; never cookies.",
          }),
          body: Type.String({
            description: `The first ${DELIVERY_EXCHANGE_LIMITS.responseBody} characters, read as UTF-8.`,
          }),
          truncated: Type.Boolean({ description: "Whether the body was longer." }),
        },
        { description: "Absent when no response arrived." },
      ),
    ),
  },
  {
    title: "DeliveryExchange",
    description: `The last request and its response: kept of the newest ${DELIVERY_EXCHANGE_LIMITS.deliveries} deliveries, until a user of the event is deleted.`,
  },
);
export type DeliveryExchange = Static<typeof DeliveryExchange>;

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
export const DELIVERY_NOT_FOUND = problem({
  code: 404,
  status: "DELIVERY_NOT_FOUND",
  message: "The subscription has no delivery of an event of this id, or it is not kept any more.",
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
      kind: Type.Optional(
        Type.Enum(Object.keys(STREAM_PERMISSIONS) as StreamEventKind[], { description: "Only events of this kind." }),
      ),
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
  getDelivery: endpoint({
    route: "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries/{event_id}",
    summary: "Get the delivery of an event to a subscription, with the last request to a webhook and its response",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: {
      code: 200,
      body: Type.Object({
        delivery: AdminDelivery,
        exchange: Type.Optional(DeliveryExchange),
      }),
    },
    problems: [ACCOUNT_NOT_FOUND, SUBSCRIPTION_NOT_FOUND, DELIVERY_NOT_FOUND],
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
