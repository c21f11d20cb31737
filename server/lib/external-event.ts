import type { NewUser, User } from "@parley/contract";
import { parseE164 } from "./outbound-messages.ts";
import { hashedName } from "./hashed-name.ts";

/** An event that another system reports about a customer. */
export interface ExternalEvent {
  /** The sender's id of the event; a repeated event has the same id. */
  readonly id?: string;
  /** Name of the event, such as order.shipped. */
  readonly event: string;
  /** Time of the event if the sender states it. @shape ISO 8601 */
  readonly time?: string;
  readonly user: ExternalUser;
  /** Details of the event, for the templates. */
  readonly data: Readonly<Record<string, unknown>>;
}
/** The customer's fields, without empty fields. @shape the phone number is E.164 */
export type ExternalUser = Pick<
  NewUser,
  "reference_id" | "email" | "phone" | "first_name" | "last_name" | "properties"
>;

type ParsedExternalEvent =
  | { readonly ok: true; readonly event: ExternalEvent }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** An event that can't be processed at once is stored in a record, whose size is limited. @units characters of JSON */
export const EXTERNAL_BODY_CHARACTERS_MAX = 30_000;
const NAME_CHARACTERS_MAX = 100;
const TEXT_CHARACTERS_MAX = 1_000;
const PROPERTIES_MAX = 50;
const NESTING_DEPTH_MAX = 5;
const TOO_DEEP = `data is nested more than ${NESTING_DEPTH_MAX} deep.`;

const MEMBERS = ["id", "event", "time", "user", "data"];
const USER_MEMBERS = ["reference_id", "email", "phone", "first_name", "last_name", "properties"];
const EVENT_NAME = /^[\w.:/-]+$/;
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

type Members = Readonly<Record<string, unknown>>;

class InvalidEventError extends Error {}
const reject = (message: string): never => {
  throw new InvalidEventError(message);
};

const isRecord = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const recordIn = (value: unknown, name: string): Members => {
  if (value === undefined || value === null || value === "") return {};
  return isRecord(value) ? value : reject(`${name} must be an object.`);
};

const textIn = (value: unknown, name: string, characters = TEXT_CHARACTERS_MAX): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    return reject(`${name} must be one text.`);
  const text = String(value).trim();
  if (text.length > characters) return reject(`${name} has more than ${characters} characters.`);
  return text === "" ? undefined : text;
};

const rejectUnknownMembers = (record: Members, allowed: readonly string[], where: string): void => {
  const unknown = Object.keys(record).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    reject(`"${unknown.slice(0, NAME_CHARACTERS_MAX)}" isn't known${where}: use ${allowed.join(", ")}.`);
};

/** Converts names of form fields, such as user.email, to nested members. */
const nested = (fields: Iterable<readonly [string, unknown]>): Members => {
  const members = new Map<string, unknown>();
  const parts = new Map<string, [string, unknown][]>();
  for (const [name, value] of fields) {
    const dot = name.indexOf(".");
    if (dot < 0) members.set(name, value);
    else {
      const first = name.slice(0, dot);
      const inner = parts.get(first) ?? [];
      parts.set(first, inner);
      inner.push([name.slice(dot + 1), value]);
    }
  }
  for (const [name, inner] of parts) {
    if (members.has(name)) reject(`"${name.slice(0, NAME_CHARACTERS_MAX)}" comes both as a whole and in parts.`);
    members.set(name, nested(inner));
  }
  return Object.fromEntries(members);
};

const checkDepth = (value: unknown, remaining: number): void => {
  if (typeof value !== "object" || value === null) return;
  if (remaining === 0) reject(TOO_DEEP);
  for (const inner of Object.values(value)) checkDepth(inner, remaining - 1);
};

const propertiesIn = (value: unknown): ExternalUser["properties"] => {
  const entries = Object.entries(recordIn(value, "user.properties"));
  if (entries.length > PROPERTIES_MAX) reject(`user.properties has more than ${PROPERTIES_MAX} members.`);
  return entries.flatMap(([name, one]) => {
    if (name.trim() === "" || name.length > NAME_CHARACTERS_MAX)
      return reject(`A name in user.properties must have 1 to ${NAME_CHARACTERS_MAX} characters.`);
    const text = textIn(one, `user.properties.${name}`);
    return text === undefined ? [] : [{ name, value: text }];
  });
};

