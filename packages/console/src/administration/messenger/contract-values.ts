import { MessengerLook, NewSigningKey } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

/** Members of a signing key that its form checks. Evaluated like `../../contract-values.ts`. */
export const KEY_SCHEMA = {
  ...formSchema(NewSigningKey, ["name", "secret", "public_key"]),
  /** Where the secret or the key of a site comes from. */
  kind: { enum: ["generated", "own", "public"] },
};

export const LOOK_SCHEMA = formSchema(MessengerLook, [
  "picture_url",
  "position",
  "button_size",
  "panel_size",
  "is_label_shown",
]);
