import { DELIVERY_EXCHANGE_LIMITS } from "@parley/contract";
import type { OutgoingReply } from "@parley/egress";
import type { RecordedExchange } from "../dispatch/subscriber-kind.ts";

/**
 * Response headers that are kept: they help to find out who answered and why. All others may contain secrets of the receiver, such as cookies.
 * @assumed The list.
 */
const KEPT_HEADERS = [
  "allow",
  "cf-ray",
  "content-length",
  "content-type",
  "date",
  "location",
  "retry-after",
  "server",
  "via",
  "x-request-id",
] as const;

/**
 * A text of its own: a part of a longer text would keep all of it in memory.
 * @units max: characters
 */
const beginningOf = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max)).toString();

const keptHeaders = (headers: OutgoingReply["headers"]): Record<string, string> =>
  Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, beginningOf(value, DELIVERY_EXCHANGE_LIMITS.headerValue)]];
    }),
  );

interface SentRequest extends Pick<RecordedExchange, "milliseconds" | "request"> {
  readonly time: Date;
  /** Absent when no response arrived. */
  readonly reply?: OutgoingReply;
}

/** The kept parts of a request and its response. */
export const recordedExchange = ({ time, milliseconds, request, reply }: SentRequest): RecordedExchange => ({
  time: time.toISOString(),
  milliseconds,
  request,
  ...(reply && {
    response: {
      status: reply.status,
      headers: keptHeaders(reply.headers),
      body: beginningOf(reply.body, DELIVERY_EXCHANGE_LIMITS.responseBody),
      truncated: reply.body.length > DELIVERY_EXCHANGE_LIMITS.responseBody,
    },
  }),
});
