import type { FieldSetting, FieldType } from "@parley/contract";
import { ADMIN_VALUES } from "../contract-values.ts";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { choiceRows, choiceSettings, choicesProblem, newChoice, type ChoiceRow } from "./choices.ts";
import { FIELD_SCHEMA } from "./contract-values.ts";
import { fieldMessages as texts } from "./messages.ts";

/** The property that every account in a suite has. Its name, type and choices are fixed. */
export const PRIORITY = "priority";

/** Whether a value is chosen from choices. */
const hasChoices = (type: FieldType): boolean => type === "DROPDOWN" || type === "MULTI_SELECT_DROPDOWN";

/** Values of the form of a property. */
export interface FieldValues {
  readonly label: string;
  /** Its name in the API; empty: the name that `nameFor` makes from the label. */
  readonly name: string;
  readonly type: FieldType;
  readonly choices: readonly ChoiceRow[];
  readonly required: boolean;
  readonly editable: boolean;
}

const { field_name_characters: slugMax } = ADMIN_VALUES.accountLimits;

/** Letters that have no form without a mark in Unicode. */
const LETTERS: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" };

const slugOf = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[ßæøœłđı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^_+/, "")
    .slice(0, slugMax)
    .replace(/_+$/, "");

/**
 * -> the name of a new property in the API, made from its label: `Order number` -> `cf_order_number`
 * @shape taken: names of other properties
 */
export const nameFor = (label: string, taken: readonly string[]): string => {
  const slug = slugOf(label) || "field";
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? "" : `_${number}`;
    const name = `cf_${slug.slice(0, slugMax - suffix.length)}${suffix}`;
    if (!taken.includes(name)) return name;
  }
};

/** The form of a property; undefined for a new property. @shape fields: all properties */
export const fieldForm = (
  field: FieldSetting | undefined,
  fields: readonly FieldSetting[],
): SchemaForm<FieldSetting, FieldValues> => {
  const taken = fields.map(({ name }) => name).filter((name) => name !== field?.name);
  const isPriority = field?.name === PRIORITY;
  return {
    schema: FIELD_SCHEMA,
    members: {
      label: {
        label: texts.label,
        help: texts.labelHelp,
        missing: texts.labelMissing,
        from: ({ label, name }) => label ?? name,
      },
      name: {
        label: texts.name,
        help: texts.nameHelp,
        invalid: texts.nameInvalid(slugMax),
        taken: texts.nameTaken,
        isFixed: field !== undefined,
        fallback: ({ label }) => (label.trim() === "" ? "" : nameFor(label, taken)),
      },
      type: {
        label: texts.type,
        help: field === undefined ? texts.typeHelp : `${texts.typeFixed} ${isPriority ? texts.priorityHelp : ""}`,
        initial: "TEXT",
        isFixed: field !== undefined,
        choices: texts,
      },
      choices: {
        label: texts.choices,
        initial: [newChoice(0)],
        isShown: ({ type }) => hasChoices(type) && !isPriority,
        from: choiceRows,
        to: (rows, { type }) => (hasChoices(type) && !isPriority ? { choices: choiceSettings(rows) } : {}),
        check: choicesProblem,
      },
      required: { label: texts.required, help: texts.requiredHelp },
      editable: { label: texts.editable, help: texts.editableHelp, initial: true },
    },
  };
};
