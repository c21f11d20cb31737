import {
  type Field,
  type FieldType,
  INVALID_PROPERTY,
  isCalendarDay,
  isRefusal,
  PROPERTY_REQUIRED,
  type Properties,
  refuse,
} from "@parley/contract";

type Value = Properties[string];

/** @assumed Formats by field type: a checkbox is true or false, a date is YYYY-MM-DD or a date-time. */
const KINDS: Partial<Record<FieldType, { readonly is: (text: string) => boolean; readonly shape: string }>> = {
  CHECKBOX: { is: (text) => text === "true" || text === "false", shape: "true or false" },
  NUMBER: { is: (text) => /^-?\d{1,15}$/.test(text), shape: "an integer" },
  DECIMAL: { is: (text) => /^-?\d{1,15}(\.\d{1,15})?$/.test(text), shape: "a decimal number" },
  DATE: {
    is: (text) =>
      /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) &&
      isCalendarDay(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    shape: "a date (YYYY-MM-DD)",
  },
};

const refuseProperty = (name: string, reason: string): never =>
  refuse(INVALID_PROPERTY, `properties.${name} ${reason}.`);

const checkChoices = ({ name, choices }: Field, values: readonly string[]) => {
  const allowed = choices.map(({ value }) => value);
  if (values.some((value) => !allowed.includes(value))) refuseProperty(name, `must be one of ${allowed.join(", ")}`);
};

const checked = (field: Field, value: Value): Value => {
  if (field.type === "MULTI_SELECT_DROPDOWN") {
    const values = typeof value === "string" ? [value] : value;
    checkChoices(field, values);
    return [...new Set(values)];
  }
  if (typeof value !== "string") return refuseProperty(field.name, "takes one value, not a list");
  if (field.type === "DROPDOWN") checkChoices(field, [value]);
  const kind = KINDS[field.type];
  if (kind && !kind.is(value)) refuseProperty(field.name, `must be ${kind.shape}`);
  return value;
};

const isSame = (one: Value | undefined, other: Value) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Applies the given properties.
 * @spec Resources and their fields > Conversation object
 * @errors INVALID_PROPERTY
 * @assumed An empty string or list removes the value. A field that is not editable can only be set on creation.
 */
export const withProperties = (
  fields: readonly Field[],
  input: Properties,
  /** Absent on creation. */
  present?: Properties,
): Properties => {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const after = new Map(Object.entries(present ?? {}));
  for (const [name, value] of Object.entries(input)) {
    const field = byName.get(name) ?? refuseProperty(name, "is not a conversation property of this account");
    if (present && !field.editable && !isSame(after.get(name), value)) refuseProperty(name, "can't be changed");
    if (value.length === 0) after.delete(name);
    else after.set(name, checked(field, value));
  }
  return Object.fromEntries(after);
};

/**
 * Of properties that are not verified, those that a new conversation takes: of the account's own properties, whose names begin with `cf_`, the
 * valid values. Others are left out.
 */
export const acceptedProperties = (fields: readonly Field[], input: Properties): Properties =>
  Object.fromEntries(
    Object.entries(input).filter(([name, value]) => {
      if (!name.startsWith("cf_")) return false;
      try {
        withProperties(fields, { [name]: value });
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    }),
  );

/**
 * Default values of a new conversation, such as the priority Low. @spec Resources and their fields > Conversation
 * property field object
 */
export const defaultProperties = (fields: readonly Field[]): Properties =>
  Object.fromEntries(
    fields.flatMap(({ name, default_value, choices }) => {
      const choice = choices.find(({ id }) => id === default_value);
      return choice ? [[name, choice.value]] : [];
    }),
  );

/** @errors PROPERTY_REQUIRED */
export const checkRequired = (fields: readonly Field[], properties: Properties): void => {
  const missing = fields.find(({ name, required }) => required && !Object.hasOwn(properties, name));
  if (missing)
    refuse(PROPERTY_REQUIRED, `properties.${missing.name} needs a value before the conversation is resolved.`);
};

/** Serializes properties for storage. Equal properties give equal texts. */
export const propertiesText = (properties: Properties): string => JSON.stringify(properties);
export const parseProperties = (text: string): Properties => JSON.parse(text) as Properties;
