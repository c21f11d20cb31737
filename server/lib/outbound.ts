import type { NewOutboundMessage } from "@parley/contract";
import { internationalOf } from "./international.ts";
import { alike, linesOf, type LineProblem } from "./lines.ts";
import type { Settings } from "./settings.ts";
import { readTemplate } from "./template.ts";

/** A template of the provider, and what fills its places. */
export interface TemplateMessage {
  readonly template: string;
  /** Such as en_US. */
  readonly language: string;
  /** Templates of the admin's, for the places {{1}}, {{2}} … in their order. */
  readonly values: readonly string[];
}
/** One line of the template messages. */
export interface OutboundEvent extends TemplateMessage {
  readonly line: number;
  /** Such as order.shipped. */
  readonly event: string;
}

export const MOST_OUTBOUND_EVENTS = 50;
const MOST_VALUES = 20;
const FORM = 'write "event => template (language): value, value".';
const HEAD = /^([^\s():]+)\s*\(\s*([A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})*)\s*\)\s*(?::(.*))?$/;

const read = (line: number, text: string): OutboundEvent | LineProblem => {
  const at = text.indexOf("=>");
  const event = text.slice(0, Math.max(at, 0)).trim();
  const [, template, language, rest = ""] = HEAD.exec(text.slice(at + 2).trim()) ?? [];
  if (at < 0 || !event || /\s/.test(event) || template === undefined || language === undefined)
    return { line, message: FORM };
  const values = rest.trim() === "" ? [] : rest.split(",").map((value) => value.trim());
  if (values.length > MOST_VALUES) return { line, message: `a template takes at most ${MOST_VALUES} values.` };
  for (const [index, value] of values.entries()) {
    if (value === "") return { line, message: `value ${index + 1} is empty.` };
    const checked = readTemplate(value);
    if (!checked.ok) return { line, message: `value ${index + 1}: ${checked.problem.message}` };
  }
  return { line, event, template, language, values };
};

/** Reads the template messages; a line that can't be read is a problem and no message, the other lines still count. */
export function parseOutboundEvents(text: string): {
  readonly events: readonly OutboundEvent[];
  readonly problems: LineProblem[];
} {
  const events: OutboundEvent[] = [];
  const problems: LineProblem[] = [];
  for (const { line, text: one } of linesOf(text)) {
    const found = read(line, one);
    if ("message" in found) problems.push(found);
    else {
      const first = outboundFor(events, found.event);
      if (first) problems.push({ line, message: `"${found.event}" is the event of line ${first.line} already.` });
      else if (events.length === MOST_OUTBOUND_EVENTS)
        problems.push({ line, message: `at most ${MOST_OUTBOUND_EVENTS} events can have a message.` });
      else events.push(found);
    }
  }
  return { events, problems };
}

export const outboundFor = (events: readonly OutboundEvent[], event: string): OutboundEvent | undefined =>
  events.find((one) => alike(one.event) === alike(event));

/**
 * The host that sends outbound messages for an account.
 * @spec What the service does
 * @assumed It is `outbound` beside the account, where README.md's PARLEY_OUTBOUND_HOST has it when nothing is set.
 * @shape domain: as events carry it, such as acme.parley.localhost
 */
export const outboundHostOf = (domain: string): string =>
  domain.replace(/^https:\/\//, "").replace(/^[^.]+/, "outbound");

/** The request for one message, or why there can be none, for the log. */
export function outboundRequest(
  { from, namespace }: Settings["outbound"],
  { template, language, values }: TemplateMessage,
  phone: string | undefined,
  view: object,
): { readonly ok: true; readonly body: NewOutboundMessage } | { readonly ok: false; readonly problem: string } {
  const [sender, recipient] = [from, phone ?? ""].map(internationalOf);
  const no = (problem: string) => ({ ok: false, problem }) as const;
  if (!sender) return no("the sender's number is missing in the settings, or has no country.");
  if (!namespace) return no("the namespace of the templates is missing in the settings.");
  if (!recipient)
    return no(phone ? "the customer's phone number has no country." : "the customer has no phone number.");
  const texts = values.map((value) => {
    const checked = readTemplate(value);
    return checked.ok ? checked.render(view) : "";
  });
  const empty = texts.indexOf("");
  if (empty >= 0) return no(`value ${empty + 1} (${values[empty]}) is empty for this customer.`);
  return {
    ok: true,
    body: {
      from: { phone_number: sender },
      provider: "chatapp",
      to: [{ phone_number: recipient }],
      data: {
        message_template: {
          storage: "conversation",
          template_name: template,
          namespace,
          language: { policy: "deterministic", code: language },
          rich_template_data: { body: { params: texts.map((data) => ({ data })) } },
        },
      },
    },
  };
}
