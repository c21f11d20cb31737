import Type, { type Static } from "typebox";
import { LIMITS } from "../api/limits.ts";
import { ShortText } from "../api/values.ts";
import { ACCOUNT_LIMITS } from "./account-limits.ts";

const Text = Type.String({ minLength: 1, maxLength: LIMITS.text_characters });

/**
 * A message template that an account can send. Placeholders are `{{1}}`, `{{2}}`, … in order.
 * @spec Resources and their fields > Outbound message object
 * @assumed The specification shows how a template is sent, not how it is registered.
 */
export const Template = Type.Object(
  {
    namespace: ShortText,
    name: ShortText,
    language: Type.String({ description: "A locale such as en_US." }),
    status: Type.Enum(["approved", "pending", "rejected"]),
    header: Type.Optional(
      Type.Object({
        type: Type.Enum(["image", "video", "document", "text"]),
        text: Type.Optional(Text),
      }),
    ),
    body: Type.Object({ text: Text }),
    buttons: Type.Optional(
      Type.Array(Type.Object({ subType: Type.Enum(["url"]), label: ShortText, url: Text }), {
        maxItems: ACCOUNT_LIMITS.template_buttons,
      }),
    ),
  },
  { title: "Template" },
);
export type Template = Static<typeof Template>;
