import type { FieldSetting } from "@parley/contract";
import { valueProblem } from "../../forms/schema-form.ts";
import { CHOICE_SCHEMA } from "./contract-values.ts";
import { fieldMessages as texts } from "./messages.ts";

/** A choice in the form of a property. */
export interface ChoiceRow {
  /** Identifies the row of the form. */
  readonly key: number;
  /** Undefined for a new choice. */
  readonly id: string | undefined;
  /** The text at present. */
  readonly saved: string | undefined;
  readonly value: string;
}

export const newChoice = (key: number): ChoiceRow => ({ key, id: undefined, saved: undefined, value: "" });

export const choiceRows = ({ choices = [] }: Pick<FieldSetting, "choices">): readonly ChoiceRow[] =>
  choices.map((choice, key) => {
    const { id, value } = typeof choice === "string" ? { value: choice } : choice;
    return { key, id, saved: value, value };
  });

/**
 * -> the choices of the document. A renamed one keeps its id, unless another row has its former text now: that one is the choice then.
 */
export const choiceSettings = (choices: readonly ChoiceRow[]) =>
  choices.map(({ id, saved, value }) => {
    const isReused = saved !== value.trim() && choices.some((other) => other.value.trim() === saved);
    return { ...(id !== undefined && !isReused && { id }), value: value.trim() };
  });

/** -> why a choice can't be saved */
export const choiceProblem = (choices: readonly ChoiceRow[], { key, value }: ChoiceRow): string | undefined => {
  const first = choices.find((other) => other.value.trim() === value.trim());
  const fault = valueProblem(CHOICE_SCHEMA.value, value.trim(), { missing: texts.choiceMissing });
  return fault ?? (first?.key === key ? undefined : texts.choiceTwice);
};

export const choicesProblem = (choices: readonly ChoiceRow[]): string | undefined =>
  choices.length === 0
    ? texts.choicesMissing
    : choices.map((choice) => choiceProblem(choices, choice)).find((problem) => problem !== undefined);

/** -> the positions that change when the properties get the order of a list, counted from 1 */
export const positionChanges = (fields: readonly FieldSetting[]): FieldSetting[] =>
  fields.flatMap(({ id = "", name, position }, index) =>
    position === index + 1 ? [] : [{ id, name, position: index + 1 }],
  );
