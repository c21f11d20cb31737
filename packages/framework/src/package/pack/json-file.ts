import { applyEdits, findNodeAtLocation, modify, parseTree, type JSONPath } from "jsonc-parser";
import { matchesSchema, IparamsConfig, IPARAM_TYPES, type Iparam, type IparamType } from "@parley/contract";
import type { Finding } from "../../model/finding.ts";
import { parseAppJson } from "../../model/json.ts";
import { createFinding } from "../../model/rules.ts";
import { textFile, readPackedText, type PackedFile } from "../files/app-file.ts";
import { APP_SETTINGS_FILE } from "../load/app-settings.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import { domainForms, type DomainForms } from "../../model/iparams/domain-form.ts";
import { patternsOf } from "../../model/iparams/pattern.ts";
import { otherProduct } from "../../model/templates/account-host.ts";

const SCHEMA = "$schema";
export const IPARAMS_FILE = "config/iparams.json";

const hasMember = (text: string, path: readonly string[]): boolean => {
  const tree = parseTree(text);
  return tree !== undefined && findNodeAtLocation(tree, [...path]) !== undefined;
};

/** Removes a member, also if its key occurs more than once. All other text is preserved. */
const withoutMember = (text: string, path: readonly string[]): string =>
  hasMember(text, path) ? withoutMember(applyEdits(text, modify(text, [...path], undefined, {})), path) : text;

/** Keys of secure parameters with a default, which must not be disclosed in a package. */
const secureDefaults = (json: unknown): string[] =>
  matchesSchema(IparamsConfig, json)
    ? Object.entries(json).flatMap(([key, { secure, default_value }]) =>
        secure && default_value !== undefined ? [key] : [],
      )
    : [];

/**
 * Packs a JSON file unchanged, except for members that are meant for editors or are secret.
 * @assumed The default value of a secure parameter is left out of a package, with a warning.
 */
export async function jsonFile(
  folder: string,
  path: string,
): Promise<{ readonly file: PackedFile; readonly findings: readonly Finding[] }> {
  const original = await readPackedText(folder, path);
  const read = parseAppJson(path, original);
  if ("findings" in read) return { file: textFile(path, original), findings: read.findings };
  const text = withoutMember(original, [SCHEMA]);
  const secrets = path === IPARAMS_FILE ? secureDefaults(read.value) : [];
  return {
    file: textFile(
      path,
      secrets.reduce((remaining, key) => withoutMember(remaining, [key, "default_value"]), text),
    ),
    findings: secrets.map((key) => createFinding("pack-secure-default", path, { key })),
  };
}

/** Destination of a package: Parley, or other app hosts (`field`), which accept fewer declarations. */
export const PACK_TARGETS = ["parley", "field"] as const;
export type PackTarget = (typeof PACK_TARGETS)[number];

/** A JSON file without the members that other app hosts refuse, and warnings about the changes. */
export interface FieldJson {
  readonly file: PackedFile;
  readonly findings: readonly Finding[];
}

const WHITELIST = "whitelisted-domains";
/** From this version on, other app hosts use request templates instead of `whitelisted-domains`. */
const FIRST_WITHOUT_WHITELIST = "2.3";

const objectIn = (path: string, text: string): Readonly<Record<string, unknown>> => {
  const read = parseAppJson(path, text);
  const value: unknown = "findings" in read ? {} : read.value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
};

/**
 * Removes `whitelisted-domains` from 2.3 on, where only Parley uses it, for the app's own HTTP calls. Engines are left to the author: Parley runs
 * every app with its own Node, and does not know which versions another host has.
 */
export const fieldManifest = (file: PackedFile): FieldJson => {
  const text = Buffer.from(file.bytes).toString("utf8");
  const { "platform-version": version, [WHITELIST]: domains, engines } = objectIn(MANIFEST_FILE, text);
  const enginesFindings = engines === undefined ? [createFinding("pack-field-engines", MANIFEST_FILE, {})] : [];
  if (domains === undefined || typeof version !== "string" || version < FIRST_WITHOUT_WHITELIST)
    return { file, findings: enginesFindings };
  return {
    file: textFile(MANIFEST_FILE, applyEdits(text, modify(text, [WHITELIST], undefined, {}))),
    findings: [...enginesFindings, createFinding("pack-field-whitelist", MANIFEST_FILE, { version })],
  };
};

/** Declares every app setting by `{}`, as other app hosts require. */
export const fieldAppSettings = (file: PackedFile): FieldJson => {
  const text = Buffer.from(file.bytes).toString("utf8");
  const described = Object.entries(objectIn(APP_SETTINGS_FILE, text)).flatMap(([key, declaration]) =>
    Object.keys(declaration ?? {}).length > 0 ? [key] : [],
  );
  return {
    file: textFile(
      APP_SETTINGS_FILE,
      described.reduce((remaining, key) => applyEdits(remaining, modify(remaining, [key], {}, {})), text),
    ),
    findings: described.map((key) => createFinding("pack-field-setting", APP_SETTINGS_FILE, { key })),
  };
};

