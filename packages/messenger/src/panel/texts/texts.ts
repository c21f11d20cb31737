import type { MessengerLookTexts } from "@parley/contract";
import { textAt } from "../config/site-config.ts";
import type { FailureTexts } from "./failure-texts.ts";
import { plural } from "./plural.ts";

/**
 * All texts of the panel in English. A text with values is a function of them. No label but that of the field for the message contains its name, so
 * that people who dictate, and tools that find elements by a part of their label, reach the field. The other languages, below `languages`, have the
 * same texts.
 */
export const ENGLISH = {
  title: (business: string) => (business === "" ? "Chat" : `Chat with ${business}`),
  chat: "How can we help?",
  chatHelp: "Send us a message. We answer here.",
  conversations: "Your conversations",
  newConversation: "Start a conversation",
  noTopics: "Messages can't be sent from this page.",
  conversation: "Conversation",
  unread: plural("en", { other: "# unread" }),
  /** For the button in the site's page. */
  unreadMessages: plural("en", { one: "# unread message", other: "# unread messages" }),
  resolved: "Resolved",
  you: "You",
  by: (author: string, text: string) => `${author}: ${text}`,
  isOpen: "We are online",
  answersInMinutes: plural("en", {
    one: "Usually answers in about # minute",
    other: "Usually answers in about # minutes",
  }),
  answersInHours: plural("en", { one: "Usually answers in about # hour", other: "Usually answers in about # hours" }),
  answersInDay: "Usually answers within a day",
  isClosed: "We are closed at the moment. Leave us a message.",
  opensAt: (time: string) => `We open ${time}.`,
  at: (day: string, time: string) => `${day} at ${time}`,
  sound: "Sound for new replies",
  notKept: "Your browser does not store this conversation. It ends when you leave the page.",
  loading: "Loading…",
  tryAgain: "Try again",
  close: "Close chat",
  back: "Back to all conversations",

  loadingOlder: "Loading earlier messages…",
  newMessages: "New messages",
  newReplies: "New replies",
  newest: "Scroll to the end",
  isTyping: (name: string) => `${name} is typing`,
  areTyping: "Several people are typing",
  sending: "Sending…",
  sent: "Sent",
  seen: "Seen",
  waiting: "Waiting: it is sent when the connection is back",
  unsigned: "Waiting: it is sent when this page has signed you in",
  queued: "Waiting…",
  failed: "Not sent.",
  retry: "Send again",
  discard: "Remove",
  signInEnded: "Your sign-in has ended. Messages that you write now are sent when this page has signed you in again.",
  connectionLost: "No connection. Messages that you write now are sent when it is back.",

  message: "Message",
  messageField: "Write a message…",
  send: "Send",
  attach: "Attach files",
  emoji: "Insert an emoji",
  emojis: "Emojis",
  recentEmojis: "Recently used",
  drop: "Drop files to send them",
  uploading: (name: string) => `Uploading ${name}`,
  cancelUpload: (name: string) => `Cancel the upload of ${name}`,
  blocked: "You can't send messages to this business.",
  restricted: "This conversation takes no further answers.",
  notSignedIn: "To write to us, sign in on this site.",
  ended: "This conversation has ended.",
  reopens: "This conversation is resolved. Write to continue it.",
  beginAnew: "Start a new conversation",

  consent:
    "To answer you, we store your messages and what you tell us about yourself. This browser keeps a key to the conversation.",
  consentLink: "Privacy policy",
  agree: "Agree and write",
  notNow: "Not now",

  emailRequest: "We are closed. Leave your e-mail address so that we can reach you.",
  email: "E-mail address",
  emailSave: "Save",
  emailSaved: (address: string) => `Thank you. We can reach you at ${address}.`,
  emailInvalid: "Enter an e-mail address, such as name@example.com.",

  picture: "Picture",
  pictureBy: (author: string) => `Picture from ${author}`,
  enlarge: (picture: string) => `Show larger: ${picture}`,
  closePicture: "Close the picture",
  openOriginal: "Open in a new tab",
  pictureNotShown: "Open the picture",
  video: "Video",
  videoBy: (author: string) => `Video from ${author}`,
  videoNotShown: "Open the video",
  file: "File",
  download: "Download",
  unsafeAddress: "The address is not safe to open",
  cards: "Choices",
  cardOf: (number: string, total: string) => `${number} of ${total}`,
  previousCards: "Previous choices",
  nextCards: "Next choices",
  chooseOption: "Choose an option",
  chooseFile: "Choose a file",
  sendAnswer: "Send the answer",
  answerTo: (author: string) => `Answer to ${author}`,
  attachmentInput: "Please attach a file",
  textInput: "Please write an answer",
  reference: "See also",
  unknownPart: "This message can't be shown here",

  csatQuestion: "Did we answer your question?",
  csatYes: "Yes",
  csatNo: "No",
  csatRate: "How do you rate this conversation?",
  csatReply: "Comment (optional)",
  csatSubmit: "Send",
  csatReopen: "Send and continue the conversation",
  csatThanks: "Thank you for your answer.",
  csatLater: "Not now",
  stars: plural("en", { other: "# of 5 stars" }),
  starsMissing: "Choose one to five stars.",
} as const;

