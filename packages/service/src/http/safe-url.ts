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
/** Pictures of dots, which hold no script. */
const PICTURE = /^data:image\/(?:avif|bmp|gif|jpe?g|png|webp)[;,]/i;

/**
 * What a caller's address is used for: `link` is opened on a click, `image` and `media` are loaded by whoever shows them.
 * @assumed A link may have any scheme that runs nothing, such as mailto, tel or that of an app; media come over http or https, and a small
 * picture may stand in its own address. An address without a scheme is kept as it is.
 */
type UrlUse = "link" | "image" | "media";

/** -> why the address is refused, in words that follow its name; undefined where it may be kept. Read as browsers read it. */
export const unsafeUrlReason = (text: string, use: UrlUse): string | undefined => {
  const url = urlOf(text);
  if (url === undefined) return undefined;
  const { protocol: scheme, href } = url;
  if (use === "link") return REFUSED_LINKS.has(scheme) ? `must not be an address of ${scheme.slice(0, -1)}` : undefined;
  return MEDIA.has(scheme) || (use === "image" && PICTURE.test(href))
    ? undefined
    : "must be an address of https or http";
};
