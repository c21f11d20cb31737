import { Template } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

const { header, body, buttons } = Template.properties;

/** Members of an outbound template that its form checks. Evaluated like `../../contract-values.ts`. */
export const OUTBOUND_SCHEMA = {
  ...formSchema(Template, ["namespace", "name", "language", "status"]),
  /** `none`: the template has no header. */
  header: { enum: ["none", "text", ...header.properties.type.enum.filter((type) => type !== "text")] },
  headerText: formSchema(header, ["text"]).text,
  body: formSchema(body, ["text"]).text,
  ...formSchema(Template, ["buttons"]),
};
export const BUTTON_SCHEMA = formSchema(buttons.items, ["label", "url"]);
