import { IdentityProvider, IdentityProviderSettings } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Members of an identity provider that its form checks. Evaluated like `../../contract-values.ts`. */
export const PROVIDER_SCHEMA = {
  ...formSchema(IdentityProvider, ["name"]),
  ...formSchema(IdentityProviderSettings, ["label", "issuer", "client_id", "client_secret"]),
};
