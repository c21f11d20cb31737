import type { User, Field, Message, Properties } from "@parley/contract";

/** Removes a user's personal data from a text. */
type Redact = (text: string) => string;

/** Replacement of a redacted value. */
const REMOVED = "[removed]";
/** Minimum length of a name: shorter names are words in too many languages. @units characters */
const NAME_LENGTH_MIN = 2;
/** Minimum length of a property value: shorter values are often words such as yes and gold. @units characters */
const VALUE_LENGTH_MIN = 5;

/** Maximum length of a redacted value; avatar URLs are the longest. @units characters */
const VALUE_LENGTH_MAX = 4_096;

const withinLength = (texts: readonly (string | undefined)[], minLength: number): string[] =>
  texts.flatMap((text) => {
    const trace = text?.trim() ?? "";
    return trace.length >= minLength && trace.length <= VALUE_LENGTH_MAX ? [trace] : [];
  });

const tracesOf = ({ first_name, last_name, email, phone, reference_id, ...user }: User): string[] => [
  ...withinLength([first_name, last_name, email, phone, reference_id, user.avatar?.url], NAME_LENGTH_MIN),
  ...withinLength(user.social_profiles?.map(({ id }) => id) ?? [], NAME_LENGTH_MIN),
  ...withinLength(user.properties?.map(({ value }) => value) ?? [], VALUE_LENGTH_MIN),
];

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Maximum length of one pattern: a user may have had any number of names, and patterns are limited. @units characters */
const PATTERN_LENGTH_MAX = 32_768;

/** @shape words: escaped */
const patternsOf = (words: readonly string[]): RegExp[] => {
  const groups: string[][] = [];
  let remaining = 0;
  for (const word of words) {
    if (word.length > remaining) {
      groups.push([]);
      remaining = PATTERN_LENGTH_MAX;
    }
    groups.at(-1)?.push(word);
    remaining -= word.length;
  }
  return groups.map((group) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${group.join("|")})(?![\\p{L}\\p{N}])`, "giu"));
};

/**
 * Builds the redaction of all current and former values of a user.
 * @shape bodies: the user's JSON texts, of all revisions
 * @assumed Names, addresses, numbers and properties of a deleted user are redacted in texts of agents, bots and the
 * system, as whole words, regardless of case.
 */
export const createRedaction = (bodies: readonly string[]): Redact => {
  const traces = new Set(bodies.flatMap((body) => tracesOf(JSON.parse(body) as User)));
  // Longest first: one value may be the prefix of another.
  const patterns = patternsOf([...traces].sort((a, b) => b.length - a.length).map(escaped));
  return (text) => patterns.reduce((left, pattern) => left.replace(pattern, REMOVED), text);
};

/** The remaining data of a deleted user: the data that its events and conversations need. @shape JSON text, both ways */
export const blankUser = (body: string): string => {
  const { id, created_time, updated_time } = JSON.parse(body) as User;
  return JSON.stringify({ id, created_time, updated_time, login_status: false } satisfies User);
};

/** Members with values of the message format, which may coincide with a name. */
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
 * The remaining data of a message after the user of its conversation was deleted. The user's own messages and template
 * messages lose their whole content; messages of others lose the user's personal data.
 * @shape JSON text, both ways; undefined if nothing has to be removed
 * @assumed One text part with no content takes the place of all parts of such a message; meta_data goes too.
 */
export const blankMessage = (body: string, redact: Redact): string | undefined => {
  const { message_parts, reply_parts, meta_data, ...message } = JSON.parse(body) as Message;
  if (message.actor_type === "user" || meta_data?.["outbound_message_id"] !== undefined)
    return JSON.stringify({ ...message, message_parts: [{ text: { content: "" } }] } satisfies Message);
  const content = { message_parts, reply_parts, meta_data };
  const left = redacted(content, redact) as typeof content;
  return JSON.stringify(left) === JSON.stringify(content) ? undefined : JSON.stringify({ ...message, ...left });
};

const CHOICE_FIELD_TYPES: ReadonlySet<Field["type"]> = new Set(["DROPDOWN", "MULTI_SELECT_DROPDOWN", "CHECKBOX"]);

/**
 * The remaining properties of a conversation.
 * @shape JSON text, both ways; undefined if nothing has to be removed
 * @assumed Values chosen from a list are kept for the business. Free texts, numbers and dates may be personal and are
 * removed.
 */
export const blankProperties = (text: string, fields: readonly Field[]): string | undefined => {
  const retained = new Set(fields.filter(({ type }) => CHOICE_FIELD_TYPES.has(type)).map(({ name }) => name));
  const before = Object.entries(JSON.parse(text) as Properties);
  const left = before.filter(([name]) => retained.has(name));
  return left.length === before.length ? undefined : JSON.stringify(Object.fromEntries(left));
};
