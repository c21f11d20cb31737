import { isObject, type IparamAttributes, type IparamControl } from "@parley/contract";
import type { IparamRule } from "./validate-value.ts";

/** An attribute of `utils.set`: a description of its values, their check, and the types that have it. */
interface Row {
  readonly takes: string;
  readonly fits: (value: unknown, control: IparamControl) => boolean;
  /** Controls of the types that have the attribute; all when absent. */
  readonly controls?: readonly IparamControl[];
}

const isText = (value: unknown): value is string => typeof value === "string";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Whether a callback may set a value, by the control of the parameter. */
const IS_VALID_VALUE: Readonly<Record<IparamControl, (value: unknown) => boolean>> = {
  line: isText,
  paragraph: isText,
  domain: isText,
  dropdown: isText,
  radio: isText,
  number: (value) => isText(value) || isNumber(value),
  checkbox: (value) => isBoolean(value) || value === "true" || value === "false",
  multiselect: isTexts,
};

const text: Row = { takes: "a string", fits: isText };
const boolean: Row = { takes: "true or false", fits: isBoolean };
const limit: Row = { takes: "a number", fits: isNumber, controls: ["number"] };

const ROWS: Readonly<Record<keyof IparamAttributes, Row>> = {
  value: {
    takes: "a string, an array of strings for a multiselect, true or false for a checkbox",
    fits: (value, control) => IS_VALID_VALUE[control](value),
  },
  label: text,
  visible: boolean,
  disabled: boolean,
  required: boolean,
  hint: text,
  values: { takes: "an array of strings", fits: isTexts, controls: ["radio", "multiselect", "dropdown"] },
  min: limit,
  max: limit,
};

/**
 * -> the problem of the attributes that a callback sets on a parameter of this type; undefined without a problem
 * @assumed A number accepts a number as well as its digits, a checkbox a boolean.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const attributesFault = (
  key: string,
  { type, control }: Pick<IparamRule, "type" | "control">,
  input: unknown,
): string | undefined => {
  if (!isObject(input)) {
    return `utils.set: the attributes of '${key}' should be an object.`;
  }
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(ROWS, name)) {
      return `utils.set: '${name}' is not an attribute; the attributes are ${Object.keys(ROWS).join(", ")}.`;
    }
    const row = ROWS[name as keyof IparamAttributes];
    if (row.controls && !row.controls.includes(control)) {
      return `utils.set: '${name}' applies to ${row.controls.join(", ")}; '${key}' is of type ${type}.`;
    }
    if (!row.fits(value, control)) return `utils.set: '${name}' of '${key}' should be ${row.takes}.`;
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
