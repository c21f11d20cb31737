import type { Message, MessagePart } from "@parley/contract";

/** An answer that the customer can choose. */
export interface ReplyChoice {
  readonly label: string;
  /** What is sent as the customer's message. */
  readonly text: string;
}

const choicesIn = (part: MessagePart): readonly ReplyChoice[] => {
  const { quick_reply_button, callback, collection, template_content } = part;
  if (quick_reply_button)
    return [
      { label: quick_reply_button.label, text: quick_reply_button.custom_reply_text || quick_reply_button.label },
    ];
  if (callback) return [{ label: callback.label, text: callback.label }];
  const parts = collection?.sub_parts ?? template_content?.sections.flatMap((section) => section.parts) ?? [];
  return parts.flatMap(choicesIn);
};

/** -> the answers that a message offers, in their order, each text once */
export const replyChoices = ({ reply_parts = [] }: Pick<Message, "reply_parts">): readonly ReplyChoice[] => {
  const all = reply_parts.flatMap(choicesIn);
  return all.filter(({ text }, index) => all.findIndex((other) => other.text === text) === index);
};
