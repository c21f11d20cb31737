import Type, { type Static } from "typebox";
import { ConversationChange, Properties, ConversationStatus } from "../api/conversations.ts";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { ActorType } from "../api/messages.ts";
import { ShortText, Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";

export const SPEC_OF_CONSOLE = "Resources and their fields > Conversation object";
/** Path of the pages and the endpoints of the console. */
export const CONSOLE_PATH = "/console";
export const CONSOLE_API = `${CONSOLE_PATH}/api` as const;
/** Path of the addresses of conversations: `<path>/<id>` leads to the conversation in the console. */
export const CONVERSATION_PAGES = "/conversations";

/** Orders of the inbox. `waiting`: conversations in which the customer has waited longest for an answer come first. */
export const INBOX_ORDERS = ["newest_activity", "oldest_activity", "newest", "oldest", "priority", "waiting"] as const;
export type InboxOrder = (typeof INBOX_ORDERS)[number];

/** Which conversations a view contains, besides the statuses of the API: `open` are those that are not resolved. */
export const INBOX_STATUSES = ["open", "new", "assigned", "resolved", "all"] as const;
export type InboxStatus = (typeof INBOX_STATUSES)[number];

/** @units conversations */
export const INBOX_PAGE_SIZE = { default: 50, max: 100 } as const;
/** @units conversations */
export const BULK_CHANGE_MAX = 100;

/** The filter of a view. Absent: any. All given members must match. */
export const inboxFilter = {
  status: Type.Optional(Type.Enum([...INBOX_STATUSES], { description: "open when absent." })),
  agent: Type.Optional(
    Type.String({ maxLength: 64, description: "Id of the assigned agent; `me`; `none`: nobody is assigned." }),
  ),
  group: Type.Optional(
    Type.String({ maxLength: 64, description: "Id of the assigned group; `mine`: groups of the agent; `none`." }),
  ),
  channel: Type.Optional(Type.String({ maxLength: 64, description: "Id of the topic." })),
  priority: Type.Optional(ShortText),
  property: Type.Optional(
    Type.String({
      maxLength: 2_048,
      pattern: "^cf_[^:]{1,256}:",
      description: "`<name>:<value>` of a conversation property; a multi-select property contains the value.",
    }),
  ),
  user: Type.Optional(Type.String({ maxLength: 64, description: "Id of the customer." })),
  unread: Type.Optional(
    Type.Boolean({ description: "Conversations with messages of the customer that the agent has not read." }),
  ),
};
export const InboxFilter = Type.Object(inboxFilter, { title: "InboxFilter" });
export type InboxFilter = Static<typeof InboxFilter>;

/** The newest message that is not a system message. */
export const MessagePreview = Type.Object(
  {
    text: Type.String({
      description: "Beginning of the text; for a message without text the kind of its first part, such as `image`.",
    }),
    kind: Type.String({ description: "Key of the first message part." }),
    actor_type: ActorType,
    is_private: Type.Boolean(),
    created_time: Time,
  },
  { title: "MessagePreview" },
);
export type MessagePreview = Static<typeof MessagePreview>;

/** A customer in lists. */
export const ListedCustomer = Type.Object(
  {
    id: Type.String(),
    first_name: Type.Optional(Type.String()),
    last_name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
    avatar_url: Type.Optional(Type.String()),
  },
  { title: "ListedCustomer" },
);
export type ListedCustomer = Static<typeof ListedCustomer>;

/** Why a conversation has its agent, if the routing of its group assigned it. */
export const AutomaticAssignment = Type.Object(
  {
    agent_id: Type.String({ description: "The agent whom it assigned, as long as nobody changed it." }),
    logic: Type.Enum(["LOAD", "ROUND_ROBIN"], {
      description:
        "LOAD: of the available agents, this one used the smallest part of the capacity. ROUND_ROBIN: it was the turn of this agent.",
    }),
    load: Type.Integer({ description: "Open conversations of the agent before this assignment." }),
    capacity: Type.Integer({ description: "Open conversations that the agent takes by load." }),
    time: Time,
  },
  { title: "AutomaticAssignment" },
);
export type AutomaticAssignment = Static<typeof AutomaticAssignment>;

/** A conversation as the inbox lists it. */
export const InboxItem = Type.Object(
  {
    conversation_id: Type.String(),
    number: Type.Integer(),
    status: ConversationStatus,
    channel_id: Type.String(),
    assigned_agent_id: Type.Optional(Type.String()),
    assigned_group_id: Type.Optional(Type.String()),
    properties: Properties,
    interaction_id: Type.String(),
    customer: ListedCustomer,
    preview: Type.Optional(MessagePreview),
    created_time: Time,
    activity_time: Type.String({ format: "date-time", description: "Time of the newest message." }),
    waiting_since: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Time of the customer's first message after the last answer, while the conversation is open.",
      }),
    ),
    unread: Type.Integer({ description: "Messages of the customer that the agent has not read." }),
    automatic_assignment: Type.Optional(AutomaticAssignment),
  },
  { title: "InboxItem" },
);
export type InboxItem = Static<typeof InboxItem>;

