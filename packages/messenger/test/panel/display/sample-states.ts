import type { MessagePart } from "@parley/contract";
import type { PanelState, Thread } from "../../../src/panel/model/panel-model.ts";
import {
  ADA,
  BOT,
  CONFIGURATION,
  CONVERSATION,
  HOME_STATE,
  messageOf,
  minutesAgo,
  outgoingOf,
  TALK,
  threadState,
  VISITOR,
  VISITOR_OF_STATE,
} from "./sample-data.ts";

const CLOSED = { ...CONFIGURATION, is_open: false, opens_at: minutesAgo(-900) };

const card = (title: string, button = `Choose ${title}`): MessagePart => ({
  template_content: {
    type: "carousel_card_default",
    sections: [
      { name: "hero_image", parts: [{ image: { url: "/pictures/wide.svg" } }] },
      { name: "title", parts: [{ text: { content: title } }] },
      { name: "description", parts: [{ text: { content: "Steel frame, 9 kg, in four colours" } }] },
      { name: "callback", parts: [{ callback: { payload: title, label: button } }] },
      { name: "view", parts: [{ url_button: { url: "https://shop.acme.example/", label: "Details" } }] },
    ],
  },
});

const carousel = (title: string, cards: readonly MessagePart[]): MessagePart => ({
  template_content: {
    type: "carousel",
    sections: [
      { name: "carousel_title", parts: [{ text: { content: title } }] },
      { name: "cards", parts: [...cards] },
    ],
  },
});

const ENABLERS: readonly MessagePart[] = [
  { help_text: { content: "Choose a topic, or write your question." } },
  {
    collection: {
      sub_parts: [
        { quick_reply_button: { label: "Where is my order?", custom_reply_text: "Tell me where my order is" } },
        { quick_reply_button: { label: "Return" } },
        { url_button: { url: "https://acme.example/terms", label: "Terms of return", target: "_self" } },
      ],
    },
  },
  {
    template_content: {
      type: "quick_reply_dropdown",
      sections: [
        { name: "options", parts: ["Oslo", "Paris", "Rome"].map((label) => ({ quick_reply_button: { label } })) },
      ],
    },
  },
  carousel("Our bicycles", [card("Touring"), card("City"), card("Cargo")]),
];

/** An answer to a message with further messages between them, and the visitor's answer to the answer. */
const ANSWERS = [
  ...TALK,
  messageOf(ADA, 4, "It is on its way: the parcel left at noon.", {
    in_reply_to: { message_id: TALK[0]?.id ?? "" },
  }),
  messageOf(VISITOR, 2, [{ image: { url: "/pictures/wide.svg" } }], {
    in_reply_to: { message_id: TALK[6]?.id ?? "" },
  }),
];

const QUESTION = messageOf(BOT, 3, "What can I do for you?", { reply_parts: [...ENABLERS] });

/** Texts and names that try to be something else than text. */
const HOSTILE: readonly MessagePart[] = [
  { text: { content: "<img src=x onerror=alert(1)> <b>bold</b> javascript:alert(1) http://safe.example/<script>" } },
  { text: { content: "\u202egnp.exe is reversed\u2066 https://evil.example/\u202egnp" } },
  { text: { content: `Z${"\u0321\u0322\u0323\u0324\u0325\u0326\u0327\u0328".repeat(20)} stacked` } },
  { file: { name: "invoice\u202efdp.exe\u200b", url: "javascript:alert(1)" } },
  { file: { name: "photo\u202egnp.exe", url: "/files/program" } },
  { image: { url: "data:image/svg+xml,<svg onload='alert(1)'/>" } },
  { url_button: { url: "javascript:alert(document.domain)", label: "Click" } },
  { url_button: { url: "mailto:nobody@example.com", label: "Only http and https" } },
  { reference: { title: "<b>Free</b>", url: "javascript:alert(1)", text: { nested: "<script>" } } },
  { attachment_input: { label: "\u202e<img src=x>", onclick: "alert(1)" } },
  { text_input: { __proto__: null, content: "<input autofocus onfocus=alert(1)>" } },
  { text: { content: "W".repeat(300) } },
];

