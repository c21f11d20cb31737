import { urlOf, type IparamsConfig, type IparamValues, type RequestTemplates } from "@parley/contract";
import { fillTemplate, SubstitutionFailed, type TemplateSources } from "./templates/substitute.ts";
import { parseTemplate, pathsIn, TemplateError } from "./templates/template.ts";
import { matchesWildcard, readEntry } from "./templates/whitelist.ts";

/**
 * The one rule for the hosts that a stored secret (a secure parameter, an access token) may be sent to: those that the app's files name literally,
 * and those that the same files make of what is stored together with the secret. What only one request says (context, what somebody typed, the rest of a
 * verb's address) names none.
 */

/** The app's files that name hosts. */
export interface HostsInFiles {
  readonly requests: RequestTemplates;
  readonly whitelistedDomains?: readonly string[];
}

/** Values that name hosts. */
interface StoredValues extends Pick<TemplateSources, "values" | "domain" | "oauthIparams" | "appSettings"> {
  /** Host of the account's own service for outbound messages, where it is one of ours. */
  readonly outboundHost?: string | undefined;
  /** Values of the domain parameters. */
  readonly domains?: readonly string[];
}

/**
 * Which stored names may stand for a part of a host that a template or an entry leaves open. "account": the key of an account follows the
 * account's own hosts and those of other products' domains, whatever other addresses are stored beside it; "all": any other secret.
 */
export type NameScope = "account" | "all";

export const nameScopeOf = (key: string, iparams: IparamsConfig): NameScope =>
  Object.hasOwn(iparams, key) && iparams[key]?.type === "api_key" ? "account" : "all";

/** @assumed An account of ours has its service for outbound messages at `outbound` beside it, to which its keys may be sent too. */
export const storedValues = (
  values: IparamValues,
  domain: string | undefined,
  domainSuffix: string,
  iparams: IparamsConfig = {},
): StoredValues => ({
  values,
  domain,
  domains: Object.entries(iparams).flatMap(([key, { type }]) => {
    const value = type === "domain" && Object.hasOwn(values, key) ? values[key] : undefined;
    return typeof value === "string" ? [value] : [];
  }),
  outboundHost: domain?.endsWith(domainSuffix) ? `outbound${domainSuffix}` : undefined,
});

/** A name, or a part of one, with a port or without. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d+)?$/;

const withoutScheme = (text: string): string => text.replace(/^https:\/\//i, "").toLowerCase();

/** The host in a stored text, or the part of one; of an address its host. */
const nameIn = (text: string): string | undefined => {
  if (NAME.test(withoutScheme(text))) return withoutScheme(text);
  const host = /^https?:/i.test(text) ? urlOf(text)?.host : urlOf(`https://${text}`)?.host;
  return host !== undefined && NAME.test(host) && !/[@\\%\s]/.test(text) ? host : undefined;
};

const namesIn = ({ values, domain, outboundHost, domains = [] }: StoredValues, scope: NameScope): ReadonlySet<string> =>
  new Set(
    [domain, outboundHost, ...(scope === "account" ? domains : Object.values(values))].flatMap((value) =>
      typeof value === "string" ? (nameIn(value) ?? []) : [],
    ),
  );

const orNothing = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError) return undefined;
    throw error;
  }
};

/** Keys of the context that a template reads. */
const contextKeys = (text: string): string[] =>
  (orNothing(() => pathsIn(parseTemplate(text))) ?? []).flatMap(([source, key]) =>
    source === "context" && key !== undefined ? [key] : [],
  );

const without = { secrets: {}, context: {}, isTrusted: true } as const;
const from = (
  { values, domain, oauthIparams = {}, appSettings = {} }: StoredValues,
  context: TemplateSources["context"] = {},
): TemplateSources => ({
  ...without,
  values,
  domain,
  oauthIparams,
  appSettings,
  context,
});

/**
 * What app settings are stored with: each other. What an installation stores may be changed by others than those who know the settings.
 * @assumed a setting follows no parameter: its hosts are named by the app's files, or made of settings alone
 */
export const storedSettings = (appSettings: Readonly<Record<string, string>>): StoredValues => ({
  values: {},
  domain: undefined,
  appSettings,
});

const templateHosts = ({ requests }: HostsInFiles): string[] =>
  Object.values(requests).map(({ schema }) => schema.host);

/** A template's host, filled in. */
const filledHost = (text: string, sources: TemplateSources): string | undefined => {
  const host = orNothing(() => fillTemplate(text, "host", sources));
  return host === undefined ? undefined : withoutScheme(host);
};

