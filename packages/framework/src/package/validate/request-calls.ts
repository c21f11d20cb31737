import { hasVerbs } from "../../model/templates/template.ts";
import { isWhitelisted } from "../../model/templates/whitelist.ts";
import type { FindingWithPath } from "../../model/finding.ts";
import type { Project } from "../../model/project.ts";
import { createFinding } from "../../model/rules.ts";
import { similarName } from "../../model/similar-name.ts";
import { placeOf, withoutComments } from "./handler-code.ts";
import type { AppSource } from "./sources.ts";

/** Calls of the request method: the method, and its first argument if that is a literal, with the character that follows it. */
const CALL =
  /(?:\$request|\bclient\s*\.\s*request)\s*\.\s*(get|post|put|patch|delete|invokeTemplate)\s*\(\s*(?:(["'`])((?:(?!\2)[^\\\n])*)\2\s*([^\s]))?/g;
/** A literal address with a complete host. */
const LITERAL_ADDRESS = /^https:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#]|$)/i;
const NO_VALUES = { values: {}, secrets: {}, context: {}, domain: undefined, isTrusted: true } as const;

type App = Pick<Project, "platformVersion" | "requests" | "whitelistedDomains">;

/** The host of a literal address that no entry of the manifest can allow. A placeholder of an entry is taken for any text. */
const refusedHost = (literal: string, follows: string, { whitelistedDomains = [] }: App): string | undefined => {
  const [address = ""] = literal.split(/\$\{|<%/);
  const isWhole = address !== literal || follows === "," || follows === ")";
  if (!LITERAL_ADDRESS.test(address) || (/^https:\/\/[^/?#]*$/i.test(address) && (!isWhole || address !== literal)))
    return undefined;
  const url = new URL(address);
  const entries = whitelistedDomains.map((entry) => entry.replace(/<%=[\s\S]*?%>/g, "*"));
  return isWhitelisted(url, entries, NO_VALUES) ? undefined : url.host;
};

/**
 * Warnings for calls of the request method that the run refuses: of the other generation's methods, of templates that do not exist, and to hosts
 * that the manifest does not allow.
 * @assumed The text is searched; the code is not analysed. A call can be in code that never runs, so that no such call is an error.
 */
export const requestCallRules = (sources: readonly AppSource[], app: App): FindingWithPath[] => {
  const { platformVersion: version, requests } = app;
  const names = Object.keys(requests);
  return sources.flatMap(({ file, text }) => {
    const code = withoutComments(text);
    return [...code.matchAll(CALL)].flatMap((match) => {
      const [, method = "", , literal, follows = ""] = match;
      const place = placeOf(code, match.index);
      const isVerb = method !== "invokeTemplate";
      if (isVerb !== hasVerbs(version)) {
        const instead = isVerb
          ? "declare a template in config/requests.json, and call request.invokeTemplate"
          : "call request.get, post, put, patch or delete";
        return [createFinding("request-call", file, { method, version, instead }, place)];
      }
      if (literal === undefined) return [];
      if (isVerb) {
        const host = refusedHost(literal, follows, app);
        return host === undefined ? [] : [createFinding("request-call-host", file, { method, host }, place)];
      }
      if (names.includes(literal) || literal.includes("${") || (follows !== "," && follows !== ")")) return [];
      const meant = similarName(literal, names);
      const help = meant === undefined ? {} : { help: `Did you mean '${meant}'?` };
      return [createFinding("request-call-template", file, { name: literal }, { ...place, ...help })];
    });
  });
};
