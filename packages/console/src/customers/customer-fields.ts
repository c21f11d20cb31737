import type { User } from "@parley/contract";

/** The fields of a customer that agents change. */
export const EDITED_FIELDS = ["first_name", "last_name", "email", "phone"] as const;
export type EditedField = (typeof EDITED_FIELDS)[number];
type CustomerFields = Pick<User, EditedField>;

/** Why a value is refused. */
export type FieldFault = "email" | "phone" | "long";

/** The limit of the service. @units characters */
const LENGTH_MAX = 1_024;
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const PHONE = /^\+?[0-9 ()./-]{3,40}$/;

/** -> why a value can't be saved; undefined if it can. An empty value removes the stored value. */
export const faultOf = (field: EditedField, value: string): FieldFault | undefined => {
  const text = value.trim();
  if (text.length > LENGTH_MAX) return "long";
  if (text === "") return undefined;
  if (field === "email" && !EMAIL.test(text)) return "email";
  if (field === "phone" && !PHONE.test(text)) return "phone";
  return undefined;
};

/** -> the trimmed values that aren't empty, for a new customer */
export const filledFields = (fields: Readonly<Record<EditedField, string>>): CustomerFields =>
  Object.fromEntries(
    EDITED_FIELDS.map((field) => [field, fields[field].trim()] as const).filter(([, text]) => text !== ""),
  );
