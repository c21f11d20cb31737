import type { Message, MessagePart, User } from "@parley/contract";
import { parseProperties } from "../../messaging/conversations/properties.ts";
import { lexemesByPosition, tokensOf } from "./lexemes.ts";

/** Kinds of documents by the number that the tables contain. */
export const DOCUMENT_KINDS = { messages: 1, users: 2, conversations: 3 } as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[keyof typeof DOCUMENT_KINDS];

/** Fields of a document. */
export interface DocumentFields {
  readonly fields: readonly string[];
  /** Further forms of one of the fields, its index. They are searched, and shown as that field. */
  readonly forms?: { readonly texts: readonly string[]; readonly of: number } | undefined;
}

const textsOfParts = (parts: readonly MessagePart[] = []): string[] =>
  parts.flatMap(({ text, file, collection, url_button, quick_reply_button, template_content, callback, help_text }) => [
    text?.content ?? "",
    file?.name ?? "",
    url_button?.label ?? "",
    quick_reply_button?.label ?? "",
    callback?.label ?? "",
    help_text?.content ?? "",
    ...textsOfParts(collection?.sub_parts),
    ...(template_content?.sections ?? []).flatMap((section) => textsOfParts(section.parts)),
  ]);

const present = (texts: readonly (string | undefined)[]): string[] => texts.flatMap((text) => (text ? [text] : []));

/**
 * Searched fields of a message: texts, labels of buttons, names of files.
 * @assumed Addresses, meta_data, payloads and system messages about the state of a conversation are not searched.
 */
export const fieldsOfMessage = ({ message_type, message_parts, reply_parts }: Message): DocumentFields => ({
  fields: message_type === "system" ? [] : present([...textsOfParts(message_parts), ...textsOfParts(reply_parts)]),
});

/** Digits of a phone number that its end must have to be found. */
const PHONE_DIGITS_MIN = 4;

/** The end of a phone number is found too, as callers give it: without the country code. */
const phoneTexts = (phone: string | undefined): string[] => {
  const digits = phone?.replace(/[^0-9]/g, "") ?? "";
  return Array.from({ length: Math.max(0, Math.min(digits.length, 20) - PHONE_DIGITS_MIN + 1) }, (_, index) =>
    digits.slice(index),
  );
};

/** Searched fields of a user: names, e-mail address, phone number, reference. */
export const fieldsOfUser = ({ first_name, last_name, email, phone, reference_id }: User): DocumentFields => {
  const name = present([first_name, last_name]).join(" ");
  const fields = present([name, email, phone, reference_id]);
  const texts = phoneTexts(phone);
  return { fields, forms: texts.length > 0 ? { texts, of: fields.indexOf(phone ?? "") } : undefined };
};

/** Searched fields of a conversation: its number, its properties, and the searched fields of its user. */
export const fieldsOfConversation = (conversation: {
  readonly number: number;
  /** JSON text. */
  readonly properties: string;
  /** JSON text; null for a conversation whose user does not exist. */
  readonly user_body: string | null;
}): DocumentFields => {
  const values = Object.values(parseProperties(conversation.properties)).flat();
  const user = conversation.user_body === null ? undefined : fieldsOfUser(JSON.parse(conversation.user_body) as User);
  const own = present([String(conversation.number), ...values]);
  return {
    fields: [...own, ...(user?.fields ?? [])],
    forms: user?.forms && { ...user.forms, of: own.length + user.forms.of },
  };
};

/** All texts of a document. */
export const textsOf = ({ fields, forms }: DocumentFields): readonly string[] => [...fields, ...(forms?.texts ?? [])];

/** The lexemes of a document by position. */
export const wordsOf = (document: DocumentFields): readonly string[] => lexemesByPosition(tokensOf(textsOf(document)));

/** Prefixes of marks. A mark is a term that is not a word: the objects that a document belongs to, and who reaches it. */
const MARKS = { agent: "=aa", group: "=ag", conversation: "=c", channel: "=h", user: "=u" } as const;

/** Prefix of the marks of agents and groups. They change with the assignment of a conversation. */
export const ASSIGNEE_MARK = "=a";

/** The term that stands for an object. */
export const markOf = (kind: keyof typeof MARKS, id: string): string =>
  MARKS[kind] + Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");

export const assigneeMarks = (agents: readonly (string | null)[], groups: readonly (string | null)[]): string[] => [
  ...agents.flatMap((id) => (id === null ? [] : [markOf("agent", id)])),
  ...groups.flatMap((id) => (id === null ? [] : [markOf("group", id)])),
];

/** Key of a document in the order of an index: by time, then by id. */
export interface DocumentKey {
  /** @units epoch milliseconds */
  readonly time: number;
  /** UUID */
  readonly id: string;
}

/** -> negative if `a` is the newer one */
export const compareNewest = (a: DocumentKey, b: DocumentKey): number =>
  b.time - a.time || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** The key before one in the order of the newest first: the search that goes on after it includes the one. */
export const keyBefore = ({ time, id }: DocumentKey): DocumentKey => {
  const hex = (BigInt(`0x${id.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  // Beyond the greatest id.
  if (hex.length > 32) return { time: time + 1, id: "00000000-0000-0000-0000-000000000000" };
  return { time, id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") };
};

/** A document as the index receives it. */
export interface IndexedDocument extends DocumentKey {
  /** The conversation or the user whose assignment decides who reaches it. */
  readonly owner: string;
  readonly marks: readonly string[];
  /** Lexemes by position. */
  readonly words: readonly string[];
}
