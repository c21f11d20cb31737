import { AGENT_CAPACITY_MAX, AGENT_SCOPES, NewAgent } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Values of the contract for the pages of agents. Evaluated like `../../contract-values.ts`. */
export const AGENT_VALUES = {
  capacityMax: AGENT_CAPACITY_MAX,
  scopes: AGENT_SCOPES,
} as const;
export const AGENT_SCHEMA = formSchema(NewAgent, ["email", "first_name", "last_name", "phone", "role_id", "groups"]);
