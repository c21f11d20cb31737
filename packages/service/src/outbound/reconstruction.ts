import type { MessagePart } from "@parley/contract";
import type { TemplateMessage } from "../conversations/answered.ts";
import type { WaitingRow } from "./db/waiting.ts";
import type { Rendered } from "./rendering.ts";

const headerPart = (header: NonNullable<Rendered["header"]>): MessagePart => {
  if (header.type === "text") return { text: { content: header.text } };
  const { type, media_url: url } = header;
  return type === "document" ? { file: { url } } : type === "video" ? { video: { url } } : { image: { url } };
};

/**
 * A template message as agents read it in the conversation.
 * @spec Resources and their fields > Outbound message object
 * @assumed It stands there as a bot's message; meta_data names the outbound message and its request.
 */
export const reconstructed = ({ id, request_id, rendered }: WaitingRow): TemplateMessage => {
  const { header, body, buttons } = JSON.parse(rendered) as Rendered;
  return {
    id,
    message_parts: [
      ...(header ? [headerPart(header)] : []),
      { text: { content: body } },
      ...buttons.map(({ label, url }) => ({ url_button: { label, url, target: "_blank" } })),
    ],
    meta_data: { outbound_message_id: id, outbound_request_id: request_id },
  };
};
