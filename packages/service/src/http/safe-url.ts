import { urlOf } from "@parley/contract";

/** Schemes whose addresses hold what they lead to, or lead into the reader's own machine: a click would run or show it. */
const REFUSED_LINKS: ReadonlySet<string> = new Set([
  "javascript:",
  "vbscript:",
  "data:",
  "blob:",
  "file:",
  "filesystem:",
]);
const MEDIA: ReadonlySet<string> = new Set(["http:", "https:"]);

/**
 * What a caller's address is used for: `link` is opened on a click, `media` is loaded by whoever shows it.
 * @assumed A link may have any scheme that runs nothing, such as mailto, tel or that of an app; media come over http or https. An address
 * without a scheme is kept as it is.
 */
export type UrlUse = "link" | "media";

/** -> why the address is refused, in words that follow its name; undefined where it may be kept. Read as browsers read it. */
export const urlFault = (url: string, use: UrlUse): string | undefined => {
  const scheme = urlOf(url)?.protocol;
  if (scheme === undefined) return undefined;
  if (use === "media") return MEDIA.has(scheme) ? undefined : "must be an address of https or http";
  return REFUSED_LINKS.has(scheme) ? `must not be an address of ${scheme.slice(0, -1)}` : undefined;
};
