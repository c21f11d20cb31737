import { BusinessHours } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Members of business hours that their form checks. Evaluated like `../../contract-values.ts`. */
export const HOURS_SCHEMA = formSchema(BusinessHours, ["timezone", "holidays"]);
