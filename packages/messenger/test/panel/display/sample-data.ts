import type {
  MessagePart,
  MessengerActor,
  MessengerConfiguration,
  MessengerConversation,
  MessengerMessage,
} from "@parley/contract";
import type { OutgoingMessage, PanelState, Thread } from "../../../src/panel/model/panel-model.ts";

/** Data as the service sends it, for pages that show the panel without a service. Pictures come from the page's own address. */

const NOW = Date.now();
const MINUTE_MS = 60_000;

/** -> the time a number of minutes ago, as the service writes it */
export const minutesAgo = (minutes: number): string => new Date(NOW - minutes * MINUTE_MS).toISOString();

export const ADA: MessengerActor = { type: "agent", first_name: "Ada", avatar_url: "/pictures/ada.svg" };
export const BOT: MessengerActor = { type: "bot", first_name: "Concierge" };
export const VISITOR: MessengerActor = { type: "user" };

export const CONFIGURATION: MessengerConfiguration = {
  account: "acme",
  account_name: "Acme Bicycles",
  look: {},
  privacy: {},
  signed_identity: { has_key: false, is_required: false, is_hidden_until_signed: false },
  locale: "en",
  button: { open: "Chat", close: "Close" },
  topics: [
    {
      id: "orders",
      name: "Orders and delivery",
      icon: { url: "/pictures/orders.svg" },
      tags: [],
      welcome_message: {
        message_parts: [
          { text: { content: "Hello! Ask us about an order, a delivery or a return: help@acme.example" } },
        ],
      },
    },
    { id: "repairs", name: "Repairs and spare parts for all of our models since 1998", icon: {}, tags: [] },
    { id: "other", name: "שאלות אחרות", icon: { url: "/pictures/missing.png" }, tags: [] },
  ],
  is_open: true,
  response_minutes: 7,
  file_bytes: 26_214_400,
  image_bytes: 10_485_760,
};

export const CONVERSATION: MessengerConversation = {
  id: "c1",
  topic_id: "orders",
  status: "assigned",
  is_latest: true,
  created_time: minutesAgo(1_600),
  unread_count: 0,
  agent: ADA,
  interaction_id: "i1",
  is_rated: false,
};

let lastId = 0;

/** A message of a conversation. @shape minutes: its age */
export const messageOf = (
  actor: MessengerActor,
  minutes: number,
  parts: readonly MessagePart[] | string,
  more: Partial<MessengerMessage> = {},
): MessengerMessage => ({
  id: `m${(lastId += 1)}`,
  conversation_id: CONVERSATION.id,
  created_time: minutesAgo(minutes),
  actor,
  message_type: "normal",
  message_parts: typeof parts === "string" ? [{ text: { content: parts } }] : [...parts],
  ...more,
});

export const outgoingOf = (text: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: `o${(lastId += 1)}`,
  created_time: minutesAgo(0),
  message_parts: text === "" ? [] : [{ text: { content: text } }],
  state: "sending",
  ...more,
});

export const TALK: readonly MessengerMessage[] = [
  messageOf(VISITOR, 1_600, "Hello, where is my order 4711? It should have arrived on Tuesday."),
  messageOf(ADA, 1_596, "Good morning! I look it up for you."),
  messageOf(
    ADA,
    1_595,
    "It left our warehouse yesterday. You can follow it at https://track.acme.example/4711?lang=en (it takes an hour until it is shown).",
  ),
  messageOf({ type: "system" }, 60, "Ada joined the conversation", { message_type: "system" }),
  messageOf(VISITOR, 12, "Thank you!\n\nThe bell is missing, by the way:"),
  messageOf(VISITOR, 11, [{ image: { url: "/pictures/wide.svg" } }]),
  messageOf(ADA, 9, [
    { text: { content: "I am sorry. Here is the form, and a picture of the right one." } },
    { file: { name: "Return form.pdf", url: "/files/form.pdf", file_size_in_bytes: 345_678 } },
  ]),
];

export const threadOf = (more: Partial<Thread> = {}): Thread => ({
  topicId: "orders",
  conversation: CONVERSATION,
  messages: TALK,
  outgoing: [],
  isLoading: false,
  hasOlder: false,
  isLoadingOlder: false,
  typing: [],
  draft: "",
  ...more,
});

export const HOME_STATE: PanelState = {
  phase: "ready",
  options: {},
  isOpen: true,
  isFocused: true,
  connection: "connected",
  configuration: CONFIGURATION,
  isBlocked: false,
  conversations: [],
  place: { kind: "home" },
  threads: new Map(),
  unreadCount: 0,
  preferences: {},
  isUnsigned: false,
  isKept: true,
};

export const VISITOR_OF_STATE = {
  user_id: "u1",
  created_time: minutesAgo(1_600),
  restore_id: "r1",
  is_name_generated: true,
};

/** The panel with an open thread. */
export const threadState = (thread: Partial<Thread> = {}, more: Partial<PanelState> = {}): PanelState => {
  const whole = threadOf(thread);
  const key = whole.conversation?.id ?? `topic:${whole.topicId}`;
  return {
    ...HOME_STATE,
    visitor: VISITOR_OF_STATE,
    conversations: whole.conversation ? [whole.conversation] : [],
    place: { kind: "thread", key },
    threads: new Map([[key, whole]]),
    ...more,
  };
};
