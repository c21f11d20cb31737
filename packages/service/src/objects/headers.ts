import type { ByteRange, Lead } from "./objects.ts";

/** What a browser may show on the spot; everything else it is told to save. */
const SHOWN: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** @spec RFC 6266, RFC 8187: a plain name for old readers and the whole one beside it */
const dispositionOf = ({ contentType, fileName }: Lead): string => {
  const manner = SHOWN.has(contentType) && fileName === undefined ? "inline" : "attachment";
  if (fileName === undefined) return manner;
  const plain = fileName.replace(/[^ \w.,()+-]/g, "_");
  const whole = encodeURIComponent(fileName).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${manner}; filename="${plain}"; filename*=UTF-8''${whole}`;
};

/** A type as a header may hold it: what else was signed is of no known kind. */
const typeOf = (contentType: string): string =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.:"-]+)*$/.test(contentType) ? contentType : "application/octet-stream";

/** What strangers uploaded may be anything: it is shown as what it is said to be or not at all, and nothing in it may run. */
export const headersOf = (lead: Lead): Record<string, string> => ({
  "content-type": typeOf(lead.contentType),
  "content-disposition": dispositionOf(lead),
  "cache-control": `private, max-age=${lead.seconds}, immutable`,
  "accept-ranges": "bytes",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
});

/**
 * Reads `Range: bytes=first-last`, one range with either end left out.
 * @shape undefined: all is to be sent, also for a range that the content does not hold (RFC 9110 lets a server pass over any)
 */
export const rangeOf = (header: string | undefined, size: number): ByteRange | undefined => {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? { first, last } : undefined;
};