/** Changed members of a parameter; undefined removes a member. */
type Change = { readonly [Member in keyof Iparam]?: Iparam[Member] | undefined };

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const HOST_PATTERN = {
  host: `^(?:${LABEL}\\.)+[A-Za-z]{2,63}$`,
  "host-error": "Write the whole host, such as acme.example.com: without https:// and without a path.",
};
const ACCOUNT_NAME_PATTERN = {
  name: `^${LABEL}$`,
  "name-error": "Write the account's name only: letters, digits and hyphens.",
};

/** Expression for the format of each type, which a `regex` replaces on other app hosts. */
const FORMAT_PATTERNS: Readonly<Record<IparamType, string | undefined>> = {
  text: undefined,
  paragraph: undefined,
  dropdown: undefined,
  radio: undefined,
  checkbox: undefined,
  multiselect: undefined,
  domain: undefined,
  api_key: undefined,
  email: "^[^\\s@]+@[^\\s@.]+(?:\\.[^\\s@.]+)+$",
  number: "^-?\\d{1,10}$",
  phone_number: "^\\+?\\(?\\d[\\d ().-]{6,}$",
  date: "^\\d{4}-\\d{2}-\\d{2}$",
  url: "^[Hh][Tt][Tt][Pp][Ss]?://\\S+$",
};

/** Converts a domain to a text parameter. Its value, also in the callback, is the value that the app receives here. */
const asText = (iparam: Iparam, isName: boolean): Change => ({
  type: "text",
  type_attributes: undefined,
  description: [iparam.description, isName ? ACCOUNT_NAME_PATTERN["name-error"] : HOST_PATTERN["host-error"]]
    .filter(Boolean)
    .join(" "),
  regex: { ...iparam.regex, ...(isName ? ACCOUNT_NAME_PATTERN : HOST_PATTERN) },
});

/** Joins all expressions into an expression that requires each of them, because other app hosts accept a value that matches any. */
const joinedPattern = ({ type, regex, required = false }: Iparam): Change => {
  const patterns = patternsOf(regex);
  const own = FORMAT_PATTERNS[type];
  if (patterns.length === 0 || (patterns.length === 1 && own === undefined)) return {};
  const all = [...(own === undefined ? [] : [own]), ...patterns.map(({ expression }) => expression)];
  const each = all.map((expression) => `(?=[\\s\\S]*?(?:${expression}))`).join("");
  const messages = [...new Set(patterns.flatMap(({ message }) => message ?? []))];
  return {
    regex: {
      // Expressions do not apply to an empty value.
      all: required ? `^${each}` : `^(?:\\s*$|${each})`,
      "all-error": messages.join(" ") || "This value has not the right form.",
    },
  };
};

const addedDefault = ({ type, options = [], default_value }: Iparam): Change => {
  const { options: hasOptions, holds } = IPARAM_TYPES[type];
  if (!hasOptions || default_value !== undefined) return {};
  const [first] = options;
  return holds === "list" ? { default_value: [] } : first === undefined ? {} : { default_value: first };
};

/** Other app hosts have no sections. */
const withoutSection = ({ type_attributes: { section, ...rest } = {} }: Iparam): Change =>
  section === undefined ? {} : { type_attributes: Object.keys(rest).length > 0 ? rest : undefined };

const isExpression = (expression: string): boolean => {
  try {
    new RegExp(expression);
    return true;
  } catch {
    return false;
  }
};

/**
 * Converts config/iparams.json for the target `field`: no domain of the chat product, one expression per parameter, a default for each choice,
 * no sections. All other text is preserved.
 * @assumed The default of a choice without one is its first option, or an empty list for a multiple choice.
 */
export function fieldIparams({ path, bytes }: PackedFile, project: DomainForms): FieldJson {
  const forms = domainForms(project);
  const findings: Finding[] = [];
  let text = Buffer.from(bytes).toString("utf8");
  const set = (at: JSONPath, value: unknown) => {
    text = applyEdits(text, modify(text, at, value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));
  };
  for (const [key, iparam] of Object.entries(project.iparams)) {
    const isDomain = iparam.type === "domain" && otherProduct(iparam) === undefined;
    const replaced = isDomain ? asText(iparam, forms.get(key)?.isLabel ?? false) : {};
    const regex = joinedPattern({ ...iparam, ...replaced });
    const chosen = addedDefault(iparam);
    for (const [member, value] of Object.entries({ ...withoutSection(iparam), ...replaced, ...regex, ...chosen }))
      if (value !== undefined || member in iparam) set([key, member], value);
    if (isDomain) findings.push(createFinding("pack-field-domain", path, { key }));
    if (regex.regex) {
      const isValid = isExpression(regex.regex["all"] ?? "");
      findings.push(createFinding(isValid ? "pack-field-regex" : "pack-field-regex-broken", path, { key }));
    }
    if (chosen.default_value !== undefined)
      findings.push(createFinding("pack-field-default", path, { key, value: JSON.stringify(chosen.default_value) }));
  }
  return { file: textFile(path, text), findings };
}
