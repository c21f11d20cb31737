import { AccountDocument } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Members of a group that its form checks. Evaluated like `../../contract-values.ts`. */
export const GROUP_SCHEMA = formSchema(AccountDocument.properties.groups.items, [
  "name",
  "description",
  "signed_in_agents_only",
  "org_id",
]);
