import { EgressFailure } from "./failure.ts";

/** Headers that control the transport of the message; the HTTP client sets them, not the caller. */
const TRANSPORT_HEADERS = new Set(
  "host connection content-length transfer-encoding upgrade te trailer keep-alive expect accept-encoding http2-settings".split(
    " ",
  ),
);
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const isTransportHeader = (name: string): boolean => TRANSPORT_HEADERS.has(name) || name.startsWith("proxy-");

/**
 * Builds the request's headers from the caller's, with the Host header first.
 * @shape name, value, name, value …; names in lower case, the last of two spellings of one name wins
 * @errors HEADER_DISALLOWED for a name or value that HTTP doesn't allow, including line breaks
 * @assumed Transport headers (host, content-length, connection …) are dropped rather than refused, since existing request templates
 *   contain them; compressed responses are never requested, so that the size limit applies to the actual size.
 */
export const requestHeaders = (host: string, callerHeaders: Readonly<Record<string, string>> = {}): string[] => {
  // A Map and not an object: a header can be named __proto__.
  const allowed = new Map([
    ["host", host],
    ["accept-encoding", "identity"],
  ]);
  for (const [spelled, value] of Object.entries(callerHeaders)) {
    const name = spelled.toLowerCase();
    if (!NAME.test(name) || !VALUE.test(value)) throw new EgressFailure("HEADER_DISALLOWED");
    if (!isTransportHeader(name)) allowed.set(name, value);
  }
  return [...allowed].flat();
};

/** @shape names in lower case; values of a repeated header joined by ", " */
export const replyHeaders = (raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(raw).map(([name, value = ""]) => [name, [value].flat().join(", ")]));
