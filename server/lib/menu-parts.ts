import type { NewMessage } from "@parley/contract";
import { quickReplies } from "./bot-message.ts";
import type { MenuStyle } from "./settings.ts";

type Parts = NonNullable<NewMessage["reply_parts"]>;
type Template = NonNullable<Parts[number]["template_content"]>;

export const CARDS_TITLE = "Please choose:";
/** Picture of a card without one, since a card requires a picture: a single colour. */
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
 * The menu in the form that the admin chose. Every form sends the label of the choice.
 * @param picture URL of the picture on the cards
 * @returns undefined when there are no choices
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

/** The labels that a message offers, in every form. */
export const labelsOf = (parts: NewMessage["reply_parts"]): string[] =>
  (parts ?? []).flatMap(({ collection, template_content, quick_reply_button, callback }) => [
    ...(quick_reply_button ? [quick_reply_button.label] : []),
    ...(callback ? [callback.label] : []),
    ...labelsOf(collection?.sub_parts),
    ...labelsOf(template_content?.sections.flatMap((one) => one.parts)),
  ]);
