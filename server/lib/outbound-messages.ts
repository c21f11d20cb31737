import { normalizeName, settingLinesOf, type SettingLineProblem } from "./setting-lines.ts";
import { parseMessageTemplate } from "./template.ts";
import type { NewOutboundMessage } from "@parley/contract";
import type { Settings } from "./settings.ts";

/** A template of the provider, with the admin's templates for its placeholders, in order. */
interface OutboundTemplateMessage {
  readonly template: string;
  /** Language code such as en_US. */
  readonly language: string;
  /** Values of the text's placeholders. */
  readonly values: readonly string[];
  readonly header?: { readonly type: HeaderType; readonly values: readonly string[] };
  /** Values of the buttons that have a placeholder. */
  readonly buttons: readonly string[];
}
/** One line of the setting. */
interface OutboundEvent extends OutboundTemplateMessage {
  readonly line: number;
  /** Name of the event, such as order.shipped. */
  readonly event: string;
}

/** Keywords of a line for the parts of a template besides its text, with their names in a request. @spec Outbound message object */
const HEADERS = { header: "text", image: "image", video: "video", document: "document" } as const;
type HeaderType = (typeof HEADERS)[keyof typeof HEADERS];

export const OUTBOUND_EVENTS_MAX = 50;
const VALUES_MAX = 20;
const LINE_FORMAT = 'write "event => template (language): value, value".';
const TEMPLATE_PATTERN =
  /^([^\s():;,]+)\s*\(\s*([A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})*)\s*\)\s*(?::([^;]*))?((?:;.*)?)$/;
const PART_PATTERN = /^(header|image|video|document|button)\s*:(.*)$/i;

class LineError extends Error {}
const rejectLine = (message: string): never => {
  throw new LineError(message);
};

const valuesIn = (text: string, where: string): readonly string[] => {
  if (text.trim() === "") return [];
  const values = text.split(",").map((value) => value.trim());
  if (values.length > VALUES_MAX) rejectLine(`${where} takes at most ${VALUES_MAX} values.`);
  for (const [index, value] of values.entries()) {
    if (value === "") rejectLine(`value ${index + 1} of ${where} is empty.`);
    const checked = parseMessageTemplate(value);
    if (!checked.ok) rejectLine(`value ${index + 1} of ${where}: ${checked.problem.message}`);
  }
  return values;
};

/** Parses the part after the values of the text: "; image: value; button: value". */
const partsIn = (text: string): Pick<OutboundTemplateMessage, "header" | "buttons"> => {
  const buttons: string[] = [];
  let header: OutboundTemplateMessage["header"];
  for (const part of text.split(";").slice(1)) {
    const [, word = "", rest = ""] = PART_PATTERN.exec(part.trim()) ?? [];
    const name = word.toLowerCase();
    if (name === "")
      rejectLine(`after a semicolon write ${Object.keys(HEADERS).join(", ")} or button, a colon and a value.`);
    const values = valuesIn(rest, `"${name}"`);
    if (values.length === 0) rejectLine(`"${name}" needs a value.`);
    if (name === "button") buttons.push(...values);
    else if (header) rejectLine("a template has one header.");
    else {
      const type = HEADERS[name as keyof typeof HEADERS];
      if (type !== "text" && values.length > 1) rejectLine(`"${name}" takes one value, an address.`);
      header = { type, values };
    }
  }
  return { ...(header && { header }), buttons };
};

const parseOutboundLine = (line: number, text: string): OutboundEvent => {
  const at = text.indexOf("=>");
  const event = text.slice(0, Math.max(at, 0)).trim();
  const [, template, language, values = "", parts = ""] = TEMPLATE_PATTERN.exec(text.slice(at + 2).trim()) ?? [];
  if (event === "" || /\s/.test(event) || template === undefined || language === undefined)
    return rejectLine(LINE_FORMAT);
  return { line, event, template, language, values: valuesIn(values, "the text"), ...partsIn(parts) };
};

/**
 * Parses the template messages, one per line: `event => template (language): value, value; image: value; button: value`. A line that can't be
 * parsed is reported and ignored; the other lines remain valid.
 */
export function parseOutboundEvents(text: string): {
  readonly events: readonly OutboundEvent[];
  readonly problems: SettingLineProblem[];
} {
  const events: OutboundEvent[] = [];
  const problems: SettingLineProblem[] = [];
  for (const { line, text: one } of settingLinesOf(text))
    try {
      const found = parseOutboundLine(line, one);
      const first = findOutboundEvent(events, found.event);
      if (first) rejectLine(`"${found.event}" is the event of line ${first.line} already.`);
      if (events.length === OUTBOUND_EVENTS_MAX)
        rejectLine(`at most ${OUTBOUND_EVENTS_MAX} events can have a message.`);
      events.push(found);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      problems.push({ line, message: error.message });
    }
  return { events, problems };
}

export const findOutboundEvent = (events: readonly OutboundEvent[], event: string): OutboundEvent | undefined =>
  events.find((one) => normalizeName(one.event) === normalizeName(event));

const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * A phone number with its country in the form of outbound messages (E.164): +1 (202) 555-0101 and 0012025550101 are equal.
 * -> undefined for a text without a country or that is not a number
 */
export const parseE164 = (text: string): string | undefined => {
  const number = text.replace(/[\s()./-]/g, "").replace(/^00/, "+");
  return E164.test(number) ? number : undefined;
};

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
class CompositionError extends Error {}
const rejectMessage = (message: string): never => {
  throw new CompositionError(message);
};

const richData = ({ values, header, buttons }: OutboundTemplateMessage, view: object): RichData => {
  const rendered = (value: string): string => {
    const checked = parseMessageTemplate(value);
    return (checked.ok && checked.render(view)) || rejectMessage(`the value ${value} is empty for this customer.`);
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

/** Composes the request for one template message. -> the request, or a sentence for the log with the reason why no request is possible */
export function outboundRequest(
  { from, namespace }: Settings["outbound"],
  message: OutboundTemplateMessage,
  phone: string | undefined,
  view: object,
): { readonly ok: true; readonly body: NewOutboundMessage } | { readonly ok: false; readonly problem: string } {
  try {
    const sender =
      parseE164(from) ?? rejectMessage("the sender's number is missing in the settings, or has no country.");
    if (!namespace) rejectMessage("the namespace of the templates is missing in the settings.");
    if (!phone) rejectMessage("the customer has no phone number.");
    const recipient = parseE164(phone ?? "") ?? rejectMessage("the customer's phone number has no country.");
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
    if (error instanceof CompositionError) return { ok: false, problem: error.message };
    throw error;
  }
}
