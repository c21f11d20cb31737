import type { Field, PropertyValue } from "@parley/contract";

/** Fields in the order of the account. */
export const fieldsByPosition = (fields: readonly Field[]): readonly Field[] =>
  fields.toSorted((one, other) => one.position - other.position);

/** Whether a value is chosen from a list, and therefore saved at once; other values are saved when their field is left. */
export const isChosen = ({ type }: Pick<Field, "type">): boolean =>
  type === "DROPDOWN" || type === "CHECKBOX" || type === "MULTI_SELECT_DROPDOWN";

/** -> the value to save. A decimal comma is accepted; texts lose spaces around them. */
export const savedValue = ({ type }: Pick<Field, "type">, value: PropertyValue): PropertyValue => {
  if (typeof value !== "string") return value;
  const text = value.trim();
  return type === "DECIMAL" ? text.replace(/^(-?\d+),(\d+)$/, "$1.$2") : text;
};

/** Whether a field shows and saves the same. @shape undefined: no value */
export const isSameValue = (one: PropertyValue | undefined, other: PropertyValue | undefined): boolean =>
  JSON.stringify(one ?? "") === JSON.stringify(other ?? "") || ((one ?? "").length === 0 && (other ?? "").length === 0);
