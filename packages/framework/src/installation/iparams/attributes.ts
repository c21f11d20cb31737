import { isObject, IPARAM_TYPES, iparamTypeOf, type IparamAttributes, type IparamType } from "@parley/contract";
import type { IparamRule } from "./validate-value.ts";

/** An attribute of `utils.set`: a description of its values, their check, and the types that have it. */
interface Row {
  readonly takes: string;
  readonly fits: (value: unknown, type: IparamType) => boolean;
  readonly types?: readonly IparamType[];
}

const isText = (value: unknown): value is string => typeof value === "string";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Whether a callback may set a value, by the JSON type that the parameter holds. */
const VALUE_FITS = {
  text: isText,
  number: (value: unknown) => isText(value) || isNumber(value),
  boolean: (value: unknown) => isBoolean(value) || value === "true" || value === "false",
  list: isTexts,
} as const;

/** In the order in which the message lists them. */
const CHOICE_TYPES = (Object.keys(IPARAM_TYPES) as IparamType[])
  .filter((type) => IPARAM_TYPES[type].options)
  .sort()
  .reverse();

const text: Row = { takes: "a string", fits: isText };
const boolean: Row = { takes: "true or false", fits: isBoolean };
const limit: Row = { takes: "a number", fits: isNumber, types: ["number"] };

const ROWS: Readonly<Record<keyof IparamAttributes, Row>> = {
  value: {
    takes: "a string, an array of strings for a multiselect, true or false for a checkbox",
    fits: (value, type) => VALUE_FITS[iparamTypeOf(type).holds](value),
  },
  label: text,
  visible: boolean,
  disabled: boolean,
  required: boolean,
  hint: text,
  values: { takes: "an array of strings", fits: isTexts, types: CHOICE_TYPES },
  min: limit,
  max: limit,
};

/**
 * -> the problem of the attributes that a callback sets on a parameter of this type; undefined for none
 * @assumed A number accepts a number as well as its digits, a checkbox a boolean.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const attributesFault = (key: string, type: IparamType, given: unknown): string | undefined => {
  if (!isObject(given)) {
    return `utils.set: the attributes of '${key}' should be an object.`;
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(ROWS, name)) {
      return `utils.set: '${name}' is not an attribute; the attributes are ${Object.keys(ROWS).join(", ")}.`;
    }
    const row = ROWS[name as keyof IparamAttributes];
    if (row.types && !row.types.includes(type)) {
      return `utils.set: '${name}' applies to ${row.types.join(", ")}; '${key}' is of type ${type}.`;
    }
    if (!row.fits(value, type)) return `utils.set: '${name}' of '${key}' should be ${row.takes}.`;
  }
  return undefined;
};

/** The rule with the attributes that a callback has set. */
export const withAttributes = <R extends IparamRule>(
  rule: R,
  { required, visible, values, min, max }: IparamAttributes,
): R => ({
  ...rule,
  ...(required === undefined ? {} : { required }),
  ...(visible === undefined ? {} : { visible }),
  ...(values === undefined ? {} : { options: values }),
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});
