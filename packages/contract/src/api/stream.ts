import Type, { type Static } from "typebox";
import type { EventData, EventKind, ServiceEvent } from "./events.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONVERSATION_NOT_FOUND } from "./conversation-problems.ts";
import type { OutboundMessage } from "./outbound.ts";
import type { Permission } from "../kernel/permissions.ts";
import { Pairs } from "./values.ts";

/**
 * What a token must be allowed to read so that it hears of events of a kind.
 * @assumed A stream has no permission of its own: it says nothing that the token could not read elsewhere.
 */
export const STREAMED = {
  conversation_create: "conversation:read",
  conversation_update: "conversation:read",
  message_create: "message:read",
  user_create: "user:read",
  user_update: "user:read",
  outbound_message_update: "outbound:read",
} as const satisfies Readonly<Record<EventKind | "outbound_message_update", Permission>>;
/** What the log tells of: what apps have a word for, and statuses of outbound messages. */
export type StreamKind = keyof typeof STREAMED;

/** An event as a stream tells it, to a token that may read all of it. */
export interface EventInStream extends Omit<ServiceEvent, "kind" | "data"> {
  readonly kind: StreamKind;
  readonly data: EventData & {
    /** As the list of outbound messages has it, in the status that the event brought. */
    readonly outbound_message?: OutboundMessage;
  };
}

/** The request's header that names the event to go on after, by the `id` that it came with. */
export const LAST_EVENT_ID = "Last-Event-ID";

/** The `data` of an event; of kinds that apps hear too it is what they hear. What the token may not read is left out of it. */
export const StreamedEvent = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(Object.keys(STREAMED) as StreamKind[]),
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
 * The `data` of a `reset`: what followed the event named is not there any more, and the stream goes on with what happens now.
 * @assumed An event in the stream, and no 410: readers of a browser's kind would stop for good at that.
 */
export const StreamReset = Type.Object(
  { reason: Type.Enum(["LAST_EVENT_GONE"]), message: Type.String() },
  { title: "StreamReset" },
);
export type StreamReset = Static<typeof StreamReset>;

/** @assumed The token, and its code. */
export const TOO_MANY_STREAMS = problem({
  code: 429,
  status: "TOO_MANY_STREAMS",
  message: "This access token has as many streams open as it may have. Retry after the time in the Retry-After header.",
  remedy: "Close a stream that nobody reads, or share one: a single stream tells all that the token may read.",
});

export const stream = {
  events: endpoint({
    route: "GET /stream",
    summary: "Hear of the account's events as they are committed (beyond the specification)",
    spec: "Events",
    permission: null,
    query: Type.Object({
      types: Type.Optional(
        Type.String({
          maxLength: 200,
          description: `Only these kinds, with commas: ${Object.keys(STREAMED).join(", ")}.`,
        }),
      ),
      conversation_id: Type.Optional(Type.String({ description: "Only what happens in this conversation." })),
    }),
    reply: { code: 200, type: "text/event-stream", body: StreamedEvent },
    problems: [CONVERSATION_NOT_FOUND, TOO_MANY_STREAMS],
  }),
};
