import {
  api,
  BASE_PATH,
  basePathOf,
  PERMISSIONS,
  PRODUCTS,
  routeOf,
  rowsOf,
  type Endpoint,
  type Permission,
  type RequestTemplate,
} from "@parley/contract";
import { readsIparam } from "./handler-code.ts";
import { otherProduct } from "../../model/templates/account-host.ts";
import type { Project } from "../../model/project.ts";
import {
  parseTemplate,
  pathsIn,
  TemplateError,
  type ParsedTemplate,
  hasVerbs,
} from "../../model/templates/template.ts";

/** A request of the app whose permission cannot be derived in advance. */
interface UndecidedRequest {
  /** @shape file, followed by the template's name if it is a template: "config/requests.json, template send" */
  readonly place: string;
  /** A clause that follows the place: "its path is known only when it is sent" */
  readonly reason: string;
}

/** Permissions that the app's API key needs. The list is complete if `undecided` is empty. */
export interface KeyPermissions {
  /** In the order of the contract. */
  readonly permissions: readonly Permission[];
  readonly undecided: readonly UndecidedRequest[];
}

/** Parts of a project that determine the permissions. */
export type KeyPermissionSources = Pick<Project, "iparams" | "requests" | "platformVersion" | "whitelistedDomains"> &
  Partial<Pick<Project, "serverCode">>;

/** The endpoint with which an installation checks that the key belongs to the account. */
export const KEY_CHECK_ENDPOINT = api.accounts.getConfiguration;

/** Stands for a part that is filled in when the request is sent. NUL cannot occur in a template. */
const PLACEHOLDER = "\0";
const BASE_PATHS = [BASE_PATH, basePathOf({ name: PLACEHOLDER, bundle_id: 1 })].map((path) => path.split("/"));

const parseOrUndefined = (text: string): ParsedTemplate | undefined => {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
};

const textOf = (template: ParsedTemplate): string =>
  template.map((piece) => (piece.kind === "text" ? piece.text : PLACEHOLDER)).join("");

/** Keys of parameters of a type that belong to the account itself, not to another product. */
const ownKeys = ({ iparams }: KeyPermissionSources, type: "api_key" | "domain"): readonly string[] =>
  Object.entries(iparams)
    .filter(([, iparam]) => iparam.type === type && otherProduct(iparam) === undefined)
    .map(([key]) => key);

/** Keys of the parameters for an API key of the account. */
export const keyParametersOf = (app: KeyPermissionSources): readonly string[] => ownKeys(app, "api_key");

/** Whether the app has a parameter for an API key of the account. */
export const hasKeyParameter = (app: KeyPermissionSources): boolean => keyParametersOf(app).length > 0;

const readsAnyIparam = (text: string, keys: readonly string[]): boolean =>
  pathsIn(parseOrUndefined(text) ?? []).some(([source, key = ""]) => source === "iparam" && keys.includes(key));

/** "account": always a host of the account; "open": known only when the request is sent; "other": never a host of the account. */
type HostOwner = "account" | "open" | "other";

