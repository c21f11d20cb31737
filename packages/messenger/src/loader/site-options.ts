import type { ShownLook } from "@parley/contract";
import type { PanelOptions, PanelProfile } from "../bridge/bridge.ts";
import { complain } from "./replies.ts";
import type { ScriptSource } from "./script-source.ts";

/** An object that a page gave, unchecked. */
export type SiteObject = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): SiteObject =>
  typeof value === "object" && value !== null ? (value as SiteObject) : {};

/** -> text of a value; undefined for values that pages give in place of an absent one */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value.trim() || undefined;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : undefined;
};

/** -> a copy that messages between windows can contain: without functions and elements */
const plainCopy = (value: SiteObject): SiteObject => {
  try {
    return JSON.parse(JSON.stringify(value)) as SiteObject;
  } catch {
    complain("config must consist of plain values. It is ignored.");
    return {};
  }
};

/** What a page sets by `init`, `setProperties` and their like. */
export interface SiteProperties {
  readonly externalId?: string | undefined;
  readonly restoreId?: string | undefined;
  readonly locale?: string | undefined;
  readonly profile: PanelProfile;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;

const emailOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  if (text === undefined || EMAIL.test(text)) return text;
  complain(`${JSON.stringify(text)} is no e-mail address. It is ignored.`);
  return undefined;
};

/** The country code precedes a number that has none. */
const phoneOf = (phone: unknown, countryCode: unknown): string | undefined => {
  const [number, code] = [textOf(phone), textOf(countryCode)];
  if (number === undefined || code === undefined || number.startsWith("+")) return number;
  return `+${code.replace(/^\+|^00/, "")}${number}`;
};

const propertiesOf = (values: SiteObject) =>
  Object.entries(values).flatMap(([name, value]) => {
    const text = textOf(value);
    return text === undefined || name === "" ? [] : [{ name, value: text }];
  });

const present = <T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

/** Reads properties of a user. @shape hasProperties: whether every other member becomes a property, as those of `meta` do */
export const readProperties = (input: unknown, hasProperties = true): SiteProperties => {
  const { externalId, restoreId, locale, firstName, lastName, email, phone, ...others } = objectOf(input);
  const { phoneCountryCode, phoneCountry, meta, jwtAuthToken: _token, ...rest } = others;
  const properties = propertiesOf({ ...(hasProperties && rest), ...objectOf(meta) });
  return {
    externalId: textOf(externalId),
    restoreId: textOf(restoreId),
    locale: textOf(locale),
    profile: present<PanelProfile>({
      first_name: textOf(firstName),
      last_name: textOf(lastName),
      email: emailOf(email),
      phone: phoneOf(phone, phoneCountryCode ?? phoneCountry),
      properties: properties.length > 0 ? properties : undefined,
    }),
  };
};

/** A later property replaces an earlier property of the same name. */
export const mergeProfiles = (former: PanelProfile, latter: PanelProfile): PanelProfile => {
  const properties = new Map(
    [...(former.properties ?? []), ...(latter.properties ?? [])].map((each) => [each.name, each]),
  );
  return { ...former, ...latter, ...(properties.size > 0 && { properties: [...properties.values()] }) };
};

/** Merges objects of `config`, level by level. */
export const mergeConfig = (former: SiteObject, latter: SiteObject): SiteObject => ({
  ...former,
  ...Object.fromEntries(
    Object.entries(plainCopy(latter)).map(([name, value]) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      return [name, isObject ? mergeConfig(objectOf(former[name]), value as SiteObject) : value];
    }),
  ),
});

export const readTags = (tags: unknown): readonly string[] =>
  (Array.isArray(tags) ? tags : [tags]).flatMap((tag) => textOf(tag) ?? []);

/** Everything that a page decides, in the form of the service. */
export interface SiteOptions {
  /** Address of the service. */
  readonly base: string;
  readonly account?: string | undefined;
  readonly alias?: string | undefined;
  readonly nonce?: string | undefined;
  readonly opensAtOnce: boolean;
  readonly onLoad?: unknown;
  /** What the panel receives when it is loaded. Calls change it. */
  readonly panel: PanelOptions & {
    readonly profile: PanelProfile;
    readonly config: SiteObject;
    readonly look: ShownLook;
  };
}

/** -> address of a service that the page names by its host; undefined for a text that names no host */
const baseOf = (host: unknown): string | undefined => {
  const text = textOf(host)?.replace(/\/+$/, "");
  return text && /^(?:https?:)?\/\/|^[^/]+$/.test(text) ? text.replace(/^(?!https?:)(?:\/\/)?/, "https://") : undefined;
};

/**
 * Reads the options of `init`. The address of the script precedes the option `host`, which a page may still have from another service.
 * @errors complains, and returns undefined, when neither names a service
 */
export const readOptions = (input: unknown, source: ScriptSource): SiteOptions | undefined => {
  const options = objectOf(input);
  const base = source.base ?? baseOf(options["host"]);
  if (base === undefined) {
    complain(
      "The address of the service is unknown. Pass it to init as the option host, such as https://chat.example.com.",
    );
    return undefined;
  }
  const { profile, ...identity } = readProperties(options, false);
  const jwtAuthToken = textOf(options["jwtAuthToken"]);
  return {
    base,
    account: textOf(options["account"]) ?? source.account,
    alias: source.alias ?? textOf(options["token"]) ?? textOf(options["siteId"]) ?? textOf(options["widgetUuid"]),
    nonce: textOf(options["cspNonce"]) ?? source.nonce,
    opensAtOnce: options["open"] === true,
    onLoad: options["onLoad"],
    panel: {
      ...identity,
      ...(jwtAuthToken !== undefined && { signedToken: jwtAuthToken }),
      ...(options["tags"] !== undefined && { tags: readTags(options["tags"]) }),
      profile,
      config: mergeConfig({}, objectOf(options["config"])),
      look: {},
    },
  };
};
