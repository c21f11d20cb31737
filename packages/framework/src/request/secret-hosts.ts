import { urlOf, type IparamsConfig, type IparamValues, type RequestTemplates } from "@parley/contract";
import { ownApiHosts } from "../model/templates/account-host.ts";
import { fillTemplate, SubstitutionFailed, type TemplateSources } from "../model/templates/substitute.ts";
import { parseTemplate, pathsIn, TemplateError } from "../model/templates/template.ts";
import { matchesWildcard, readEntry } from "../model/templates/whitelist.ts";

/**
 * Rules for the hosts to which a stored secret (a secure parameter, an access token) may be sent: hosts that the app's files name literally,
 * and hosts that these files form from values stored together with the secret. Values of a single request (context, values of the form, the
 * remaining part of a verb's URL) never determine such a host.
 */

/** The app's files that name hosts. */
export interface HostsInFiles {
  readonly requests: RequestTemplates;
  /** Absent for an app without verbs. */
  readonly whitelistedDomains?: readonly string[];
}

/** Stored values from which hosts are formed. */
interface StoredValues extends Pick<TemplateSources, "values" | "domain" | "oauthIparams" | "appSettings"> {
  /** Hosts of the account's own API, if the account is a Parley account. */
  readonly ownHosts?: readonly string[];
  /** Values of the domain parameters. */
  readonly domains?: readonly string[];
}

/**
 * Stored names that may fill a variable part of a host. "account": the account's own hosts and the domains of other products, for the key of
 * an account, whatever other addresses are stored with it; "all": every stored name, for any other secret.
 */
export type NameScope = "account" | "all";

export const nameScopeOf = (key: string, iparams: IparamsConfig): NameScope =>
  Object.hasOwn(iparams, key) && iparams[key]?.type === "api_key" ? "account" : "all";

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
  ownHosts: ownApiHosts(domain, domainSuffix),
});

/** A host name or a part of a host name, with an optional port. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d+)?$/;

const withoutScheme = (text: string): string => text.replace(/^https:\/\//i, "").toLowerCase();

/** The host name, or a part of it, in a stored text; the host if the text is a URL. */
const nameIn = (text: string): string | undefined => {
  if (NAME.test(withoutScheme(text))) return withoutScheme(text);
  const host = /^https?:/i.test(text) ? urlOf(text)?.host : urlOf(`https://${text}`)?.host;
  return host !== undefined && NAME.test(host) && !/[@\\%\s]/.test(text) ? host : undefined;
};

const namesIn = (
  { values, domain, ownHosts = [], domains = [] }: StoredValues,
  scope: NameScope,
): ReadonlySet<string> =>
  new Set(
    [domain, ...ownHosts, ...(scope === "account" ? domains : Object.values(values))].flatMap((value) =>
      typeof value === "string" ? (nameIn(value) ?? []) : [],
    ),
  );

const orUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError) return undefined;
    throw error;
  }
};

/** Context keys that a template reads. */
const contextKeys = (text: string): string[] =>
  (orUndefined(() => pathsIn(parseTemplate(text))) ?? []).flatMap(([source, key]) =>
    source === "context" && key !== undefined ? [key] : [],
  );

const EMPTY_SOURCES = { secrets: {}, context: {}, isTrusted: true } as const;
const sourcesOf = (
  { values, domain, oauthIparams = {}, appSettings = {} }: StoredValues,
  context: TemplateSources["context"] = {},
): TemplateSources => ({
  ...EMPTY_SOURCES,
  values,
  domain,
  oauthIparams,
  appSettings,
  context,
});

/**
 * App settings are stored together with each other only, since persons who do not know the settings may change the installation's values.
 * @assumed The host of a setting does not depend on parameters: the app's files name it literally, or form it from settings alone.
 */
export const storedSettings = (appSettings: Readonly<Record<string, string>>): StoredValues => ({
  values: {},
  domain: undefined,
  appSettings,
});

const templateHosts = ({ requests }: HostsInFiles): string[] =>
  Object.values(requests).map(({ schema }) => schema.host);

/** The host of a template, filled in. */
const filledHost = (text: string, sources: TemplateSources): string | undefined => {
  const host = orUndefined(() => fillTemplate(text, "host", sources));
  return host === undefined ? undefined : withoutScheme(host);
};

/**
 * All hosts that the files form from stored values alone; without stored values, the hosts that the files name literally. Verbs may always request the
 * account's own API.
 */
