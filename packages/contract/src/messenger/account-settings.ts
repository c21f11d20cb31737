import Type, { type Static } from "typebox";
import { Url } from "../api/values.ts";
import { MESSENGER_COLOR } from "./messenger.ts";

const Color = Type.String({ pattern: MESSENGER_COLOR, description: "Such as #14532d." });

/**
 * How the messenger of an account looks. The options of a page precede it. Members that are absent have the messenger's own value.
 * @assumed All members.
 */
export const MessengerLook = Type.Object(
  {
    color: Type.Optional(Color),
    /** The messenger uses black or white where this colour would not be readable on `color`. */
    text_color: Type.Optional(Color),
    /** Picture of the business in the header. */
    picture_url: Type.Optional(Url),
    position: Type.Optional(Type.Enum(["right", "left"])),
  },
  { title: "MessengerLook" },
);
export type MessengerLook = Static<typeof MessengerLook>;

/**
 * What the messenger of an account records about visitors and their pages.
 * @assumed All members.
 */
export const MessengerPrivacy = Type.Object(
  {
    /** Whether agents see the page that the visitor is on, and the language of the visitor's browser. Absent: they don't. */
    is_page_shown: Type.Optional(Type.Boolean()),
    /** Whether the browser stores nothing, and nothing is sent, before the visitor or the page has consented. Absent: consent is not asked for. */
    is_consent_required: Type.Optional(Type.Boolean()),
  },
  { title: "MessengerPrivacy" },
);
export type MessengerPrivacy = Static<typeof MessengerPrivacy>;
