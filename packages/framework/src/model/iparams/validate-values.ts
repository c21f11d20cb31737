import {
  type InstallBasis,
  type IparamAttributes,
  type IparamValue,
  type IparamValues,
  isObject,
} from "@parley/contract";
import { attributesFault, withAttributes } from "./attributes.ts";
import { formEntryOf, storedValueOf, type IparamField } from "./fields.ts";
import { matchesPattern, newMatchBudget } from "./pattern.ts";
import { isEmpty, requiredFault, typeFault, type FormEntry } from "./validate-value.ts";
import { SECURE_MASK } from "./iparam-terms.ts";

/** The stored values, without secure values. */
export interface StoredIparams {
  readonly values: IparamValues;
  readonly secure: ReadonlySet<string>;
}

/** Unvalidated values by key; `attributes` contains the changes of callbacks to the form. */
export interface SubmittedIparams {
  readonly values: Readonly<Record<string, unknown>>;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Keys of secure values that must be removed. */
  readonly removed?: readonly string[];
  /** The installation that the person saw; omitted to replace any installation. */
  readonly basis?: InstallBasis | undefined;
  /** The values are checked only: nothing is stored, and the app is not called. */
  readonly checks_only?: boolean | undefined;
}

export interface CheckedIparams {
  /** By key; empty if all values are valid. */
  readonly errors: Readonly<Record<string, string>>;
  readonly values: IparamValues;
  /** New secure values. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Keys of secure values that remain as they are stored. */
  readonly keptKeys: readonly string[];
}

/** A key may equal the name of an inherited member. */
const own = <V>(record: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/**
 * The message for an entry that does not match the parameter's expressions.
 * @assumed an empty value is not matched; one that is too long to be matched in time is refused
 */
export const patternsFault = (
  entry: FormEntry,
  field: IparamField,
  suffix: string,
  budget = newMatchBudget(),
): string | undefined => {
  if (typeof entry === "boolean" || isEmpty(entry)) return undefined;
  const texts = [storedValueOf(field, entry, suffix)].flat().map(String);
  for (const { expression, message = "This value has not the right form." } of field.patterns)
    for (const text of texts) {
      const found = matchesPattern(expression, text, budget);
      if (found === false) return message;
      if (found !== true) return `This value is too long to be checked: use at most ${found} characters.`;
    }
  return undefined;
};

/**
 * The field with the changes of the page's callbacks.
 * @assumed Visibility, necessity, limits and options are taken from the page: only callbacks know them, and they run there. The page can't
 * disable the check of a type or of an expression.
 */
const asShown = (field: IparamField, attributes: SubmittedIparams["attributes"] = {}): IparamField => {
  const set = own(attributes, field.key);
  return set === undefined || attributesFault(field.key, field, set) !== undefined
    ? field
    : withAttributes(field, set as IparamAttributes);
};

/**
 * Whether a caller left a secure value unchanged.
 * @assumed The stored value of a checkbox has no placeholder: only a ticked one is stored, and it is shown ticked.
 */
const isUntouched = ({ type, secure }: IparamField, raw: unknown, entry: FormEntry): boolean =>
  secure && (raw === undefined || (type !== "checkbox" && isEmpty(entry)));

/** Entry of a field that the caller omitted: the stored value, or the default. */
const untouched = (field: IparamField, stored: StoredIparams | undefined): FormEntry =>
  (stored && formEntryOf(field.type, own(stored.values, field.key))) ?? field.initial;

const secretOf = (value: IparamValue): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Validates all values by type, expression and necessity; an empty secure value stands for the stored value. */
export const checkIparamValues = (
  fields: readonly IparamField[],
  input: SubmittedIparams,
  stored: StoredIparams | undefined,
  suffix: string,
): CheckedIparams => {
  const errors: Record<string, string> = {};
  const values: Record<string, IparamValue> = {};
  const secrets: Record<string, string> = {};
  const keptKeys: string[] = [];
  const budget = newMatchBudget();
  for (const key of Object.keys(input.values)) {
    if (!fields.some((field) => field.key === key)) errors[key] = `No installation parameter matches '${key}'.`;
  }
  for (const declared of fields) {
    const field = asShown(declared, input.attributes);
    const { key, type, secure } = field;
    const isRemoved = secure && (input.removed?.includes(key) ?? false);
    const raw = isRemoved ? "" : own(input.values, key);
    const entry = raw === undefined ? untouched(field, stored) : formEntryOf(type, raw);
    if (entry === undefined) {
      errors[key] = `This value is not of the type ${type}.`;
      continue;
    }
    if (!isRemoved && stored?.secure.has(key) && isUntouched(field, raw, entry)) {
      keptKeys.push(key);
      continue;
    }
    const fault =
      requiredFault(entry, field) ?? typeFault(entry, field, suffix) ?? patternsFault(entry, field, suffix, budget);
    if (fault !== undefined) errors[key] = fault;
    else if (!secure) values[key] = storedValueOf(field, entry, suffix);
    else if (!isEmpty(entry)) secrets[key] = secretOf(storedValueOf(field, entry, suffix));
  }
  return { errors, values, secrets, keptKeys };
};

/** Member in which a custom page describes its values. */
const META = "__meta";
/** Maximum size of all values. @assumed more than twice the limit of a value of `$db` @units characters of JSON */
const VALUES_CHARACTERS_MAX = 100_000;

/** `fault`: why the values of the custom page can't be stored, for the app's author. */
type CheckedOwnValues = CheckedIparams | { readonly fault: string };

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** The problem of the page's description of its values. */
const metaFault = (meta: unknown): string | undefined => {
  if (!isObject(meta)) return "__meta should be an object.";
  const { secure = [], modules = {} } = meta;
  if (!isTexts(secure)) return "__meta.secure should be an array of keys.";
  if (!isObject(modules) || !Object.values(modules).every(isTexts))
    return "__meta.modules should hold an array of keys for each module.";
  return undefined;
};

const keyFault = (keys: readonly string[]): string | undefined =>
  keys.some((key) => key.trim() === "" || key === "__proto__") ? "A key should be a non-empty string." : undefined;

const isKept = (value: unknown) => value === undefined || value === null || value === "" || value === SECURE_MASK;
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value.trim()];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/**
 * The problem of a value in `__meta.secure`: written as `[password]` in place of `["password"]`, it would be stored under its key in the open. The
 * message does not repeat the value.
 * @assumed A key that the page does not return is not a problem: public apps name keys of fields that they no longer have.
 */
