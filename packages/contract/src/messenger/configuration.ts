import Type, { type Static } from "typebox";
import { MessagePart } from "../api/message-parts.ts";
import { Avatar } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { MessengerLookTexts, MessengerPrivacy } from "./account-settings.ts";
import { MESSENGER_API, MESSENGER_SPEC, PageOfAccount } from "./messenger.ts";
import { MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED } from "./problems.ts";
import { SignedIdentityPolicy } from "./signed-identity.ts";

/** A topic that is shown to a visitor. */
export const MessengerTopic = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "In the requested locale." }),
    icon: Avatar,
    tags: Type.Array(Type.String()),
    welcome_message: Type.Optional(Type.Object({ message_parts: Type.Array(MessagePart) })),
  },
  { title: "MessengerTopic" },
);
export type MessengerTopic = Static<typeof MessengerTopic>;

const Length = Type.Optional(Type.String({ description: "Such as 20px." }));
const ShownColor = Type.Optional(Type.String({ description: "Such as #14532d." }));

/** The look of the account for one page: in one language, with text colours that are readable, and with the sizes as lengths of CSS. */
export const ShownLook = Type.Object(
  {
    color: ShownColor,
    text_color: ShownColor,
    /** Where the visitor's browser is set to dark colours. Absent: as `color`. */
    dark_color: ShownColor,
    dark_text_color: ShownColor,
    picture_url: Type.Optional(Type.String()),
    position: Type.Optional(Type.Enum(["right", "left"])),
    bottom: Length,
    side: Length,
    button: Length,
    panel_width: Length,
    panel_height: Length,
    is_label_shown: Type.Optional(Type.Boolean()),
    texts: Type.Optional(MessengerLookTexts),
  },
  { title: "ShownLook" },
);
export type ShownLook = Static<typeof ShownLook>;

/** What the messenger shows before a visitor has written. */
export const MessengerConfiguration = Type.Object(
  {
    account: Type.String({ description: "Name of the account, for further requests." }),
    account_name: Type.String({ description: "Name of the business." }),
    is_alias_known: Type.Optional(
      Type.Boolean({ description: "Whether the account has the alias of the request. Absent without an alias." }),
    ),
    locale: Type.String({ description: "The locale of the topics." }),
    button: Type.Object(
      { open: Type.String(), close: Type.String() },
      { description: "Texts of the button, in the first requested language that the messenger has, else in English." },
    ),
    topics: Type.Array(MessengerTopic, {
      description:
        "Enabled topics in their order: those with one of the requested tags, public or not, or else the public ones.",
    }),
    is_open: Type.Boolean({ description: "Whether the business hours of the account are open now." }),
    opens_at: Type.Optional(Type.String({ format: "date-time", description: "When they open next." })),
    look: ShownLook,
    privacy: MessengerPrivacy,
    response_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          "Median time to the first response over the last 7 days. Absent with fewer than 5 measured responses.",
      }),
    ),
    signed_identity: SignedIdentityPolicy,
    file_bytes: Type.Integer({ description: "Largest file that can be uploaded." }),
    image_bytes: Type.Integer({ description: "Largest picture that can be uploaded." }),
  },
  { title: "MessengerConfiguration" },
);
export type MessengerConfiguration = Static<typeof MessengerConfiguration>;

export const messengerConfiguration = {
  getMessengerConfiguration: endpoint({
    route: `GET ${MESSENGER_API}/configuration`,
    summary: "Get the topics, the texts and the limits of the messenger of an account",
    spec: MESSENGER_SPEC,
    access: { isPublic: true },
    query: Type.Object({
      ...PageOfAccount,
      locale: Type.Optional(
        Type.String({
          maxLength: 1_024,
          description: "A locale, or several by preference, separated by commas. The primary language when absent.",
        }),
      ),
      tags: Type.Optional(Type.String({ maxLength: 1_024, description: "Comma-separated tags of topics." })),
    }),
    reply: { code: 200, body: MessengerConfiguration },
    problems: [MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED],
  }),
};
