import { isIP } from "node:net";
import { urlOf } from "@parley/contract";
import { withFix, type FindingWithPath, type JsonEdit, type JsonPath } from "../../model/finding.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import { createFinding } from "../../model/rules.ts";

/** Ends of names that no public DNS resolves (RFC 6761, 6762 and 8375, and ICANN's decision on `internal`). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
/** Accounts of a local instance have names below this name. */
const LOCAL_ACCOUNT = /\.parley\.localhost$/;

const PLACEHOLDERS = /<%=[\s\S]*?%>/g;
/** Fills in a text for each placeholder and star, so that the constant parts of a host remain. */
export const withoutPlaceholders = (host: string): string => host.replace(PLACEHOLDERS, "a.b");

/**
 * Why requests to a host are always refused; undefined if the host may be reached. Names that only a private DNS knows can't be told here.
 * @shape address: of `https://host:port/path`, with or without the scheme
 */
const refusalOf = (address: string): { readonly host: string; readonly reason: string } | undefined => {
  const bare = withoutPlaceholders(address.trim()).replaceAll("*", "a.b");
  const host = urlOf(bare.includes("://") ? bare : `https://${bare}`)?.hostname;
  if (!host || LOCAL_ACCOUNT.test(host)) return undefined;
  if (isIP(host.replace(/^\[(.*)\]$/, "$1")) > 0) return { host, reason: "it is an IP address" };
  if (PRIVATE_NAME.test(host)) return { host, reason: "the name belongs to a private network" };
  return host.includes(".") ? undefined : { host, reason: "it is not a complete host name" };
};

/** Warning for an address whose host is always refused. */
export const privateHostRules = (file: string, address: string, at: JsonPath): FindingWithPath[] => {
  const refusal = refusalOf(address);
  return refusal ? [createFinding("host-private", file, refusal, { at })] : [];
};

const HOST = /^(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::\d+)?\/?$/i;

const schemeRules = (entry: string, at: JsonPath): FindingWithPath[] => {
  if (/^(?:https:\/\/|<%=)/i.test(entry)) return [];
  const host = entry.trim().replace(/^http:\/\//i, "");
  const fix: JsonEdit[] = HOST.test(host) ? [{ kind: "set", at, value: `https://${host}` }] : [];
  return [createFinding("domain-https", MANIFEST_FILE, { entry }, { at, ...withFix(fix) })];
};

/** Findings for entries of `whitelisted-domains` that allow no request. */
export const domainRules = (domains: readonly string[] = []): FindingWithPath[] =>
  domains.flatMap((entry, index) => {
    const at = ["whitelisted-domains", String(index)];
    const refused = privateHostRules(MANIFEST_FILE, entry, at);
    return refused.length > 0 ? refused : schemeRules(entry, at);
  });
