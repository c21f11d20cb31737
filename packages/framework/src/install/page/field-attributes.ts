import type { IparamAttributes } from "@parley/contract";
import type { Control } from "./control.ts";
import type { FieldView } from "./field-view.ts";
import type { HeldValue } from "./held-value.ts";

/** Shows what a callback set: options before the value, since it may be one of them. */
export const showAttributes = (
  attributes: IparamAttributes,
  control: Control,
  view: FieldView,
  held: HeldValue,
): void => {
  const { values, value, label, hint, visible, disabled, required } = attributes;
  if (values !== undefined) control.setOptions(values);
  if (value !== undefined) {
    control.write(typeof value === "number" ? String(value) : value);
    held.open();
  }
  if (label !== undefined) view.setLabel(label);
  if (hint !== undefined) view.setHint(hint);
  if (visible !== undefined) view.setVisible(visible);
  if (disabled !== undefined) control.setDisabled(disabled);
  if (required === undefined) return;
  view.setRequired(required);
  held.setRequired(required);
};

/** Those that the checks depend on, for the server; undefined when there are none. */
export const checkedAttributes = (attributes: IparamAttributes): IparamAttributes | undefined => {
  const { required, visible, values, min, max } = attributes;
  const told = Object.entries({ required, visible, values, min, max }).filter(([, value]) => value !== undefined);
  return told.length > 0 ? Object.fromEntries(told) : undefined;
};
