import { isObject, type IparamValues } from "@parley/contract";
import type { CheckedIparams, StoredIparams } from "../iparams/validate-values.ts";
import { SECURE_MASK } from "../../values/iparam-terms.ts";

/** Member in which a custom page describes its values. */
const META = "__meta";
/** Maximum size of all values. @assumed more than twice the limit of a value of `$db` @units characters of JSON */
const maxValuesCharacters = 100_000;

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
  if (JSON.stringify(rest).length > maxValuesCharacters)
    return { fault: `postConfigs(): the values take more than ${maxValuesCharacters} characters as JSON.` };
  const secureKeys = new Set((meta as { secure?: string[] }).secure);
  const values: Record<string, IparamValues[string]> = {};
  const secrets: Record<string, string> = {};
  const keptKeys: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    if (!secureKeys.has(key)) values[key] = value as IparamValues[string];
    else if (isKept(value) && stored?.secure.has(key)) keptKeys.push(key);
    else if (!isKept(value) || value === SECURE_MASK) secrets[key] = textOf(value);
  }
  // A key that the page omits has no new value, like an empty one.
  const absent = [...secureKeys].filter((key) => !Object.hasOwn(rest, key) && stored?.secure.has(key));
  return { errors: {}, values, secrets, keptKeys: [...keptKeys, ...absent] };
};
