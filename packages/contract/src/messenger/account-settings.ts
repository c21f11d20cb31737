import Type, { type Static } from "typebox";
import { LIMITS } from "../api/limits.ts";
import { VisibleText } from "../api/values.ts";
import { LOCALE_CHARACTERS_MAX, LOCALE_PATTERN } from "../kernel/text.ts";
import { MESSENGER_COLOR, MESSENGER_LIMITS, MESSENGER_PICTURE } from "./messenger.ts";

const Color = Type.String({ pattern: MESSENGER_COLOR, description: "Such as #14532d." });
const Distance = Type.Integer({ minimum: 0, maximum: MESSENGER_LIMITS.look_distance_px });
const { look_title_characters, look_text_characters, look_label_characters, look_locales } = MESSENGER_LIMITS;

/** Texts of the messenger in one language. Texts that are absent are those of the primary language, else the messenger's own. */
export const MessengerLookTexts = Type.Object(
  {
    /** The heading of the panel. */
    title: Type.Optional(VisibleText(look_title_characters)),
    /** Below the heading. */
    help: Type.Optional(VisibleText(look_text_characters)),
    /** In the empty field for a message. */
    message_field: Type.Optional(VisibleText(look_title_characters)),
    /** Outside of the business hours. */
    away: Type.Optional(VisibleText(look_text_characters)),
    /** Of the button, for screen readers or for all. */
    button_label: Type.Optional(VisibleText(look_label_characters)),
  },
  { title: "MessengerLookTexts" },
);
export type MessengerLookTexts = Static<typeof MessengerLookTexts>;

/**
 * How the messenger of an account looks. The options of a page precede it. Members that are absent have the messenger's own value.
 * @assumed All members.
 */
export const MessengerLook = Type.Object(
  {
    color: Type.Optional(Color),
    /** In place of `color` where the visitor's browser is set to dark colours. Without `color` it has no effect. */
    dark_color: Type.Optional(Color),
    /** The messenger uses black or white where this colour would not be readable. */
    text_color: Type.Optional(Color),
    /** Picture of the business in the header: an uploaded picture, or one of another host. */
    picture_url: Type.Optional(
      Type.String({ pattern: MESSENGER_PICTURE, maxLength: LIMITS.url_characters, description: "Such as https://…" }),
    ),
    position: Type.Optional(Type.Enum(["right", "left"])),
    /** Distance from the bottom of the window. @units CSS pixels */
    bottom_px: Type.Optional(Distance),
    /** Distance from the side of the window that `position` names. @units CSS pixels */
    side_px: Type.Optional(Distance),
    button_size: Type.Optional(Type.Enum(["small", "medium", "large"])),
    panel_size: Type.Optional(Type.Enum(["compact", "normal", "large"])),
    /** Whether the button shows its label beside the icon. */
    is_label_shown: Type.Optional(Type.Boolean()),
    /** By locale. */
    texts: Type.Optional(
      Type.Record(Type.String({ pattern: LOCALE_PATTERN, maxLength: LOCALE_CHARACTERS_MAX }), MessengerLookTexts, {
        maxProperties: look_locales,
        additionalProperties: false,
      }),
    ),
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