const fixedHosts = (files: HostsInFiles, stored: StoredValues): ReadonlySet<string> =>
  new Set([
    ...templateHosts(files).flatMap((text) => filledHost(text, sourcesOf(stored)) ?? []),
    ...(files.whitelistedDomains === undefined ? [] : (stored.ownHosts ?? [])),
    ...(files.whitelistedDomains ?? []).flatMap((text) => {
      const entry = readEntry(text, sourcesOf(stored));
      return entry?.host.length === 1 ? entry.host : [];
    }),
  ]);

/** The destination of a request, and the template that formed it. */
export interface SecretDestination {
  /** Host of the URL that is sent, with its port unless it is the default port. */
  readonly host: string;
  /** Template text of the host and the context that filled it; absent for requests without a template. */
  readonly template?: { readonly host: string; readonly context: Readonly<Record<string, unknown>> };
}

/** Whether secrets that are stored together with the given values may be sent to a host. */
export const mayReceiveSecrets = (
  { host, template }: SecretDestination,
  files: HostsInFiles,
  stored: StoredValues,
  scope: NameScope = "all",
): boolean => {
  if (fixedHosts(files, stored).has(host)) return true;
  const names = namesIn(stored, scope);
  if (template) {
    const storedNames = Object.entries(template.context).filter(
      ([, text]) => typeof text === "string" && names.has(withoutScheme(text)),
    );
    return filledHost(template.host, sourcesOf(stored, Object.fromEntries(storedNames))) === host;
  }
  const namesAt = (text: string, place: number) =>
    [...names].flatMap((name) => (text.startsWith(name, place) ? [place + name.length] : []));
  return (files.whitelistedDomains ?? []).some((text) => {
    const entry = readEntry(text, sourcesOf(stored));
    return (
      entry !== undefined &&
      (matchesWildcard(entry.host, host, namesAt) || (names.has(host) && matchesWildcard(entry.host, host)))
    );
  });
};

/** Hosts in which any stored name may appear, by context or by a wildcard, formed with the given name. */
const variableHosts = (files: HostsInFiles, stored: StoredValues, name: string): string[] => [
  ...templateHosts(files).flatMap((text) => {
    const keys = contextKeys(text);
    const context = Object.fromEntries(keys.map((key) => [key, name]));
    return keys.length === 0 ? [] : (filledHost(text, sourcesOf(stored, context)) ?? []);
  }),
  ...(files.whitelistedDomains ?? []).flatMap((text) => {
    const { host } = readEntry(text, sourcesOf(stored)) ?? {};
    return host === undefined || host.length === 1 ? [] : host.join(name);
  }),
];

/** The part of the files that can send the secret. */
const filesFor = (key: string, { requests, whitelistedDomains }: HostsInFiles, from = "iparam"): HostsInFiles => {
  const reads = (text: string) =>
    (orUndefined(() => pathsIn(parseTemplate(text))) ?? []).some(([source, name]) => source === from && name === key);
  const sending = Object.entries(requests).filter(([, { schema }]) => {
    const headers = Object.values(schema.headers ?? {});
    return [...headers, schema.host, schema.path ?? "", ...Object.values(schema.query ?? {})].some(reads);
  });
  return { requests: Object.fromEntries(sending), ...(whitelistedDomains && { whitelistedDomains }) };
};

/**
 * Returns a host to which a secret could be sent with the new values but not with the values that it was stored with, or undefined. A person who
 * changes the values need not know the secret, which then has to be entered again.
 */
export const newSecretHost = (
  key: string,
  allFiles: HostsInFiles,
  before: StoredValues,
  after: StoredValues,
  scope: NameScope = "all",
): string | undefined => {
  const files = filesFor(key, allFiles);
  const knownHosts = new Set([
    ...fixedHosts(allFiles, before),
    ...fixedHosts(allFiles, { values: {}, domain: undefined }),
  ]);
  const names = namesIn(before, scope);
  const hosts = [
    ...fixedHosts(files, after),
    ...[...namesIn(after, scope)]
      .filter((name) => !names.has(name))
      .flatMap((name) => variableHosts(files, after, name)),
  ];
  // Requests are never sent to a single label.
  return hosts.find((host) => !knownHosts.has(host) && host.includes(".") && NAME.test(host));
};

/** Returns a host to which an app setting could be sent with the new settings but not with the settings that it was stored with, or undefined. */
export const newSettingHost = (
  key: string,
  allFiles: HostsInFiles,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string | undefined => {
  const knownHosts = fixedHosts(allFiles, storedSettings(before));
  const hosts = fixedHosts(filesFor(key, allFiles, "app_settings"), storedSettings(after));
  return [...hosts].find((host) => !knownHosts.has(host));
};
