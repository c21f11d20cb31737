import { EgressFailure } from "./failure.ts";

/** Names that say how the message is carried, which is the sender's own business, not the caller's. */
const CARRIAGE = new Set(
  "host connection content-length transfer-encoding upgrade te trailer keep-alive expect accept-encoding http2-settings".split(
    " ",
  ),
);
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const isCarriage = (name: string): boolean => CARRIAGE.has(name) || name.startsWith("proxy-");

/**
 * What goes on the wire of a caller's headers, with the host's own name first.
 * @shape name, value, name, value …; names in lower case, the last of two spellings of one name wins
 * @errors HEADER_DISALLOWED for a name or value that could end its line or that HTTP has no place for
 * @assumed Headers that carry the message (host, content-length, connection …) are left out rather than refused, since templates of
 *   the field contain them; a compressed reply is never asked for, so that a size limit means what it says.
 */
export const requestHeaders = (host: string, given: Readonly<Record<string, string>> = {}): string[] => {
  // A map instead of a plain object: a header may be called __proto__.
  const kept = new Map([
    ["host", host],
    ["accept-encoding", "identity"],
  ]);
  for (const [spelled, value] of Object.entries(given)) {
    const name = spelled.toLowerCase();
    if (!NAME.test(name) || !VALUE.test(value)) throw new EgressFailure("HEADER_DISALLOWED");
    if (!isCarriage(name)) kept.set(name, value);
  }
  return [...kept].flat();
};

/** @shape names in lower case; values of a header sent several times joined by ", " */
export const replyHeaders = (raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(raw).map(([name, value = ""]) => [name, [value].flat().join(", ")]));
