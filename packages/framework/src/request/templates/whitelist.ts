import { urlOf } from "@parley/contract";
import { filledPieces, SubstitutionFailed, type TemplateSources } from "./substitute.ts";
import { TemplateError } from "./template.ts";

/** In place of a star that the manifest's author wrote: no value can hold it, so a star in a value is a star. */
const STAR = "\0";

/** What a star may stand for; a port is none of it. */
const STAR_CHARACTER = /[a-z0-9_.-]/;

/** An entry of `whitelisted-domains`, filled in. */
interface WhitelistEntry {
  /** What stands between the stars of its host, in lower case; one piece: a whole host. */
  readonly host: readonly [string, ...string[]];
  /** As far as its first star. */
  readonly path: string;
}

const textOf = (entry: string, from: TemplateSources): string | undefined => {
  try {
    return filledPieces(entry.trim(), "host", from)
      .map(({ text, isFilled }) => (isFilled ? text.replace(/^https:\/\//i, "") : text.replaceAll("*", STAR)))
      .join("");
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError) return undefined;
    throw error;
  }
};

/** -> undefined for an entry that allows nothing: one without a host, or whose parameters have no value */
export const readEntry = (entry: string, from: TemplateSources): WhitelistEntry | undefined => {
  const [, host = "", path = ""] = /^(?:https:\/\/)?([^/]*)(.*)$/i.exec(textOf(entry, from) ?? "") ?? [];
  const [first = "", ...others] = host.toLowerCase().split(STAR);
  const [begin = ""] = path.split(STAR);
  return host === "" ? undefined : { host: [first, ...others], path: begin };
};

/** Where a star that begins at a place of the host may end. */
type StarEnds = (host: string, from: number) => readonly number[];

const anyEnd: StarEnds = (host, from) => {
  const ends: number[] = [];
  for (let at = from; at < host.length && STAR_CHARACTER.test(host.charAt(at)); at++) ends.push(at + 1);
  return ends;
};

/** Whether a host fits what stands between stars, in time that no number of stars makes long. */
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
 * Whether one of the manifest's entries allows a URL.
 * @assumed A star stands for one or more labels of the name. A port must be named to be used. A path, where an entry has one, is
 *   the beginning of those that it allows. An entry whose parameters have no value allows nothing.
 */
export const isWhitelisted = (url: URL, entries: readonly string[], from: TemplateSources): boolean =>
  entries.some((text) => {
    const entry = readEntry(text, from);
    if (!entry || !matchesWildcard(entry.host, url.host)) return false;
    const folder = entry.path.replace(/\/+$/, "");
    return url.pathname === folder || url.pathname.startsWith(`${folder}/`);
  });

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
  return matchesWildcard([first, ...others], host);
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
