import { LINK_SCHEMES, RASTER_IMAGE_ADDRESS, urlOf } from "@parley/contract";

const LINKS: ReadonlySet<string> = new Set(LINK_SCHEMES);
const MEDIA: ReadonlySet<string> = new Set(["http:", "https:"]);
/** Raster images, which can't contain scripts. */
const RASTER_IMAGE = new RegExp(RASTER_IMAGE_ADDRESS, "i");

/**
 * The use of a URL: a `link` is opened on a click; an `image` or `media` is loaded when it is shown.
 * @assumed A link may also be an e-mail address or a phone number (mailto, tel), as agents can open them. Media require http or https; a small
 * raster image may be a data URL, which loads and executes nothing. An address without a scheme is kept unchanged.
 */
type UrlUse = "link" | "image" | "media";

/** -> why the URL is refused, as words that follow its name; undefined if it is allowed. The URL is parsed as browsers do. */
export const unsafeUrlReason = (text: string, use: UrlUse): string | undefined => {
  const url = urlOf(text);
  if (url === undefined) return undefined;
  const { protocol: scheme, href } = url;
  if (use === "link") return LINKS.has(scheme) ? undefined : "must be an address of https, http, mailto or tel";
  return MEDIA.has(scheme) || (use === "image" && RASTER_IMAGE.test(href))
    ? undefined
    : "must be an address of https or http";
};