/** All texts of the panel in one language. */
export interface LanguageTexts {
  readonly direction: "ltr" | "rtl";
  readonly texts: Texts;
  readonly failures: FailureTexts;
}

export type Texts = {
  readonly [Name in keyof typeof ENGLISH]: (typeof ENGLISH)[Name] extends string ? string : (typeof ENGLISH)[Name];
};
type PlainText = { [Name in keyof Texts]: Texts[Name] extends string ? Name : never }[keyof Texts];

/** Members of the site's `config.content` that replace a text. */
const OVERRIDES: readonly (readonly [name: PlainText, group: string, ...path: string[]])[] = [
  ["chat", "headers", "chat"],
  ["chatHelp", "headers", "chat_help"],
  ["isClosed", "headers", "channel_response", "offline"],
  ["csatQuestion", "headers", "csat_question"],
  ["csatThanks", "headers", "csat_thankyou"],
  ["csatRate", "headers", "csat_rate_here"],
  ["consent", "consent", "text"],
  ["consentLink", "consent", "link_text"],
  ["agree", "consent", "agree"],
  ["notNow", "consent", "not_now"],
  ["messageField", "placeholders", "reply_field"],
  ["csatReply", "placeholders", "csat_reply"],
  ["csatYes", "actions", "csat_yes"],
  ["csatNo", "actions", "csat_no"],
  ["csatSubmit", "actions", "csat_submit"],
];

/** Texts with a number that members of `config.content.headers.channel_response.online` replace, in the singular and the plural. */
const TIMED_OVERRIDES = [
  ["answersInMinutes", "minutes"],
  ["answersInHours", "hours"],
] as const;
/** @assumed Stands for the number in the texts of a site. */
const TIME_PLACEHOLDER = "{!time!}";

/** Texts that an account can replace. The button's label is not in the panel. */
const LOOK_TEXTS: Readonly<Record<keyof Omit<MessengerLookTexts, "button_label">, PlainText>> = {
  title: "chat",
  help: "chatHelp",
  message_field: "messageField",
  away: "isClosed",
};

/** -> the texts of a language, with those of the site, else of the account, in place of ours @shape config: the site's `config` object, unchecked */
export const textsOf = (texts: Texts, config: unknown, look: MessengerLookTexts = {}): Texts => {
  const plain = [
    ...Object.entries(LOOK_TEXTS).map(([name, replaced]) => [replaced, textAt(look, name)] as const),
    ...OVERRIDES.map(([name, ...path]) => [name, textAt(config, "content", ...path)] as const),
  ].filter(([, text]) => text !== undefined);
  const timed = TIMED_OVERRIDES.flatMap(([name, unit]) => {
    const ofUnit = (number: string) => textAt(config, "content", "headers", "channel_response", "online", unit, number);
    const [one, more] = [ofUnit("one"), ofUnit("more")];
    if (one === undefined && more === undefined) return [];
    const textOf = (count: number): string =>
      (count === 1 ? one : more)?.replaceAll(TIME_PLACEHOLDER, String(count)) ?? texts[name](count);
    return [[name, textOf] as const];
  });
  const own = [...plain, ...timed];
  return own.length === 0 ? texts : { ...texts, ...(Object.fromEntries<unknown>(own) as Partial<Texts>) };
};