const EVERY_PART: readonly MessagePart[] = [
  { text: { content: "Write to help@acme.example, call tel:+4712345678 or see www.acme.example." } },
  { video: { url: "/files/missing.mp4", content_type: "video/mp4" } },
  { collection: { sub_parts: [{ url_button: { url: "https://acme.example/", label: "Our shop" } }] } },
  { attachment_input: {} },
  { attachment_input: { label: "Add a photo of the damage", types: ["image/*"] } },
  { reference: { title: "How to return a bicycle", url: "https://help.acme.example/returns", text: "In four steps" } },
  { reference: { title: "A note without an address", id: 4711 } },
  { text_input: { label: "Your order number", validation: "NUMBER" } },
  { hologram: { depth: 3, caption: "A part of the future" } } as unknown as MessagePart,
];

const RESOLVED = { ...CONVERSATION, status: "resolved" as const };
const upload = { id: "u1", bytes: 2_400_000, sentBytes: 900_000, isImage: false, name: "Invoice 4711.pdf" };

const rows = (count: number): Thread["messages"] =>
  Array.from({ length: count }, (_, index) =>
    messageOf(
      index % 3 === 0 ? VISITOR : ADA,
      10 + (count - index) * 2,
      `Message ${index + 1}. ${"A few more words that make a longer line. ".repeat((index * 7) % 5)}`,
    ),
  );

const LAST = TALK.at(-1);

const CONVERSATIONS: PanelState["conversations"] = [
  { ...CONVERSATION, unread_count: 2, ...(LAST && { last_message: LAST }) },
  {
    ...CONVERSATION,
    id: "c0",
    topic_id: "repairs",
    status: "resolved",
    is_latest: false,
    agent: { type: "agent", first_name: "Grace" },
    last_message: messageOf(VISITOR, 20_000, "Thanks, it works again. I come by on Saturday to fetch it."),
  },
];

