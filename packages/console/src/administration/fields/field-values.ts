import type { FieldSetting, FieldType } from "@parley/contract";
import { ADMIN_VALUES } from "../contract-values.ts";
import { fieldMessages as texts } from "./messages.ts";

/** The property that every account in a suite has. Its name, type and choices are fixed. */
export const PRIORITY = "priority";

export const FIELD_TYPES = [
  "TEXT",
  "PARAGRAPH",
  "NUMBER",
  "DECIMAL",
  "DATE",
  "CHECKBOX",
  "DROPDOWN",
  "MULTI_SELECT_DROPDOWN",
] as const satisfies readonly FieldType[];

/** Whether a value is chosen from choices. */
export const hasChoices = (type: FieldType): boolean => type === "DROPDOWN" || type === "MULTI_SELECT_DROPDOWN";

/** A choice in the form. */
export interface ChoiceValue {
  /** Identifies the row of the form. */
  readonly key: number;
  /** Undefined for a new choice. */
  readonly id: string | undefined;
  /** The text at present. */
  readonly saved: string | undefined;
  readonly value: string;
}

/** Values of the form of a property. */
export interface FieldValues {
  readonly label: string;
  /** Its name in the API; empty: the name that `nameFor` makes from the label. */
  readonly name: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly isEditable: boolean;
  readonly choices: readonly ChoiceValue[];
}

export const newChoice = (key: number): ChoiceValue => ({ key, id: undefined, saved: undefined, value: "" });

export const emptyField: FieldValues = {
  label: "",
  name: "",
  type: "TEXT",
  isRequired: false,
  isEditable: true,
  choices: [newChoice(0)],
};

const choiceValues = ({ choices = [] }: FieldSetting): readonly ChoiceValue[] =>
  choices.map((choice, key) => {
    const { id, value } = typeof choice === "string" ? { value: choice } : choice;
    return { key, id, saved: value, value };
  });

export const fieldValuesOf = (field: FieldSetting): FieldValues => ({
  label: field.label ?? field.name,
  name: field.name,
  type: field.type ?? "TEXT",
  isRequired: field.required ?? false,
  isEditable: field.editable ?? true,
  choices: choiceValues(field),
});

const {
  name_characters: nameMax,
  field_name_characters: slugMax,
  field_choices: choicesMax,
} = ADMIN_VALUES.accountLimits;
const FIELD_NAME = new RegExp(ADMIN_VALUES.accountPatterns.field_name);

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

/**
 * -> the choices of the document. A renamed one keeps its id, unless another row has its former text now: that one is the choice then.
 */
const choiceSettings = (choices: readonly ChoiceValue[]) =>
  choices.map(({ id, saved, value }) => {
    const isReused = saved !== value.trim() && choices.some((other) => other.value.trim() === saved);
    return { ...(id !== undefined && !isReused && { id }), value: value.trim() };
  });

/** @shape field: the present property; undefined for a new property */
export const fieldSettingOf = (
  field: FieldSetting | undefined,
  { label, name, type, isRequired, isEditable, choices }: FieldValues,
  taken: readonly string[],
): FieldSetting => ({
  ...(field?.id !== undefined && { id: field.id }),
  name: field?.name ?? (name.trim() || nameFor(label, taken)),
  label: label.trim(),
  type,
  required: isRequired,
  editable: isEditable,
  ...(hasChoices(type) && field?.name !== PRIORITY && { choices: choiceSettings(choices) }),
});

/** -> the positions that change when the fields get the order of a list, counted from 1 */
export const positionChanges = (fields: readonly FieldSetting[]): FieldSetting[] =>
  fields.flatMap(({ id = "", name, position }, index) =>
    position === index + 1 ? [] : [{ id, name, position: index + 1 }],
  );

/** -> why a choice can't be saved */
export const choiceProblem = (choices: readonly ChoiceValue[], { key, value }: ChoiceValue): string | undefined => {
  const trimmed = value.trim();
  if (trimmed === "") return texts.choiceMissing;
  if (trimmed.length > nameMax) return texts.textTooLong(nameMax);
  const first = choices.find((other) => other.value.trim() === trimmed);
  return first?.key === key ? undefined : texts.choiceTwice;
};

const choicesProblem = (choices: readonly ChoiceValue[]): string | undefined => {
  if (choices.length === 0) return texts.choicesMissing;
  if (choices.length > choicesMax) return texts.tooManyChoices(choicesMax);
  return choices.map((choice) => choiceProblem(choices, choice)).find((problem) => problem !== undefined);
};

const nameProblem = (name: string, taken: readonly string[]): string | undefined => {
  if (name === "") return undefined;
  if (!FIELD_NAME.test(name)) return texts.nameInvalid(slugMax);
  return taken.includes(name) ? texts.nameTaken : undefined;
};

/** @shape taken: names of the other properties */
export const fieldProblemsOf = (
  { label, name, type, choices }: FieldValues,
  taken: readonly string[],
): Partial<Record<keyof FieldValues, string>> => {
  const trimmed = label.trim();
  const nameFault = nameProblem(name.trim(), taken);
  const problem = hasChoices(type) ? choicesProblem(choices) : undefined;
  return {
    ...(trimmed === "" && { label: texts.labelMissing }),
    ...(trimmed.length > nameMax && { label: texts.textTooLong(nameMax) }),
    ...(nameFault !== undefined && { name: nameFault }),
    ...(problem !== undefined && { choices: problem }),
  };
};