const secureKeysFault = (keys: readonly string[], returned: Readonly<Record<string, unknown>>): string | undefined => {
  const texts = new Set(textsIn(returned));
  return keys.some((key) => !Object.hasOwn(returned, key) && texts.has(key.trim()))
    ? `__meta.secure has a returned value in place of its key. Write the key as a text, such as ["password"].`
    : undefined;
};

/**
 * Validates the result of `postConfigs()` of a custom page.
 * @assumed A secure value that is empty or equals its mask keeps the stored value. `__meta.modules` is validated and not stored: an
 * installation has one set of parameters. All values together may have 100,000 characters as JSON.
 */
export const checkOwnValues = (
  submitted: Readonly<Record<string, unknown>>,
  stored: StoredIparams | undefined,
): CheckedOwnValues => {
  const { [META]: meta = {}, ...rest } = submitted;
  const fault = metaFault(meta) ?? keyFault(Object.keys(rest));
  if (fault !== undefined) return { fault: `postConfigs(): ${fault}` };
  if (JSON.stringify(rest).length > VALUES_CHARACTERS_MAX)
    return { fault: `postConfigs(): the values take more than ${VALUES_CHARACTERS_MAX} characters as JSON.` };
  const secureKeys = new Set((meta as { secure?: string[] }).secure);
  const secureFault = secureKeysFault([...secureKeys], rest);
  if (secureFault !== undefined) return { fault: `postConfigs(): ${secureFault}` };
  const values: Record<string, IparamValues[string]> = {};
  const secrets: Record<string, string> = {};
  const keptKeys: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    if (!secureKeys.has(key)) values[key] = value as IparamValues[string];
    else if (isKept(value) && stored?.secure.has(key)) keptKeys.push(key);
    else if (!isKept(value) || value === SECURE_MASK) secrets[key] = textOf(value);
  }
  // A key that the page omits has no new value, like an empty value.
  const absent = [...secureKeys].filter((key) => !Object.hasOwn(rest, key) && stored?.secure.has(key));
  return { errors: {}, values, secrets, keptKeys: [...keptKeys, ...absent] };
};
