import { urlOf } from "@parley/contract";
import { filledPieces, SubstitutionFailed, type TemplateSources } from "./substitute.ts";
import { TemplateError } from "./template.ts";

/** Replaces the stars of a manifest entry. NUL cannot occur in a value, so that a star in a value stays literal. */
const STAR_PLACEHOLDER = "\0";

/** Characters that a star matches; a port is excluded. */
const STAR_CHARACTER = /[a-z0-9_.-]/;

/** An entry of `whitelisted-domains`, filled in. */
interface WhitelistEntry {
  /** Parts of the host between stars, in lower case. A single part is a complete host. */
  readonly host: readonly [string, ...string[]];
  /** Path up to its first star. */
  readonly path: string;
}

const textOf = (entry: string, from: TemplateSources): string | undefined => {
  try {
    return filledPieces(entry.trim(), "host", from)
      .map(({ text, isFilled }) =>
        isFilled ? text.replace(/^https:\/\//i, "") : text.replaceAll("*", STAR_PLACEHOLDER),
      )
      .join("");
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError) return undefined;
    throw error;
  }
};

/** -> undefined for an entry that allows nothing: without a host, or with parameters that have no value */
export const readEntry = (entry: string, from: TemplateSources): WhitelistEntry | undefined => {
  const [, host = "", path = ""] = /^(?:https:\/\/)?([^/]*)(.*)$/i.exec(textOf(entry, from) ?? "") ?? [];
  const [first = "", ...others] = host.toLowerCase().split(STAR_PLACEHOLDER);
  const [begin = ""] = path.split(STAR_PLACEHOLDER);
  return host === "" ? undefined : { host: [first, ...others], path: begin };
};

/** Positions at which a star that begins at `from` may end. */
type StarEnds = (host: string, from: number) => readonly number[];

const anyEnd: StarEnds = (host, from) => {
  const ends: number[] = [];
  for (let at = from; at < host.length && STAR_CHARACTER.test(host.charAt(at)); at++) ends.push(at + 1);
  return ends;
};

/** Whether a host matches the parts between stars. The time does not grow exponentially with the number of stars. */
export const matchesWildcard = (
  [first, ...others]: WhitelistEntry["host"],
  host: string,
  starEnds: StarEnds = anyEnd,
): boolean => {
  let places = host.startsWith(first) ? [first.length] : [];
  for (const piece of others) {
    const ends = places.flatMap((from) => starEnds(host, from)).filter((end) => host.startsWith(piece, end));
    places = [...new Set(ends.map((end) => end + piece.length))];
  }
  return places.includes(host.length);
};

/**
 * Whether an entry of the manifest allows a URL, or its host is one of `ownHosts`, those of the account's own API.
 * @assumed A star matches one or more labels. A port must be listed to be used. If an entry has a path, it allows paths that begin with
 *   it. An entry whose parameters have no value allows nothing.
 */
export const isWhitelisted = (
  url: URL,
  entries: readonly string[],
  from: TemplateSources,
  ownHosts: readonly string[] = [],
): boolean =>
  ownHosts.includes(url.host) ||
  entries.some((text) => {
    const entry = readEntry(text, from);
    if (!entry || !matchesWildcard(entry.host, url.host)) return false;
    const folder = entry.path.replace(/\/+$/, "");
    return url.pathname === folder || url.pathname.startsWith(`${folder}/`);
  });

const LABEL = "[a-z0-9_*](?:[a-z0-9_*-]{0,61}[a-z0-9_*])?";
const HOST = new RegExp(`^(?=.{1,259}$)(?:${LABEL}\\.)+${LABEL}(?::[1-9][0-9]{0,4})?$`);
/** The end of a host name, which determines its owner: it contains no star, and is not a number, which would be an IP address. */
const DOMAIN_END = /(?:^|\.)[a-z0-9_-]+\.[a-z0-9_-]*[a-z_-][a-z0-9_-]*(?::\d+)?$/;

/**
 * Normalises a host for a consent: lower case, punycode, with its port unless it is 443. `*` matches one or more labels and may not be in the last two.
 * @returns undefined for an invalid host, including an IP address
 */
export const consentHost = (text: string): string | undefined => {
  const bare = text
    .trim()
    .replace(/^https:\/\//i, "")
    .replace(/\/+$/, "");
  const host = bare.includes("*") ? bare.toLowerCase() : urlOf(`https://${bare}`)?.host;
  if (host === undefined || /[/?#@\\\p{Cc}]/u.test(bare)) return undefined;
  return HOST.test(host) && DOMAIN_END.test(host) ? host : undefined;
};

/** Whether a consent covers the host of a URL. @shape consented: as returned by `consentHost` */
export const isConsentedHost = (host: string, consented: string): boolean => {
  const [first = "", ...others] = consented.split("*");
  return matchesWildcard([first, ...others], host);
};

/** Hosts in entries of `whitelisted-domains` that contain no parameters. */
export const declaredHosts = (entries: readonly unknown[]): string[] => [
  ...new Set(
    entries.flatMap((entry) => {
      const [, host = ""] = typeof entry === "string" ? (/^(?:https:\/\/)?([^/]*)/i.exec(entry.trim()) ?? []) : [];
      return consentHost(host) ?? [];
    }),
  ),
];
