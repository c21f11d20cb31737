import type { NewOutboundMessage } from "@parley/contract";
import { internationalOf } from "./international.ts";
import type { OutboundTemplateMessage } from "./outbound.ts";
import type { Settings } from "./settings.ts";
import { readTemplate } from "./template.ts";

/**
 * Returns the host that sends outbound messages for an account.
 * @spec What the service does
 * @assumed It is `outbound` beside the account's host, which is the service's default for PARLEY_OUTBOUND_HOST.
 * @shape domain: as in events, such as acme.parley.localhost
 */
export const outboundHostOf = (domain: string): string =>
  domain.replace(/^https:\/\//, "").replace(/^[^.]+/, "outbound");

type RichData = NonNullable<NewOutboundMessage["data"]["message_template"]["rich_template_data"]>;

/** Thrown if a message can't be composed. The message concerns settings and contains no customer data, so that it can be logged. */
class Unmakeable extends Error {}
const no = (message: string): never => {
  throw new Unmakeable(message);
};

const richData = ({ values, header, buttons }: OutboundTemplateMessage, view: object): RichData => {
  const rendered = (value: string): string => {
    const checked = readTemplate(value);
    return (checked.ok && checked.render(view)) || no(`the value ${value} is empty for this customer.`);
  };
  const params = (texts: readonly string[]) => texts.map((text) => ({ data: rendered(text) }));
  const [media = ""] = header?.values ?? [];
  return {
    body: { params: params(values) },
    ...(header && {
      header:
        header.type === "text"
          ? { type: header.type, params: params(header.values) }
          : { type: header.type, media_url: rendered(media) },
    }),
    ...(buttons.length > 0 && { button: buttons.map((text) => ({ subType: "url", params: params([text]) })) }),
  };
};

/** Composes the request for one template message. -> the request, or a sentence for the log about why there is none */
export function outboundRequest(
  { from, namespace }: Settings["outbound"],
  message: OutboundTemplateMessage,
  phone: string | undefined,
  view: object,
): { readonly ok: true; readonly body: NewOutboundMessage } | { readonly ok: false; readonly problem: string } {
  try {
    const sender = internationalOf(from) ?? no("the sender's number is missing in the settings, or has no country.");
    if (!namespace) no("the namespace of the templates is missing in the settings.");
    if (!phone) no("the customer has no phone number.");
    const recipient = internationalOf(phone ?? "") ?? no("the customer's phone number has no country.");
    const message_template = {
      storage: "conversation",
      template_name: message.template,
      namespace,
      language: { policy: "deterministic", code: message.language },
      rich_template_data: richData(message, view),
    } as const;
    return {
      ok: true,
      body: {
        from: { phone_number: sender },
        provider: "chatapp",
        to: [{ phone_number: recipient }],
        data: { message_template },
      },
    };
  } catch (error) {
    if (error instanceof Unmakeable) return { ok: false, problem: error.message };
    throw error;
  }
}
