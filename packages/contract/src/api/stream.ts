import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import type { EventData, EventKind, ServiceEvent } from "./events.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONVERSATION_NOT_FOUND } from "./conversation-problems.ts";
import type { OutboundMessage } from "./outbound.ts";
import type { Permission } from "../kernel/permissions.ts";
import { Pairs } from "./values.ts";

/**
 * Read permission that a token needs to receive each kind of event.
 * @assumed The stream has no permission of its own: it contains nothing that the token could not read through other endpoints.
 */
export const STREAM_PERMISSIONS = {
  conversation_create: "conversation:read",
  conversation_update: "conversation:read",
  message_create: "message:read",
  user_create: "user:read",
  user_update: "user:read",
  outbound_message_update: "outbound:read",
} as const satisfies Readonly<Record<EventKind | "outbound_message_update", Permission>>;
/** Kinds of streamed events: the product events, and status changes of outbound messages. */
export type StreamEventKind = keyof typeof STREAM_PERMISSIONS;

/** An event as the stream sends it to a token with every read permission. */
export interface EventInStream extends Omit<ServiceEvent, "kind" | "data"> {
  readonly kind: StreamEventKind;
  readonly data: EventData & {
    /** The message as listOutboundMessages returns it, with the status that the event set. */
    readonly outbound_message?: OutboundMessage;
  };
}

/** Request header with the `id` of the last received event; the stream continues after it. */
export const LAST_EVENT_ID = "Last-Event-ID";

/** The `data` of an event. For product events it equals the event that apps receive, without the parts that the token may not read. */
export const StreamedEvent = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(Object.keys(STREAM_PERMISSIONS) as StreamEventKind[]),
    account_id: Type.Integer(),
    account: Type.String(),
    domain: Type.String(),
    region: Type.String(),
    timestamp: Type.Integer({ description: "Epoch milliseconds." }),
    version: Type.String(),
    data: Pairs,
  },
  { title: "StreamedEvent" },
);

/**
 * The `data` of a `reset` event: the events after the named one have been removed, and the stream continues with new events.
 * @assumed An event in the stream and not a 410: an EventSource of a browser would not reconnect after a 410.
 */
export const StreamReset = Type.Object(
  { reason: Type.Enum(["LAST_EVENT_GONE"]), message: Type.String() },
  { title: "StreamReset" },
);
export type StreamReset = Static<typeof StreamReset>;

/** @assumed The status token and the HTTP code. */
export const TOO_MANY_STREAMS = problem({
  code: 429,
  status: "TOO_MANY_STREAMS",
  message: "This access token has as many streams open as it may have. Retry after the time in the Retry-After header.",
  remedy: "Close a stream that nobody reads, or share one: a single stream tells all that the token may read.",
});

export const stream = {
  events: endpoint({
    route: "GET /stream",
    summary: "Receive the account's events as they are committed (beyond the specification)",
    spec: "Events",
    access: { token: null, session: sessionsOf("AGENT", "some") },
    query: Type.Object({
      types: Type.Optional(
        Type.String({
          maxLength: 200,
          description: `Comma-separated kinds to receive: ${Object.keys(STREAM_PERMISSIONS).join(", ")}.`,
        }),
      ),
      conversation_id: Type.Optional(Type.String({ description: "Only events of this conversation." })),
    }),
    reply: { code: 200, type: "text/event-stream", body: StreamedEvent },
    problems: [CONVERSATION_NOT_FOUND, TOO_MANY_STREAMS],
  }),
};
