import Type, { type Static } from "typebox";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { StreamedEvent, StreamReset, TOO_MANY_STREAMS, type EventInStream } from "../api/stream.ts";
import { Time } from "../api/values.ts";
import { AGENT_SCOPES, sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API } from "./inbox.ts";
import { SeenVisitorPage } from "./visitor-page.ts";

const PRESENCE_STATES = ["viewing", "typing"] as const;

/** An agent who has a conversation open. */
export const Presence = Type.Object(
  { agent_id: Type.String(), state: Type.Enum([...PRESENCE_STATES]) },
  { title: "Presence" },
);
export type Presence = Static<typeof Presence>;

/** All agents who have a conversation open, by agent; sent whenever that changes. */
export const ConversationPresence = Type.Object(
  { conversation_id: Type.String(), agents: Type.Array(Presence) },
  { title: "ConversationPresence" },
);
export type ConversationPresence = Static<typeof ConversationPresence>;

/**
 * The first event of a stream. Presence is reported for a stream and ends with it. A stream ends when the agent's role or scope changes: data
 * that was read with another role or scope is out of date.
 */
export const StreamStart = Type.Object(
  {
    stream_id: Type.String(),
    role_id: Type.String(),
    scope: Type.Enum([...AGENT_SCOPES]),
    keep_alive_ms: Type.Optional(
      Type.Integer({
        description:
          "Time between two keep-alive comments. A stream that is silent for longer has lost its connection.",
      }),
    ),
  },
  { title: "StreamStart" },
);
export type StreamStart = Static<typeof StreamStart>;

/**
 * Something of the agent's own that changed on another device; or, for all agents, a user that was deleted, of whom they drop what they have
 * read, and raw reports that were requested or finished. It is not in the log and is not sent again after a reconnect: read anew what it names.
 */
export const OwnChange = Type.Object(
  {
    kind: Type.Enum(["draft", "read", "views", "reply_templates", "report_requests", "deleted_user"]),
    conversation_id: Type.Optional(Type.String({ description: "Of a draft or a read mark." })),
    user_id: Type.Optional(Type.String({ description: "Of a deleted user." })),
  },
  { title: "OwnChange" },
);
export type OwnChange = Static<typeof OwnChange>;

/**
 * A conversation within the agent's scope whose properties were changed; the log has no such event. It is not sent again after a reconnect:
 * read the conversation anew.
 */
export const PropertyChange = Type.Object({ conversation_id: Type.String() }, { title: "PropertyChange" });
export type PropertyChange = Static<typeof PropertyChange>;

/** States of a customer in a conversation of the messenger: `online`: the messenger is connected; `gone`: it has not been for 10 s. */
const CUSTOMER_STATES = ["typing", "online", "gone"] as const;

/**
 * A customer of the messenger in a conversation that the agent has open; sent when the agent opens it and whenever it changes. Nothing is sent
 * for customers who have never used the messenger.
 */
export const CustomerPresence = Type.Object(
  {
    conversation_id: Type.String(),
    state: Type.Enum([...CUSTOMER_STATES]),
    read_message_id: Type.Optional(Type.String({ description: "The last message that the customer has read." })),
    read_time: Type.Optional(Time),
    page: Type.Optional({
      ...SeenVisitorPage,
      description: "The page that the customer wrote from last. Only if the account lets agents see it.",
    }),
  },
  { title: "CustomerPresence" },
);
export type CustomerPresence = Static<typeof CustomerPresence>;

/** Events of the console's stream by their `event` field: those of the API's stream, and others without an `id`. */
export type ConsoleStreamItem =
  | { readonly event: EventInStream["kind"]; readonly data: EventInStream }
  | { readonly event: "reset"; readonly data: StreamReset }
  | { readonly event: "stream_start"; readonly data: StreamStart }
  | { readonly event: "presence"; readonly data: ConversationPresence }
  | { readonly event: "customer_presence"; readonly data: CustomerPresence }
  | { readonly event: "own_change"; readonly data: OwnChange }
  | { readonly event: "property_change"; readonly data: PropertyChange };

/** The stream has ended, or belongs to another session. */
export const STREAM_NOT_FOUND = problem({
  code: 404,
  status: "STREAM_NOT_FOUND",
  message: "The session has no such stream: report the presence for the stream that is open.",
});

export const live = {
  streamConsole: endpoint({
    route: `GET ${CONSOLE_API}/stream`,
    summary:
      "Receive the events within the agent's scope, changes of properties, the presence of agents and customers, and changes of the agent's own on other devices",
    spec: "Events",
    access: { session: sessionsOf("AGENT", "some") },
    reply: {
      code: 200,
      type: "text/event-stream",
      body: Type.Union([
        StreamedEvent,
        StreamReset,
        StreamStart,
        ConversationPresence,
        CustomerPresence,
        OwnChange,
        PropertyChange,
      ]),
    },
    problems: [TOO_MANY_STREAMS],
  }),
  reportPresence: endpoint({
    route: `PUT ${CONSOLE_API}/presence/{conversation_id}`,
    summary:
      "Report that the agent has a conversation open or is writing in it, until the stream ends or it is reported otherwise",
    spec: "Events",
    access: { session: sessionsOf("AGENT", "conversation") },
    body: Type.Object(
      {
        stream_id: Type.String({ maxLength: 64 }),
        tab_id: Type.String({ minLength: 1, maxLength: 64, description: "Several tabs share a stream." }),
        state: Type.Enum([...PRESENCE_STATES, "left"]),
      },
      { title: "PresenceReport" },
    ),
    reply: { code: 200, body: ConversationPresence },
    problems: [CONVERSATION_NOT_FOUND, STREAM_NOT_FOUND],
  }),
};
