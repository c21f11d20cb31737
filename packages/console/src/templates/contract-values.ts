import { NewReplyTemplate } from "@parley/contract";
import { formSchema } from "../forms/form-schema.ts";

/** Members of a reply template that its form checks. Evaluated like `../contract-values.ts`. */
export const TEMPLATE_SCHEMA = formSchema(NewReplyTemplate, ["name", "shortcut", "text", "is_shared"]);
