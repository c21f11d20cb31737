/** An address that contains a picture. Scripts in a drawing don't run where it is shown as a picture. */
const PICTURE_ITSELF = /^data:image\//i;
/** Path of uploads on each host of the service. */
const UPLOADS = "/objects/";

const urlOf = (address: string, base: string): URL | undefined => {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
};

/**
 * The address at which the page's own origin has a picture or a file, so that showing it sends no request to another host: that of an upload,
 * whose signature holds on each host of the service, or of a picture that the address contains.
 * -> undefined for the address of another host @shape base: address of the page
 */
export const ownAddress = (address: string, base: string): string | undefined => {
  if (PICTURE_ITSELF.test(address)) return address;
  const url = urlOf(address, base);
  return url?.pathname.startsWith(UPLOADS) && url.searchParams.has("signature")
    ? new URL(url.pathname + url.search, base).href
    : undefined;
};

/** The host of an address that is not an own address, which is named before it is opened; undefined for an own address. */
export const foreignHost = (address: string, base: string): string | undefined =>
  ownAddress(address, base) === undefined ? urlOf(address, base)?.host : undefined;
