import { INVALID_VALUE, refuse, type CustomerOrder } from "@parley/contract";
import type { CustomerPosition, CustomerSequence } from "./page.sql.ts";

/** The members of a position. */
type CursorContent = readonly [sequence: CustomerSequence, key: CustomerPosition["key"], tie: number];

export const customerCursor = (position: CustomerPosition): string => {
  const content: CursorContent = [position.in, position.key, position.tie];
  return Buffer.from(JSON.stringify(content)).toString("base64url");
};

/** Last time that both JavaScript and PostgreSQL read in four digits of a year. @units epoch milliseconds */
const LAST_TIME_MS = Date.parse("9999-12-31T23:59:59.999Z");

const isTime = (key: unknown): boolean => Number.isSafeInteger(key) && Number(key) >= 0 && Number(key) <= LAST_TIME_MS;
const KEYS: Readonly<Record<CustomerSequence, (key: unknown) => boolean>> = {
  newest: isTime,
  oldest: isTime,
  name: (key) => typeof key === "string" && !key.includes("\0"),
  newest_activity: (key) => key === null || isTime(key),
  without_activity: isTime,
};
const SEQUENCES: Readonly<Record<CustomerOrder, readonly CustomerSequence[]>> = {
  newest: ["newest"],
  oldest: ["oldest"],
  name: ["name"],
  newest_activity: ["newest_activity", "without_activity"],
};

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
};

/** @errors INVALID_VALUE for a text that is not a cursor of this order */
export const parseCustomerCursor = (order: CustomerOrder, cursor: string): CustomerPosition => {
  const content = parsed(cursor);
  const [of, key, tie] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  const sequence = SEQUENCES[order].find((each) => each === of);
  if (sequence === undefined || !KEYS[sequence](key) || !Number.isSafeInteger(tie))
    return refuse(INVALID_VALUE, "cursor must be the `next` of a page in the same order.");
  return { in: sequence, key: key as CustomerPosition["key"], tie: Number(tie) };
};
