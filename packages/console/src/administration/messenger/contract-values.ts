import { NewSigningKey } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Members of a signing key that its form checks. Evaluated like `../../contract-values.ts`. */
export const KEY_SCHEMA = {
  ...formSchema(NewSigningKey, ["name", "secret", "public_key"]),
  /** Where the secret or the key of a site comes from. */
  kind: { enum: ["generated", "own", "public"] },
};
