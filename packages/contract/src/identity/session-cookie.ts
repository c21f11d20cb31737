import { urlOf } from "../kernel/url.ts";

const NAME = "parley_session";
/** Browsers accept this prefix only from https, for exactly one host, and for all paths: no other host can set or replace such a cookie. */
const HOST_PREFIX = "__Host-";

const hostNameOf = (host: string): string => host.toLowerCase().replace(/\.?(?::\d+)?$/, "");

/** Whether a Host header names this machine, which browsers treat as secure without https. */
export const isLocalHost = (host: string): boolean => {
  const name = hostNameOf(host);
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
};

/** How pages of this service are addressed. */
export interface PageAddress {
  /** The only value of the Origin header that a state-changing request may have. */
  readonly origin: string;
  /** Whether the page was loaded by https, as is necessary off this machine. */
  readonly isSecure: boolean;
}

/**
 * Creates the function from a Host header to the address of pages on this host. Off this machine, pages are reached by https: a proxy ends it
 * and passes the Host header on.
 * @shape publicUrl: the configured origin, which decides about the scheme for its own host
 */
export const createPageAddressOf = (publicUrl: string | undefined): ((host: string | undefined) => PageAddress) => {
  const configured = publicUrl === undefined ? undefined : urlOf(publicUrl);
  return (host = "localhost") => {
    const text = host.toLowerCase();
    const isConfigured = configured?.host === text;
    const isSecure = isConfigured ? configured.protocol === "https:" : !isLocalHost(text);
    return { origin: `${isSecure ? "https" : "http"}://${text}`, isSecure: isSecure || !isLocalHost(text) };
  };
};
export type PageAddressOf = ReturnType<typeof createPageAddressOf>;

const nameAt = ({ isSecure }: PageAddress, name: string): string => (isSecure ? HOST_PREFIX + name : name);

/** The Set-Cookie header of a cookie that scripts can't read. @units maxAgeSeconds: seconds; 0 removes the cookie */
export const protectedCookie = (address: PageAddress, name: string, value: string, maxAgeSeconds: number): string =>
  [
    `${nameAt(address, name)}=${value}`,
    "Path=/",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(address.isSecure ? ["Secure"] : []),
  ].join("; ");

/** -> the value of such a cookie; undefined without such a cookie, or if it is sent twice, as with an injected second cookie */
export const protectedCookieOf = (
  { cookie }: { readonly cookie?: string | undefined },
  address: PageAddress,
  cookieName: string,
): string | undefined => {
  if (cookie === undefined) return undefined;
  const name = `${nameAt(address, cookieName)}=`;
  const values = cookie.split(";").flatMap((part) => {
    const text = part.trim();
    return text.startsWith(name) ? [text.slice(name.length)] : [];
  });
  return values.length === 1 ? values[0] : undefined;
};

/** The Set-Cookie header of a session. @units maxAgeSeconds: seconds; 0 removes the cookie */
export const sessionCookie = (address: PageAddress, value: string, maxAgeSeconds: number): string =>
  protectedCookie(address, NAME, value, maxAgeSeconds);

/** -> the value of the session cookie; undefined without such a cookie, or if it is sent twice */
export const sessionCookieOf = (
  headers: { readonly cookie?: string | undefined },
  address: PageAddress,
): string | undefined => protectedCookieOf(headers, address, NAME);

/** Begins the host names of the frames of apps, which run the apps' own code. No session and no ticket belongs to such a host name. */
export const FRAME_LABEL_PREFIX = "frame--";
