import { isDeepStrictEqual } from "node:util";
import type { Field, FieldSetting } from "@parley/contract";
import { refuseChange, type SectionMerge, type SectionRules } from "./section.ts";

const PRIORITY = "priority";
const PRIORITIES = ["Low", "Medium", "High", "Urgent"];
/** The default property of every account in a suite. @spec Resources and their fields > Conversation object */
export const DEFAULT_FIELDS: readonly FieldSetting[] = [
  { name: PRIORITY, type: "DROPDOWN", required: true, choices: PRIORITIES },
];

type Choice = Field["choices"][number];
type ChoiceSetting = Exclude<NonNullable<FieldSetting["choices"]>[number], string>;

const isDropdown = ({ type }: Pick<Field, "type">) => type === "DROPDOWN" || type === "MULTI_SELECT_DROPDOWN";

/** `cf_order_number` -> `Order number` */
const labelOf = (name: string): string => {
  const words = name.replace(/^cf_/, "").replaceAll("_", " ").trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The choices of the document in its order, with the ids of the present choices, followed by the present choices that the document omits. */
const choicesOf = (
  present: readonly Choice[],
  { choices }: FieldSetting,
  { place, prune, newId }: SectionMerge,
): readonly Choice[] => {
  if (!choices) return present;
  const wanted = choices.map((choice): ChoiceSetting => (typeof choice === "string" ? { value: choice } : choice));
  for (const [index, { value }] of wanted.entries())
    if (wanted.findIndex((other) => other.value === value) < index)
      refuseChange(`${place}.choices[${index}]`, `names ${value} a second time`);
  const merged = wanted.map(({ id, value }) => ({
    id: present.find((choice) => choice.value === value)?.id ?? id?.toLowerCase() ?? newId(),
    value,
  }));
  const omitted = present.filter(({ value }) => !wanted.some((choice) => choice.value === value));
  return prune ? merged : [...merged, ...omitted];
};

const checkField = (field: Field, present: Field | undefined, place: string) => {
  if (present && present.name !== field.name) refuseChange(`${place}.name`, `can't be changed: it is ${present.name}`);
  if (present && present.type !== field.type)
    refuseChange(`${place}.type`, `can't be changed: it is ${present.type}. Give the new field another name`);
  if (isDropdown(field) && field.choices.length === 0)
    refuseChange(`${place}.choices`, `is mandatory for ${field.type}`);
  if (!isDropdown(field) && field.choices.length > 0)
    refuseChange(`${place}.choices`, `may not be given for ${field.type}`);
  if (field.name !== PRIORITY) return;
  const values = field.choices.map(({ value }) => value);
  if (field.type !== "DROPDOWN" || !isDeepStrictEqual(values, PRIORITIES))
    refuseChange(`${place}.choices`, `of priority must be ${PRIORITIES.join(", ")}, and its type DROPDOWN`);
};

/** @assumed By default a field is of type TEXT, editable, not required, and positioned after the fields before it. */
export const fieldRules = (last: number): SectionRules<FieldSetting, Field> => ({
  section: "fields",
  nameOf: ({ name }) => name,
  matches: (item, { name }) => item.name === name,
  merge: (present, item, context) => {
    const { place, newId, index } = context;
    const choices = choicesOf(present?.choices ?? [], item, context);
    const field: Field = {
      id: present?.id ?? item.id?.toLowerCase() ?? newId(),
      name: item.name,
      label: item.label ?? present?.label ?? labelOf(item.name),
      type: item.type ?? present?.type ?? "TEXT",
      custom: item.name !== PRIORITY,
      editable: item.editable ?? present?.editable ?? true,
      position: item.position ?? present?.position ?? last + index + 1,
      required: item.required ?? present?.required ?? false,
      choices: [...choices],
      ...(item.name === PRIORITY && { default_value: choices[0]?.id ?? "" }),
    };
    checkField(field, present, place);
    return field;
  },
  isFixed: ({ custom }) => !custom,
});
