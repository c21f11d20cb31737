import { urlOf } from "@parley/contract";
import { fitsStars } from "../request/whitelist.ts";

const LABEL = "[a-z0-9_*](?:[a-z0-9_*-]{0,61}[a-z0-9_*])?";
const HOST = new RegExp(`^(?=.{1,259}$)(?:${LABEL}\\.)+${LABEL}(?::[1-9][0-9]{0,4})?$`);
/** The end of a name, which says whose it is: no star, and no number, which would be an address. */
const OWNED_END = /(?:^|\.)[a-z0-9_-]+\.[a-z0-9_-]*[a-z_-][a-z0-9_-]*(?::\d+)?$/;

/**
 * A host as consents name it: in lower case, punycode, with a port that is not 443; `*` stands for one label or more, and not in the last two.
 * @returns undefined for what is no such host, an IP address among others
 */
export const consentHost = (text: string): string | undefined => {
  const bare = text
    .trim()
    .replace(/^https:\/\//i, "")
    .replace(/\/+$/, "");
  const host = bare.includes("*") ? bare.toLowerCase() : urlOf(`https://${bare}`)?.host;
  if (host === undefined || /[/?#@\\\p{Cc}]/u.test(bare)) return undefined;
  return HOST.test(host) && OWNED_END.test(host) ? host : undefined;
};

/** Whether a host, as it stands in a URL, is one that a consent is about. @shape consented: as `consentHost` returns it */
export const isConsentedHost = (host: string, consented: string): boolean => {
  const [first = "", ...others] = consented.split("*");
  return fitsStars([first, ...others], host);
};

/** Hosts that entries of `whitelisted-domains` name without parameters. */
export const declaredHosts = (entries: readonly unknown[]): string[] => [
  ...new Set(
    entries.flatMap((entry) => {
      const [, host = ""] = typeof entry === "string" ? (/^(?:https:\/\/)?([^/]*)/i.exec(entry.trim()) ?? []) : [];
      return consentHost(host) ?? [];
    }),
  ),
];
