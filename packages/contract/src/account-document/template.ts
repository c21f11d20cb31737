import Type, { type Static } from "typebox";
import { LIMITS } from "../api/limits.ts";
import { VisibleText } from "../api/values.ts";
import { ACCOUNT_LIMITS } from "./account-limits.ts";

const Text = VisibleText(LIMITS.text_characters);
const Name = VisibleText(LIMITS.short_text_characters);

/**
 * A message template that an account can send. Placeholders are `{{1}}`, `{{2}}`, … in order.
 * @spec Resources and their fields > Outbound message object
 * @assumed The specification shows how a template is sent, not how it is registered.
 */
export const Template = Type.Object(
  {
    namespace: Name,
    name: Name,
    language: VisibleText(LIMITS.short_text_characters, { description: "A locale such as en_US." }),
    status: Type.Enum(["approved", "pending", "rejected"]),
    header: Type.Optional(
      Type.Object({
        type: Type.Enum(["image", "video", "document", "text"]),
        text: Type.Optional(Text),
      }),
    ),
    body: Type.Object({ text: Text }),
    buttons: Type.Optional(
      Type.Array(Type.Object({ subType: Type.Enum(["url"]), label: Name, url: Text }), {
        maxItems: ACCOUNT_LIMITS.template_buttons,
      }),
    ),
  },
  { title: "Template" },
);
export type Template = Static<typeof Template>;
