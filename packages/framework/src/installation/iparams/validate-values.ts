import type { InstallBasis, IparamAttributes, IparamValue, IparamValues } from "@parley/contract";
import { attributesFault, withAttributes } from "./attributes.ts";
import { formEntryOf, storedValueOf, type IparamField } from "./fields.ts";
import { matchesPattern, newMatchBudget } from "./pattern.ts";
import { isEmpty, requiredFault, typeFault, type FormEntry } from "./validate-value.ts";

/** What was stored before, without the secure values themselves. */
export interface StoredIparams {
  readonly values: IparamValues;
  readonly secure: ReadonlySet<string>;
}

/** Values as they came, by key; `attributes` is what callbacks made of the form. */
export interface SubmittedIparams {
  readonly values: Readonly<Record<string, unknown>>;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Keys of secure values that are stored no longer. */
  readonly removed?: readonly string[];
  /** What the person saw; left out by whoever means to replace what is there. */
  readonly basis?: InstallBasis | undefined;
}

export interface CheckedIparams {
  /** By key; empty when everything may be kept. */
  readonly errors: Readonly<Record<string, string>>;
  readonly values: IparamValues;
  /** Secure values that were given anew. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Keys of secure values that stay as they are stored. */
  readonly kept: readonly string[];
}

/** A key may be called like something that every object inherits. */
const own = <V>(record: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/**
 * What the parameter's own expressions say against an entry.
 * @assumed an empty value is not held against them; one that is too long to be matched in time is refused
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
 * The field as the page's callbacks left it.
 * @assumed Whether a parameter is shown, required, limited or given other options is taken from the page: only callbacks know, and
 * they run there. It can't lift the check of a type or of an expression.
 */
const asShown = (field: IparamField, attributes: SubmittedIparams["attributes"] = {}): IparamField => {
  const set = own(attributes, field.key);
  return set === undefined || attributesFault(field.key, field.type, set) !== undefined
    ? field
    : withAttributes(field, set as IparamAttributes);
};

/**
 * Whether a caller left a secure value as it is.
 * @assumed Nothing stands for the stored value of a checkbox: only a ticked one is stored, so that it is shown ticked.
 */
const isUntouched = ({ type, secure }: IparamField, raw: unknown, entry: FormEntry): boolean =>
  secure && (raw === undefined || (type !== "checkbox" && isEmpty(entry)));

/** Entry of a field that the caller left out: what is stored, else the default. */
const untouched = (field: IparamField, stored: StoredIparams | undefined): FormEntry =>
  (stored && formEntryOf(field.type, own(stored.values, field.key))) ?? field.initial;

const secretOf = (value: IparamValue): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Checks all values by type, expressions and necessity; an empty secure value stands for the stored one. */
export const checkIparamValues = (
  fields: readonly IparamField[],
  given: SubmittedIparams,
  stored: StoredIparams | undefined,
  suffix: string,
): CheckedIparams => {
  const errors: Record<string, string> = {};
  const values: Record<string, IparamValue> = {};
  const secrets: Record<string, string> = {};
  const kept: string[] = [];
  const budget = newMatchBudget();
  for (const key of Object.keys(given.values)) {
    if (!fields.some((field) => field.key === key)) errors[key] = `No installation parameter matches '${key}'.`;
  }
  for (const declared of fields) {
    const field = asShown(declared, given.attributes);
    const { key, type, secure } = field;
    const isRemoved = secure && (given.removed?.includes(key) ?? false);
    const raw = isRemoved ? "" : own(given.values, key);
    const entry = raw === undefined ? untouched(field, stored) : formEntryOf(type, raw);
    if (entry === undefined) {
      errors[key] = `This value has not the kind of a ${type}.`;
      continue;
    }
    if (!isRemoved && stored?.secure.has(key) && isUntouched(field, raw, entry)) {
      kept.push(key);
      continue;
    }
    const fault =
      requiredFault(entry, field) ?? typeFault(entry, field, suffix) ?? patternsFault(entry, field, suffix, budget);
    if (fault !== undefined) errors[key] = fault;
    else if (!secure) values[key] = storedValueOf(field, entry, suffix);
    else if (!isEmpty(entry)) secrets[key] = secretOf(storedValueOf(field, entry, suffix));
  }
  return { errors, values, secrets, kept };
};
