import { RASTER_IMAGE_ADDRESS, REFUSED_LINK_SCHEMES, urlOf } from "@parley/contract";

const REFUSED_LINKS: ReadonlySet<string> = new Set(REFUSED_LINK_SCHEMES);
const MEDIA: ReadonlySet<string> = new Set(["http:", "https:"]);
/** Raster images, which can't contain scripts. */
const RASTER_IMAGE = new RegExp(RASTER_IMAGE_ADDRESS, "i");

/**
 * The use of a URL: a `link` is opened on a click; an `image` or `media` is loaded when it is shown.
 * @assumed A link may have any scheme that executes nothing, such as mailto, tel or the scheme of an app. Media require http or https; a small
 * image may be a data URL. An address without a scheme is kept unchanged.
 */
type UrlUse = "link" | "image" | "media";

/** -> why the URL is refused, as words that follow its name; undefined if it is allowed. The URL is parsed as browsers do. */
export const unsafeUrlReason = (text: string, use: UrlUse): string | undefined => {
  const url = urlOf(text);
  if (url === undefined) return undefined;
  const { protocol: scheme, href } = url;
  if (use === "link") return REFUSED_LINKS.has(scheme) ? `must not be an address of ${scheme.slice(0, -1)}` : undefined;
  return MEDIA.has(scheme) || (use === "image" && RASTER_IMAGE.test(href))
    ? undefined
    : "must be an address of https or http";
};
