import type { Field, Message, Properties, User } from "@parley/contract";
import type { Redact } from "./traces.ts";

/** What stays of a deleted user: no more than the events and conversations that name it need. @shape JSON text, both ways */
export const blankUser = (body: string): string => {
  const { id, created_time, updated_time } = JSON.parse(body) as User;
  return JSON.stringify({ id, created_time, updated_time, login_status: false } satisfies User);
};

/** Words of the format, which a name may happen to be. */
const FORMAT = new Set(["type", "target", "content_type"]);
const isFormat = (name: string, holder: object): boolean => FORMAT.has(name) || (name === "name" && "parts" in holder);

const redacted = (value: unknown, redact: Redact): unknown => {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isFormat(name, value) ? member : redacted(member, redact)]),
  );
};

/**
 * What stays of a message after its conversation's user was deleted. Of the user's own, and of template messages, which were
 * written for one person: who, when and where, but nothing of what was said. Of others': all but what names the user.
 * @shape JSON text, both ways; undefined where nothing is to be taken away
 * @assumed One text part with no content takes the place of all parts of such a message; meta_data goes too.
 */
export const blankMessage = (body: string, redact: Redact): string | undefined => {
  const { message_parts, reply_parts, meta_data, ...message } = JSON.parse(body) as Message;
  if (message.actor_type === "user" || meta_data?.["outbound_message_id"] !== undefined)
    return JSON.stringify({ ...message, message_parts: [{ text: { content: "" } }] } satisfies Message);
  const said = { message_parts, reply_parts, meta_data };
  const left = redacted(said, redact) as typeof said;
  return JSON.stringify(left) === JSON.stringify(said) ? undefined : JSON.stringify({ ...message, ...left });
};

const CHOSEN: ReadonlySet<Field["type"]> = new Set(["DROPDOWN", "MULTI_SELECT_DROPDOWN", "CHECKBOX"]);

/**
 * What stays of a conversation's properties.
 * @shape JSON text, both ways; undefined where nothing is to be taken away
 * @assumed What was chosen from a list stays for the business; what was written, a text, a number or a date, may be about the person.
 */
export const blankProperties = (text: string, fields: readonly Field[]): string | undefined => {
  const kept = new Set(fields.filter(({ type }) => CHOSEN.has(type)).map(({ name }) => name));
  const before = Object.entries(JSON.parse(text) as Properties);
  const left = before.filter(([name]) => kept.has(name));
  return left.length === before.length ? undefined : JSON.stringify(Object.fromEntries(left));
};
