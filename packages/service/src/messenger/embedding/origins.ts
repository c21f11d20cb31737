/** Origin of a page without an address of its own, such as a file or a sandboxed frame. */
export const OPAQUE_ORIGIN = "null";

/** `https://*.shop.example` -> the text before and after the name of the host */
const WILDCARD = /^(https?:\/\/)\*(\..+)$/;

const matches = (entry: string, origin: string): boolean => {
  const [, scheme = "", suffix = ""] = WILDCARD.exec(entry) ?? [];
  if (suffix === "") return entry === origin;
  const host = origin.startsWith(scheme) && origin.endsWith(suffix) && origin.slice(scheme.length, -suffix.length);
  return typeof host === "string" && host !== "" && !host.includes("/");
};

/** Removes the port that the scheme implies, as browsers do. */
const normalized = (origin: string): string =>
  origin.toLowerCase().replace(/^(http:\/\/.+):80$|^(https:\/\/.+):443$/, "$1$2");

/** Whether a list contains the origin of a page. An empty list contains every origin. */
export const isListed = (origins: readonly string[], origin: string): boolean =>
  origins.length === 0 || origins.some((entry) => matches(normalized(entry), normalized(origin)));
