import { AccountDocument } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

const { fields } = AccountDocument.properties;

/** Members of a property that its form checks. Evaluated like `../../contract-values.ts`. */
export const FIELD_SCHEMA = formSchema(fields.items, ["label", "name", "type", "required", "editable", "choices"]);

export const CHOICE_SCHEMA = formSchema(fields.items.properties.choices.items.anyOf[1], ["value"]);
