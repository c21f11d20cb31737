import type { NewMessage } from "@parley/contract";
import { quickReplies } from "./bot-message.ts";
import type { MenuStyle } from "./settings.ts";

type Parts = NonNullable<NewMessage["reply_parts"]>;
type Template = NonNullable<Parts[number]["template_content"]>;

export const CARDS_TITLE = "Please choose:";
/** A card must have a picture: one of a single colour says nothing that its title doesn't. */
const PLAIN_TILE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAJCAMAAAAM9FwAAAAAA1BMVEUvb2usbvO/AAAADElEQVR42mNgGKQAAACZAAF6xvHnAAAAAElFTkSuQmCC";

const section = (name: string, parts: Parts): Template["sections"][number] => ({ name, parts });
const text = (content: string): Parts => [{ text: { content } }];

const dropdown = (labels: readonly string[]): Template => ({
  type: "quick_reply_dropdown",
  sections: [
    section(
      "options",
      labels.map((label) => ({ quick_reply_button: { label, payload: label } })),
    ),
  ],
});

const card = (label: string, picture: string): Template => ({
  type: "carousel_card_default",
  sections: [
    section("hero_image", [{ image: { url: picture } }]),
    section("title", text(label)),
    section("callback", [{ callback: { label, payload: label } }]),
  ],
});

const carousel = (labels: readonly string[], picture: string): Template => ({
  type: "carousel",
  sections: [
    section("carousel_title", text(CARDS_TITLE)),
    section(
      "cards",
      labels.map((label) => ({ template_content: card(label, picture) })),
    ),
  ],
});

/**
 * The menu as the admin wants it to look. Whatever its look, what is chosen comes back as the label.
 * @param picture address of the one on the cards
 * @returns undefined where there is nothing to choose
 * @spec Resources and their fields > Message part object
 */
export const menuParts = (
  style: MenuStyle,
  labels: readonly string[],
  picture = PLAIN_TILE,
): NewMessage["reply_parts"] => {
  if (labels.length === 0) return undefined;
  if (style === "Buttons") return quickReplies(labels);
  return [{ template_content: style === "List" ? dropdown(labels) : carousel(labels, picture) }];
};

/** The labels that a message offers, in whatever look. */
export const labelsOf = (parts: NewMessage["reply_parts"]): string[] =>
  (parts ?? []).flatMap(({ collection, template_content, quick_reply_button, callback }) => [
    ...(quick_reply_button ? [quick_reply_button.label] : []),
    ...(callback ? [callback.label] : []),
    ...labelsOf(collection?.sub_parts),
    ...labelsOf(template_content?.sections.flatMap((one) => one.parts)),
  ]);