/** All hosts that the files make of stored values alone; without any: those that they name literally. */
const fixedHosts = (files: HostsInFiles, stored: StoredValues): ReadonlySet<string> =>
  new Set([
    ...templateHosts(files).flatMap((text) => filledHost(text, from(stored)) ?? []),
    ...(files.whitelistedDomains ?? []).flatMap((text) => {
      const entry = readEntry(text, from(stored));
      return entry?.host.length === 1 ? entry.host : [];
    }),
  ]);

/** What is asked about: where a request goes, and which template makes it. */
export interface SecretDestination {
  /** As it stands in the URL that is sent, with a port that is not the usual one. */
  readonly host: string;
  /** The template's text of the host and the context that filled it; absent where a verb asks. */
  readonly template?: { readonly host: string; readonly context: Readonly<Record<string, unknown>> };
}

/** Whether secrets that are stored together with values may be sent to a host. */
export const mayReceiveSecrets = (
  { host, template }: SecretDestination,
  files: HostsInFiles,
  stored: StoredValues,
  scope: NameScope = "all",
): boolean => {
  if (fixedHosts(files, stored).has(host)) return true;
  const names = namesIn(stored, scope);
  if (template) {
    const known = Object.entries(template.context).filter(
      ([, text]) => typeof text === "string" && names.has(withoutScheme(text)),
    );
    return filledHost(template.host, from(stored, Object.fromEntries(known))) === host;
  }
  const namesAt = (text: string, place: number) =>
    [...names].flatMap((name) => (text.startsWith(name, place) ? [place + name.length] : []));
  return (files.whitelistedDomains ?? []).some((text) => {
    const entry = readEntry(text, from(stored));
    return (
      entry !== undefined &&
      (matchesWildcard(entry.host, host, namesAt) || (names.has(host) && matchesWildcard(entry.host, host)))
    );
  });
};

/** Hosts into which any stored name may come, by context or by a star, with such a name. */
const openHosts = (files: HostsInFiles, stored: StoredValues, name: string): string[] => [
  ...templateHosts(files).flatMap((text) => {
    const keys = contextKeys(text);
    const context = Object.fromEntries(keys.map((key) => [key, name]));
    return keys.length === 0 ? [] : (filledHost(text, from(stored, context)) ?? []);
  }),
  ...(files.whitelistedDomains ?? []).flatMap((text) => {
    const { host } = readEntry(text, from(stored)) ?? {};
    return host === undefined || host.length === 1 ? [] : host.join(name);
  }),
];

/** The part of the files that a secret can be sent by. */
const filesFor = (key: string, { requests, whitelistedDomains }: HostsInFiles, from = "iparam"): HostsInFiles => {
  const reads = (text: string) =>
    (orNothing(() => pathsIn(parseTemplate(text))) ?? []).some(([source, name]) => source === from && name === key);
  const sending = Object.entries(requests).filter(([, { schema }]) => {
    const headers = Object.values(schema.headers ?? {});
    return [...headers, schema.host, schema.path ?? "", ...Object.values(schema.query ?? {})].some(reads);
  });
  return { requests: Object.fromEntries(sending), ...(whitelistedDomains && { whitelistedDomains }) };
};

/**
 * A host that a secret could be sent to with new values, and not with those that it was stored with; undefined where there is none. Who may change the
 * values need not know the secret: it has to be entered again.
 */
export const newSecretHost = (
  key: string,
  allFiles: HostsInFiles,
  before: StoredValues,
  after: StoredValues,
  scope: NameScope = "all",
): string | undefined => {
  const files = filesFor(key, allFiles);
  const known = new Set([...fixedHosts(allFiles, before), ...fixedHosts(allFiles, { values: {}, domain: undefined })]);
  const names = namesIn(before, scope);
  const hosts = [
    ...fixedHosts(files, after),
    ...[...namesIn(after, scope)].filter((name) => !names.has(name)).flatMap((name) => openHosts(files, after, name)),
  ];
  // One label alone is no host that anything is sent to.
  return hosts.find((host) => !known.has(host) && host.includes(".") && NAME.test(host));
};

/** A host that an app setting could be sent to with other settings, and not with those that it was stored with; undefined where there is none. */
export const newSettingHost = (
  key: string,
  allFiles: HostsInFiles,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string | undefined => {
  const known = fixedHosts(allFiles, storedSettings(before));
  const hosts = fixedHosts(filesFor(key, allFiles, "app_settings"), storedSettings(after));
  return [...hosts].find((host) => !known.has(host));
};
