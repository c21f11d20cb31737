import {
  DEFAULT_WEBHOOK_ACTIONS,
  NewWebhook,
  OLD_SECRETS_MAX,
  WEBHOOK_ACTIONS,
  WEBHOOKS_PER_ACCOUNT_MAX,
} from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Values of the contract for the page of webhooks. Evaluated like `../../contract-values.ts`. */
export const WEBHOOK_VALUES = {
  actions: WEBHOOK_ACTIONS,
  defaultActions: DEFAULT_WEBHOOK_ACTIONS,
  perAccountMax: WEBHOOKS_PER_ACCOUNT_MAX,
  oldSecretsMax: OLD_SECRETS_MAX,
} as const;
export const WEBHOOK_SCHEMA = formSchema(NewWebhook, ["url", "actions"]);
