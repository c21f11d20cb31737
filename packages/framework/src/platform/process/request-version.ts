import type { IncomingMessage } from "node:http";

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** The version of an app that a request to its installation page belongs to. */
interface RequestVersion {
  readonly version: string;
  /** Whether the address names it, and not the page that sends the request. */
  readonly isInAddress: boolean;
}

/**
 * The version whose form a request belongs to, before an upgrade: requests of a page have it in their page token, documents and their files in
 * their address. -> undefined: the installed version
 */
export const requestVersionOf = ({ url = "/", headers }: IncomingMessage): RequestVersion | undefined => {
  const token = headers["x-page-token"];
  const inToken = typeof token === "string" ? /^([^~]+)~/.exec(token)?.[1] : undefined;
  if (inToken !== undefined) return { version: inToken, isInAddress: false };
  const [path = "", query = ""] = url.split("?", 2);
  if (!path.startsWith("/custom_configs")) return undefined;
  const ofFile = /^\/custom_configs\/own\/version\/([^/]+)\//.exec(path)?.[1];
  const version = ofFile === undefined ? new URLSearchParams(query).get("version") : decoded(ofFile);
  return version === null || version === undefined || version === "" ? undefined : { version, isInAddress: true };
};
