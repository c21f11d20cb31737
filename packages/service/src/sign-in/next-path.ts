import { PROFILE_PATH, urlOf } from "@parley/contract";

/** A longer path would not fit into the cookie of a sign-in. @units characters */
const MAX_LENGTH = 1_000;
/** Browsers remove control characters from addresses, and read a backslash as a slash. */
const UNSAFE = /[\p{Cc}\\]/u;
const ORIGIN = "http://service.invalid";

/** Whether browsers take a text for a path of the page's own host. */
const isOwnPath = (text: string): boolean =>
  text.startsWith("/") && !text.startsWith("//") && !UNSAFE.test(text) && text.length <= MAX_LENGTH;

/** The path to go to after a sign-in, as asked for; the agent's own page if it is not a path of this service. */
export const nextPathOf = (text: string | undefined): string => {
  const url = text !== undefined && isOwnPath(text) ? urlOf(ORIGIN + text) : undefined;
  const path = url && url.pathname + url.search + url.hash;
  // Removing the dots of /.// leaves //, which names another host.
  return url?.origin === ORIGIN && path !== undefined && isOwnPath(path) ? path : PROFILE_PATH;
};