/** A conversation in a list. */
export const ListedConversation = Type.Object(
  {
    ...InboxItem.properties,
    position: Type.Array(Type.Number(), {
      description:
        "Where it belongs in the order of the list: the smaller one comes first, the first different number decides.",
    }),
  },
  { title: "ListedConversation" },
);
export type ListedConversation = Static<typeof ListedConversation>;

const CountById = Type.Record(Type.String(), Type.Integer());

/** Exact numbers of conversations within the agent's scope. */
export const InboxCounts = Type.Object(
  {
    open: Type.Integer(),
    resolved: Type.Integer(),
    mine: Type.Integer({ description: "Open, assigned to the agent." }),
    unassigned: Type.Integer({ description: "Open, assigned to no agent." }),
    unread: Type.Integer({
      description: "Open, assigned to the agent or to nobody, with unread messages of the customer.",
    }),
    mine_unread: Type.Integer(),
    by_agent: Type.Record(Type.String(), Type.Integer(), { description: "Open, by the id of the agent." }),
    by_group: CountById,
    by_channel: CountById,
    by_priority: CountById,
  },
  { title: "InboxCounts" },
);
export type InboxCounts = Static<typeof InboxCounts>;

/** Result of a bulk change for one conversation. */
export const BulkChangeResult = Type.Object(
  {
    conversation_id: Type.String(),
    code: Type.Integer({ description: "200, or the code of the problem." }),
    status: Type.String({ description: "OK, or the token of the problem." }),
    message: Type.Optional(Type.String()),
  },
  { title: "BulkChangeResult" },
);
export type BulkChangeResult = Static<typeof BulkChangeResult>;

/**
 * A reading waits up to one second for the changes that were made before it.
 * @assumed
 */
const readingState = {
  is_behind: Type.Optional(
    Type.Boolean({
      description: "true: the latest changes are not contained yet. Read again after a second or later.",
    }),
  ),
};

const inSome = { session: sessionsOf("AGENT", "some") };

export const inbox = {
  listInbox: endpoint({
    route: `GET ${CONSOLE_API}/conversations`,
    summary: "List the conversations of a view within the agent's scope",
    spec: SPEC_OF_CONSOLE,
    access: inSome,
    query: Type.Object({
      ...inboxFilter,
      order: Type.Optional(Type.Enum([...INBOX_ORDERS], { description: "newest_activity when absent." })),
      cursor: Type.Optional(Type.String({ maxLength: 512, description: "`next` of the page before." })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: INBOX_PAGE_SIZE.max })),
      ids: Type.Optional(
        Type.String({
          maxLength: 37 * INBOX_PAGE_SIZE.max,
          description:
            "Ids of conversations, separated by commas: only those of them that the view contains are listed.",
        }),
      ),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        conversations: Type.Array(ListedConversation),
        next: Type.Optional(Type.String({ description: "Cursor of the next page; absent on the last one." })),
        total: Type.Optional(
          Type.Integer({ description: "Conversations of the view, with `ids` too; with the first page only." }),
        ),
        ...readingState,
      }),
    },
  }),
  getInboxItem: endpoint({
    route: `GET ${CONSOLE_API}/conversations/{conversation_id}`,
    summary: "Get a conversation as the inbox lists it",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "conversation") },
    reply: { code: 200, body: Type.Object({ ...InboxItem.properties, ...readingState }) },
    problems: [CONVERSATION_NOT_FOUND],
  }),
  countInbox: endpoint({
    route: `GET ${CONSOLE_API}/counts`,
    summary: "Count the conversations of the views",
    spec: SPEC_OF_CONSOLE,
    access: inSome,
    reply: { code: 200, body: Type.Object({ ...InboxCounts.properties, ...readingState }) },
  }),
  changeConversations: endpoint({
    route: `POST ${CONSOLE_API}/conversations/changes`,
    summary: "Apply one change to several conversations, each by itself",
    spec: SPEC_OF_CONSOLE,
    access: inSome,
    body: Type.Object(
      {
        conversation_ids: Type.Array(Type.String(), { minItems: 1, maxItems: BULK_CHANGE_MAX }),
        change: ConversationChange,
      },
      { title: "BulkChange" },
    ),
    reply: { code: 200, body: Type.Object({ results: Type.Array(BulkChangeResult) }) },
  }),
  markConversation: endpoint({
    route: `PUT ${CONSOLE_API}/conversations/{conversation_id}/read`,
    summary: "Mark a conversation as read or unread by the agent",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "conversation") },
    body: Type.Object({ is_read: Type.Boolean() }, { title: "ReadMark" }),
    reply: { code: 200, body: Type.Object({ unread: Type.Integer() }) },
    problems: [CONVERSATION_NOT_FOUND],
  }),
};