const ownerOf = (host: string, app: KeyPermissionSources, domainSuffix: string): HostOwner => {
  const template = parseOrUndefined(host.trim().replace(/^https:\/\//i, "")) ?? [];
  const paths = pathsIn(template);
  if (paths.length === 0) return textOf(template).toLowerCase().endsWith(domainSuffix) ? "account" : "other";
  const domains = ownKeys(app, "domain");
  const isDomain = paths.some(([source, key = ""]) => source === "iparam" && domains.includes(key));
  const isCurrent = paths.some(
    ([source, , product]) => source === "current_host" && PRODUCTS.some((name) => name === product),
  );
  if (isDomain || isCurrent) return "account";
  // A parameter of another product refers to an account of that product.
  const others = Object.keys(app.iparams).filter((key) => app.iparams[key] && otherProduct(app.iparams[key]));
  return readsAnyIparam(host, others) ? "other" : "open";
};

/** Whether a host that begins with a value ends with another party's domain: `<%= iparam.shop %>.example.com`. */
const hasForeignSuffix = (host: string, domainSuffix: string): boolean => {
  const tail =
    textOf(parseOrUndefined(host) ?? [])
      .split(PLACEHOLDER)
      .at(-1) ?? "";
  return tail.startsWith(".") && !tail.toLowerCase().endsWith(domainSuffix);
};

/** How the path of a template matches a route: exactly, with a value in place of a literal segment, or with a value in place of several segments. */
type PathFit = "exact" | "literal" | "rest" | "none";

/** Whether the text can result from filling in the placeholders of `pattern`. */
const canResultFrom = (text: string, pattern: string): boolean => {
  const [first = "", ...rest] = pattern.split(PLACEHOLDER);
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
};

const segmentFit = (sent: string, expected: string): "exact" | "literal" | "none" => {
  if (/^\{.*\}$/.test(expected) || expected === PLACEHOLDER) return sent === "" ? "none" : "exact";
  if (sent === expected) return "exact";
  return canResultFrom(expected, sent) ? "literal" : "none";
};

const pathFit = (sent: readonly string[], expected: readonly string[]): PathFit => {
  if (sent.length > expected.length) return "none";
  const isShort = sent.length < expected.length;
  if (isShort && sent.at(-1) !== PLACEHOLDER) return "none";
  const fits = sent.map((segment, index) => segmentFit(segment, expected[index] ?? ""));
  if (fits.includes("none")) return "none";
  if (isShort) return "rest";
  return fits.includes("literal") ? "literal" : "exact";
};

/** A value at the beginning of a path stands for one or more segments: `<%= context.base %>/groups` can be `/v2/groups`. */
const leadingValueFits = ([first = "", ...tail]: readonly string[], expected: readonly string[]): boolean =>
  expected.some((_, index) => {
    const sent = [...Array<string>(index).fill(PLACEHOLDER), first, ...tail];
    return pathFit(sent, expected) !== "none";
  });

const templateFit = (sent: readonly string[], expected: readonly string[]): PathFit =>
  sent[0]?.startsWith(PLACEHOLDER) ? (leadingValueFits(sent, expected) ? "rest" : "none") : pathFit(sent, expected);

const ENDPOINTS = rowsOf().map(({ row }) => row);

/** Endpoints that a template can reach, by kind of match. */
const endpointMatches = ({ schema }: RequestTemplate) => {
  const [path = ""] = textOf(parseOrUndefined(schema.path ?? "/") ?? []).split("?");
  const sent = path.split("/");
  const matches: Record<PathFit, Endpoint[]> = { exact: [], literal: [], rest: [], none: [] };
  for (const row of ENDPOINTS) {
    const route = routeOf(row);
    if (route.method !== schema.method) continue;
    const fits = BASE_PATHS.map((base) => templateFit(sent, [...base, ...route.path.split("/").slice(1)]));
    const best = (["exact", "literal", "rest"] as const).find((fit) => fits.includes(fit)) ?? "none";
    matches[best].push(row);
  }
  return matches;
};

interface EndpointNeed {
  readonly endpoints: readonly Endpoint[];
  readonly undecided?: string;
}

const NO_ENDPOINTS: EndpointNeed = { endpoints: [] };

/** A template with an exact match needs that endpoint's permission, and those of endpoints that its values may select instead. */
const needOf = (template: RequestTemplate, app: KeyPermissionSources, domainSuffix: string): EndpointNeed => {
  const { host, headers = {}, query = {}, path = "" } = template.schema;
  const owner = ownerOf(host, app, domainSuffix);
  if (owner === "other") return NO_ENDPOINTS;
  const { exact, literal, rest } = endpointMatches(template);
  const sendsKey = [...Object.values(headers), ...Object.values(query), path].some((text) =>
    readsAnyIparam(text, ownKeys(app, "api_key")),
  );
  if (owner === "open" && !sendsKey) {
    // If the app has a parameter for the key, it sends the key in requests to the account.
    if (hasKeyParameter(app) || exact.length === 0 || hasForeignSuffix(host, domainSuffix)) return NO_ENDPOINTS;
    return { endpoints: [], undecided: "its host is known only when it is sent" };
  }
  if (exact.length > 0) return { endpoints: [...exact, ...literal] };
  if (literal.length + rest.length === 0) return NO_ENDPOINTS;
  return { endpoints: [], undecided: "its path is known only when it is sent" };
};

/**
 * `$request.get` and the like take their URL from the code; the manifest lists the hosts that they may reach besides the account's own. Without a parameter for
 * the key they have no key for these.
 */
const undecidedVerbs = (app: KeyPermissionSources, domainSuffix: string): readonly UndecidedRequest[] => {
  const { platformVersion, whitelistedDomains = [] } = app;
  if (!hasVerbs(platformVersion)) return [];
  const mayBeAccountHost = (entry: string): boolean => {
    const [, host = ""] = /^(?:https:\/\/)?((?:<%=[\s\S]*?%>|[^/])*)/i.exec(entry.trim()) ?? [];
    const pattern = host.replaceAll("*", "<%= context.any %>");
    const owner = ownerOf(pattern, app, domainSuffix);
    return owner === "account" || (owner === "open" && !hasForeignSuffix(pattern, domainSuffix));
  };
  return hasKeyParameter(app) || whitelistedDomains.some(mayBeAccountHost)
    ? [{ place: "server/ and app/", reason: "requests by $request.get and its like name their address in the code" }]
    : [];
};

/** Code that reads the API key can make its own requests with it, if an admin consents. */
const undecidedReads = (app: KeyPermissionSources): readonly UndecidedRequest[] =>
  ownKeys(app, "api_key")
    .filter((key) => readsIparam(app.serverCode ?? "", key))
    .map((key) => ({ place: "server/", reason: `its code reads ${key} and names the requests that it makes with it` }));

/** Endpoints of the account's API that an app's request templates reach. */
interface ReachedEndpoints {
  /** In the order of the contract. */
  readonly endpoints: readonly Endpoint[];
  readonly undecided: readonly UndecidedRequest[];
}

/**
 * Derives the endpoints that an app's requests reach from its request templates.
 * @assumed A template counts if its host is the account's (a domain parameter, `current_host`, or a literal host below `domainSuffix`),
 *   or if it sends the key to a host that is known only when the request is sent. A placeholder in a path stands for one segment.
 * @shape domainSuffix: the part of an account's host after its name: ".parley.localhost"
 */
export const reachedEndpoints = (app: KeyPermissionSources, domainSuffix: string): ReachedEndpoints => {
  const needs = Object.entries(app.requests).map(([name, template]) => ({
    place: `config/requests.json, template ${name}`,
    ...needOf(template, app, domainSuffix),
  }));
  const reached = new Set(needs.flatMap(({ endpoints }) => endpoints));
  return {
    endpoints: ENDPOINTS.filter((row) => reached.has(row)),
    undecided: [
      ...needs.flatMap(({ place, undecided }) => (undecided === undefined ? [] : [{ place, reason: undecided }])),
      ...undecidedVerbs(app, domainSuffix),
      ...undecidedReads(app),
    ],
  };
};

/**
 * Derives the permissions of an app's API key from the endpoints that its requests reach.
 * @shape domainSuffix: as for `reachedEndpoints`
 */
export const keyPermissions = (app: KeyPermissionSources, domainSuffix: string): KeyPermissions => {
  const { endpoints, undecided } = reachedEndpoints(app, domainSuffix);
  const checks = hasKeyParameter(app) ? [KEY_CHECK_ENDPOINT] : [];
  const expected = new Set([...checks, ...endpoints].map(({ access }) => access.token));
  return { permissions: PERMISSIONS.filter((permission) => expected.has(permission)), undecided };
};

/** One sentence that states the known permissions of the key and whether it may need more. */
export const keyPermissionsText = ({ permissions, undecided }: KeyPermissions): string => {
  const permissionHint = permissions.length > 0 ? `The key needs these permissions: ${permissions.join(", ")}.` : "";
  if (undecided.length === 0) return permissionHint;
  const [{ place, reason }] = undecided as readonly [UndecidedRequest, ...UndecidedRequest[]];
  return `${permissionHint} It may need more, which can’t be derived from the app: ${place}: ${reason}. Ask the app’s author.`.trim();
};
