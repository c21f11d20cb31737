import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Pairs, ShortText, Url } from "./values.ts";

const Text = Type.String({ maxLength: LIMITS.text_characters });
const ContentType = ShortText;

const UrlButton = Type.Object({ url: Url, label: ShortText, target: Type.Optional(ShortText) });
const QuickReplyButton = Type.Object({
  label: ShortText,
  custom_reply_text: Type.Optional(Text),
  payload: Type.Optional(Text),
});
const HelpText = Type.Object({
  content: Text,
  v1_help_text_fragment: Type.Optional(
    Type.Object({
      fragment_type: Type.Optional(Type.Integer()),
      content_type: Type.Optional(ContentType),
      content: Type.Optional(Text),
      position: Type.Optional(Type.Integer()),
    }),
  ),
});

/**
 * Types of videos that browsers play in place. A visitor's upload of one of these types is sent as a video, and of any other type as a file.
 * @assumed The set of types.
 */
export const VIDEO_TYPES: readonly string[] = ["video/mp4", "video/webm", "video/ogg", "video/quicktime"];

/** A message part has exactly one of these keys. @spec Resources and their fields > Message part object */
export const MessagePart = Type.Cyclic(
  {
    MessagePart: Type.Object(
      {
        text: Type.Optional(
          Type.Object({
            content: Type.String({
              maxLength: LIMITS.text_characters,
              description: "A message is refused whose text has no visible character.",
            }),
          }),
        ),
        image: Type.Optional(Type.Object({ url: Url })),
        video: Type.Optional(Type.Object({ url: Url, content_type: Type.Optional(ContentType) })),
        file: Type.Optional(
          Type.Object({
            name: Type.Optional(ShortText),
            url: Type.Optional(Url),
            /** @assumed The hash that POST /files/upload returns. A message that is sent can carry it in place of the url. */
            file_hash: Type.Optional(ShortText),
            file_size_in_bytes: Type.Optional(Type.Integer({ minimum: 0 })),
            content_type: Type.Optional(ContentType),
          }),
        ),
        collection: Type.Optional(
          Type.Object({ sub_parts: Type.Array(Type.Ref("MessagePart"), { maxItems: LIMITS.parts }) }),
        ),
        url_button: Type.Optional(UrlButton),
        quick_reply_button: Type.Optional(QuickReplyButton),
        template_content: Type.Optional(
          Type.Object({
            type: ShortText,
            sections: Type.Array(
              Type.Object({
                name: ShortText,
                parts: Type.Array(Type.Ref("MessagePart"), { maxItems: LIMITS.parts }),
              }),
              { maxItems: LIMITS.parts },
            ),
          }),
        ),
        callback: Type.Optional(Type.Object({ payload: Text, label: ShortText })),
        help_text: Type.Optional(HelpText),
        /** @assumed The specification doesn't show the attributes of these three keys: any attributes are stored. */
        attachment_input: Type.Optional(Pairs),
        reference: Type.Optional(Pairs),
        text_input: Type.Optional(Pairs),
      },
      { minProperties: 1, maxProperties: 1 },
    ),
  },
  "MessagePart",
);
export type MessagePart = Static<typeof MessagePart>;
export type MessagePartKey = keyof MessagePart;

const CONTENT = ["text", "image", "video", "file", "collection", "url_button"] as const;
const ENABLERS = ["collection", "template_content", "help_text"] as const;
/**
 * Keys that appear in responses only: a request that sends one is refused.
 * @assumed The refusal applies to bots too, since the specification makes no exception. Imported messages keep these parts.
 */
export const RESPONSE_ONLY_PARTS: readonly MessagePartKey[] = ["attachment_input", "reference", "text_input"];

/**
 * Allowed kinds of parts by position: a list of the message, a collection inside such a list, or a section of a template.
 * @spec Resources and their fields > Message part object
 * @assumed The positions of `callback` and `help_text` beyond the shapes that the specification shows.
 */
export const PART_PLACEMENT = {
  message_parts: CONTENT,
  "message_parts > collection": ["url_button"],
  reply_parts: ENABLERS,
  "reply_parts > collection": ["url_button", "quick_reply_button"],
} as const satisfies Record<string, readonly MessagePartKey[]>;

/** Sections of each template type: the allowed parts, and whether the section is required. */
export const TEMPLATES = {
  carousel: {
    carousel_title: { parts: ["text"], required: true },
    cards: { parts: ["template_content"], required: true, templates: ["carousel_card_default"] },
  },
  carousel_card_default: {
    hero_image: { parts: ["image"], required: true },
    title: { parts: ["text"], required: true },
    description: { parts: ["text"], required: false },
    callback: { parts: ["callback"], required: true },
    view: { parts: ["url_button"], required: false },
  },
  quick_reply_dropdown: {
    options: { parts: ["quick_reply_button"], required: true },
  },
} as const satisfies Record<string, Record<string, TemplateSection>>;

export interface TemplateSection {
  readonly parts: readonly MessagePartKey[];
  readonly required: boolean;
  readonly templates?: readonly string[];
}
/** Template types that are allowed directly in reply_parts. A card is allowed in a carousel only. */
export const REPLY_TEMPLATES = ["carousel", "quick_reply_dropdown"] as const;
