/** Parses an absolute URL; undefined for other text. `URL.canParse` is not used, since its optimised version in Node 20 is wrong for host names with umlauts. */
export const urlOf = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** Regular expression of addresses that contain a raster image. Other images can contain scripts. Case is ignored. */
export const RASTER_IMAGE_ADDRESS = "^data:image\\/(?:avif|bmp|gif|jpe?g|png|webp)[;,]";

/** Schemes of addresses that a button may open: pages, e-mail and phone numbers. Another scheme could run a script or start a program. */
export const LINK_SCHEMES = ["https:", "http:", "mailto:", "tel:"] as const;