const userIn = (value: unknown): ExternalUser => {
  const record = recordIn(value, "user");
  rejectUnknownMembers(record, USER_MEMBERS, " in user");
  const text = (name: string) => textIn(record[name], `user.${name}`);
  const [reference_id, email, phoneText, first_name, last_name] = USER_MEMBERS.map((name) =>
    name === "properties" ? undefined : text(name),
  );
  if (email !== undefined && !EMAIL.test(email)) reject("user.email is not an e-mail address.");
  const phone = phoneText === undefined ? undefined : parseE164(phoneText);
  if (phoneText !== undefined && phone === undefined)
    reject("user.phone must be a number with its country, such as +12025550101.");
  if (reference_id === undefined && email === undefined && phone === undefined)
    reject("user needs one of reference_id, email, phone.");
  const properties = propertiesIn(record["properties"]) ?? [];
  return {
    ...(reference_id !== undefined && { reference_id }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
    ...(properties.length > 0 && { properties }),
  };
};

const eventIn = (body: unknown): ExternalEvent => {
  if (!isRecord(body)) return reject("The body must be a JSON object, or a form.");
  const record = nested(Object.entries(body));
  rejectUnknownMembers(record, MEMBERS, "");
  const event =
    textIn(record["event"], "event", NAME_CHARACTERS_MAX) ?? reject("event is missing, such as order.shipped.");
  if (!EVENT_NAME.test(event)) reject("event may hold letters, digits and . _ : / - only.");
  const id = textIn(record["id"], "id");
  const time = textIn(record["time"], "time");
  if (time !== undefined && (!TIME.test(time) || Number.isNaN(Date.parse(time))))
    reject("time must be like 2026-01-31T12:00:00Z.");
  const user = userIn(record["user"]);
  const data = recordIn(record["data"], "data");
  checkDepth(data, NESTING_DEPTH_MAX);
  return { ...(id !== undefined && { id }), event, ...(time !== undefined && { time }), user, data };
};

/**
 * Reads the body of a request of another system: JSON, or the fields of a form whose names contain dots (user.email).
 * @assumed An unknown field refuses the whole body, so that the sender learns of a wrong name at once; an empty field counts as absent.
 */
export function parseExternalEvent(body: unknown): ParsedExternalEvent {
  try {
    if ((JSON.stringify(body) ?? "").length > EXTERNAL_BODY_CHARACTERS_MAX)
      return { ok: false, status: 413, message: `The body has more than ${EXTERNAL_BODY_CHARACTERS_MAX} characters.` };
    return { ok: true, event: eventIn(body) };
  } catch (error) {
    if (error instanceof InvalidEventError) return { ok: false, status: 400, message: error.message };
    // Unlimited nesting overflows the stack.
    if (error instanceof RangeError) return { ok: false, status: 400, message: TOO_DEEP };
    throw error;
  }
}

/** Fields of a user that the account can change. @spec Endpoints > Users */
const CHANGEABLE_FIELDS = ["email", "first_name", "last_name", "phone"] as const;
type ChangeableField = (typeof CHANGEABLE_FIELDS)[number];
export type UserValues = { readonly [Field in ChangeableField]?: string };

/** The latest values that other systems have reported for a user, by field. */
export type ReportedUser = { readonly [Field in ChangeableField]?: ReportedValue };
/** @shape at: ISO 8601; mark: a hash of the value, which is not stored twice */
interface ReportedValue {
  readonly at: string;
  readonly mark: string;
}

const markOf = (value: string): string => hashedName("v", value);
const isLater = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other);

/**
 * Returns the changes to a user that follow from another system's report. The later report takes precedence, regardless of the order of
 * arrival, and values that somebody else has changed since then are kept.
 * @shape at: time of the reported state, ISO 8601
 */
export function userChangeOf(
  user: Pick<User, ChangeableField | "updated_time">,
  fields: UserValues,
  reported: ReportedUser,
  at: string,
): { readonly change: UserValues; readonly reported: ReportedUser } {
  const change: Partial<Record<ChangeableField, string>> = {};
  const next: Partial<Record<ChangeableField, ReportedValue>> = {};
  for (const field of CHANGEABLE_FIELDS) {
    const value = fields[field];
    if (!value) continue;
    const [current, before] = [user[field], reported[field]];
    if (before && isLater(before.at, at)) continue;
    const isReported = before !== undefined && current !== undefined && before.mark === markOf(current);
    if (current && current !== value && !isReported && isLater(user.updated_time, at)) continue;
    next[field] = { at, mark: markOf(value) };
    if (current !== value) change[field] = value;
  }
  return { change, reported: next };
}