/** Each state of the panel, by name. */
export const SAMPLE_STATES: Readonly<Record<string, () => PanelState>> = {
  loading: () => ({ ...HOME_STATE, phase: "loading", configuration: undefined }) as unknown as PanelState,
  unreachable: () => ({ ...HOME_STATE, phase: "unreachable", failure: "unreachable" }),
  refused: () => ({ ...HOME_STATE, phase: "refused", failure: "refusedPage" }),
  home: () => HOME_STATE,
  "home-closed": () => ({ ...HOME_STATE, configuration: CLOSED }),
  "home-conversations": () => ({
    ...HOME_STATE,
    conversations: CONVERSATIONS,
    visitor: VISITOR_OF_STATE,
    isKept: false,
    unreadCount: 2,
  }),
  "home-blocked": () => ({ ...HOME_STATE, conversations: CONVERSATIONS, visitor: VISITOR_OF_STATE, isBlocked: true }),
  consent: () => ({
    ...HOME_STATE,
    phase: "consent",
    options: { config: { content: { consent: { link: "https://acme.example/privacy" } } } },
  }),
  "home-unsigned": () => ({ ...HOME_STATE, isUnsigned: true }),
  "thread-unsigned": () =>
    threadState({ conversation: undefined, messages: [] }, { isUnsigned: true, visitor: undefined }),
  "thread-sign-in-ended": () =>
    threadState({ outgoing: [outgoingOf("Written meanwhile", { state: "unsigned" })] }, { isUnsigned: true }),
  "thread-empty": () => threadState({ conversation: undefined, messages: [] }),
  "thread-loading": () => threadState({ messages: [], isLoading: true }),
  thread: () => threadState({ typing: [ADA] }),
  "thread-seen": () =>
    threadState({
      conversation: { ...CONVERSATION, agent_read_time: minutesAgo(0) },
      messages: [...TALK, messageOf(VISITOR, 2, "Perfect, thank you.")],
    }),
  "thread-new": () => threadState({ readBefore: TALK[1]?.id ?? "" }),
  "thread-outgoing": () =>
    threadState(
      {
        outgoing: [
          outgoingOf("This one did not arrive", { state: "failed", failure: "invalidMessage" }),
          outgoingOf("", {
            ...{ upload: { ...upload, sentBytes: 0, name: "Film.mp4" }, state: "failed", isFinal: true },
            failure: "fileTooLarge",
          }),
          outgoingOf("", { upload }),
          outgoingOf("", { upload: { ...upload, isImage: true, name: "Bell.jpg", previewUrl: "/pictures/wide.svg" } }),
          outgoingOf("", { upload: { ...upload, sentBytes: 0, name: "Receipt.pdf" }, state: "queued" }),
          outgoingOf("Written without a connection", { state: "waiting" }),
        ],
      },
      { connection: "lost" },
    ),
  "thread-enablers": () => threadState({ messages: [QUESTION] }),
  "thread-answered": () =>
    threadState({
      messages: [QUESTION, messageOf(VISITOR, 1, "Return", { in_reply_to: { message_id: QUESTION.id } })],
    }),
  "thread-parts": () => threadState({ messages: [messageOf(ADA, 3, EVERY_PART)] }),
  "thread-answers": () => threadState({ messages: ANSWERS }),
  "thread-pictures": () =>
    threadState({
      messages: [
        messageOf(ADA, 3, Array(3).fill({ image: { url: "/pictures/wide.svg" } })),
        messageOf(VISITOR, 2, Array(2).fill({ image: { url: "/pictures/ada.svg" } })),
      ],
    }),
  "thread-cards": () =>
    threadState({
      messages: [
        messageOf(BOT, 3, "These are in stock:", {
          reply_parts: [carousel("In stock", [card("City", "Buy"), card("Cargo", "Buy")])],
        }),
      ],
    }),
  "thread-enablers-rtl": () => threadState({ messages: [QUESTION] }, { options: { locale: "ar" } }),
  "thread-hostile": () =>
    threadState({
      messages: [
        messageOf({ type: "agent", first_name: "\u202eadA\u200b\u2066 <b>" }, 3, HOSTILE),
        messageOf(VISITOR, 2, HOSTILE),
      ],
    }),
  "thread-rating": () => threadState({ conversation: RESOLVED }),
  "thread-rated": () => threadState({ conversation: { ...RESOLVED, is_rated: true } }),
  "thread-ended": () => threadState({ conversation: { ...RESOLVED, is_rated: true, is_latest: false } }),
  "thread-restricted": () =>
    threadState({
      conversation: { ...CONVERSATION, status: "new" },
      messages: [...TALK, messageOf(BOT, 1, "Goodbye.", { restrictResponse: true })],
    }),
  "thread-blocked": () => threadState({}, { isBlocked: true }),
  "thread-closed": () => threadState({ messages: TALK.slice(0, 1) }, { configuration: CLOSED }),
  "thread-long": () => threadState({ messages: rows(5_000) }),
  "thread-older": () => threadState({ messages: rows(40), hasOlder: true }),
  "thread-rtl": () =>
    threadState(
      { messages: [messageOf(VISITOR, 5, "أين طلبي رقم 4711؟"), messageOf(ADA, 4, "صباح الخير! See order 4711.")] },
      { options: { locale: "ar" } },
    ),
  "home-colours": () => ({
    ...HOME_STATE,
    options: {
      config: {
        headerProperty: {
          appName: "Sunny Shop",
          appLogo: "/pictures/ada.svg",
          backgroundColor: "#ffd400",
          foregroundColor: "#ffffff",
          backgroundImage: "/pictures/wide.svg",
          fontName: "Georgia",
        },
        content: { headers: { chat: "Chat with Sunny", chat_help: "We are happy to help" } },
      },
    },
  }),
  "thread-colours": () =>
    threadState(
      { messages: TALK },
      {
        options: {
          config: { headerProperty: { backgroundColor: "#111111" }, agent: { hideName: true, hidePic: true } },
        },
      },
    ),
};
