import type { Message, MessagePart } from "@parley/contract";

/** An answer that the customer can choose. */
export interface ReplyChoice {
  readonly label: string;
  /** Text that is sent as the customer's message. */
  readonly text: string;
}

interface ReplyLink {
  readonly label: string;
  readonly url: string;
}

export interface ReplyCard {
  readonly title: string;
  readonly description: string | undefined;
  readonly imageUrl: string | undefined;
  readonly choice: ReplyChoice | undefined;
  readonly link: ReplyLink | undefined;
}

/** Choices of a message below its text. */
export type ReplyOffer =
  | ({ readonly kind: "choice" } & ReplyChoice)
  | ({ readonly kind: "link" } & ReplyLink)
  | { readonly kind: "dropdown"; readonly choices: readonly ReplyChoice[] }
  | { readonly kind: "carousel"; readonly title: string; readonly cards: readonly ReplyCard[] }
  | { readonly kind: "help"; readonly text: string };

type Template = NonNullable<MessagePart["template_content"]>;

const sectionOf = ({ sections }: Template, name: string): readonly MessagePart[] =>
  sections.find((section) => section.name === name)?.parts ?? [];

const choiceOf = ({ quick_reply_button, callback }: MessagePart): ReplyChoice | undefined => {
  if (quick_reply_button) {
    const { label, custom_reply_text } = quick_reply_button;
    return { label, text: custom_reply_text || label };
  }
  return callback && { label: callback.label, text: callback.label };
};

const cardOf = (template: Template): ReplyCard => {
  const [hero, title, description, callback, view] = ["hero_image", "title", "description", "callback", "view"].map(
    (name) => sectionOf(template, name)[0],
  );
  const link = view?.url_button;
  return {
    title: title?.text?.content ?? "",
    description: description?.text?.content,
    imageUrl: hero?.image?.url,
    choice: callback && choiceOf(callback),
    link: link && { label: link.label, url: link.url },
  };
};

const offersOfTemplate = (template: Template): readonly ReplyOffer[] => {
  switch (template.type) {
    case "quick_reply_dropdown":
      return [{ kind: "dropdown", choices: sectionOf(template, "options").flatMap((part) => choiceOf(part) ?? []) }];
    case "carousel": {
      const title = sectionOf(template, "carousel_title")[0]?.text?.content ?? "";
      const cards = sectionOf(template, "cards").flatMap(({ template_content }) => template_content ?? []);
      return [{ kind: "carousel", title, cards: cards.map(cardOf) }];
    }
    default:
      // A type that is newer than this page: its choices can still be chosen.
      return template.sections.flatMap(({ parts }) => parts.flatMap(offersOf));
  }
};

const offersOf = (part: MessagePart): readonly ReplyOffer[] => {
  const { collection, template_content, url_button, help_text } = part;
  if (collection) return collection.sub_parts.flatMap(offersOf);
  if (template_content) return offersOfTemplate(template_content);
  if (url_button) return [{ kind: "link", label: url_button.label, url: url_button.url }];
  if (help_text) return [{ kind: "help", text: help_text.content }];
  const choice = choiceOf(part);
  return choice ? [{ kind: "choice", ...choice }] : [];
};

/** -> what a message offers the customer, in its order */
export const replyOffers = ({ reply_parts = [] }: Pick<Message, "reply_parts">): readonly ReplyOffer[] =>
  reply_parts.flatMap(offersOf);
