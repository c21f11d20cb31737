import { alike, linesOf, type SettingLineProblem } from "./setting-lines.ts";
import { readTemplate } from "./template.ts";

/** A template of the provider, with the admin's templates for its placeholders, in order. */
export interface OutboundTemplateMessage {
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
export interface OutboundEvent extends OutboundTemplateMessage {
  readonly line: number;
  /** Name of the event, such as order.shipped. */
  readonly event: string;
}

/** Keywords of a line for the parts of a template besides its text, with their names in a request. @spec Outbound message object */
const HEADERS = { header: "text", image: "image", video: "video", document: "document" } as const;
export type HeaderType = (typeof HEADERS)[keyof typeof HEADERS];

export const MAX_OUTBOUND_EVENTS = 50;
const VALUES_MAX = 20;
const FORM = 'write "event => template (language): value, value".';
const HEAD = /^([^\s():;,]+)\s*\(\s*([A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})*)\s*\)\s*(?::([^;]*))?((?:;.*)?)$/;
const PART = /^(header|image|video|document|button)\s*:(.*)$/i;

class Unreadable extends Error {}
const no = (message: string): never => {
  throw new Unreadable(message);
};

const valuesIn = (text: string, where: string): readonly string[] => {
  if (text.trim() === "") return [];
  const values = text.split(",").map((value) => value.trim());
  if (values.length > VALUES_MAX) no(`${where} takes at most ${VALUES_MAX} values.`);
  for (const [index, value] of values.entries()) {
    if (value === "") no(`value ${index + 1} of ${where} is empty.`);
    const checked = readTemplate(value);
    if (!checked.ok) no(`value ${index + 1} of ${where}: ${checked.problem.message}`);
  }
  return values;
};

/** Parses what follows the values of the text: "; image: value; button: value". */
const partsIn = (text: string): Pick<OutboundTemplateMessage, "header" | "buttons"> => {
  const buttons: string[] = [];
  let header: OutboundTemplateMessage["header"];
  for (const part of text.split(";").slice(1)) {
    const [, word = "", rest = ""] = PART.exec(part.trim()) ?? [];
    const name = word.toLowerCase();
    if (name === "") no(`after a semicolon write ${Object.keys(HEADERS).join(", ")} or button, a colon and a value.`);
    const values = valuesIn(rest, `"${name}"`);
    if (values.length === 0) no(`"${name}" needs a value.`);
    if (name === "button") buttons.push(...values);
    else if (header) no("a template has one header.");
    else {
      const type = HEADERS[name as keyof typeof HEADERS];
      if (type !== "text" && values.length > 1) no(`"${name}" takes one value, an address.`);
      header = { type, values };
    }
  }
  return { ...(header && { header }), buttons };
};

const read = (line: number, text: string): OutboundEvent => {
  const at = text.indexOf("=>");
  const event = text.slice(0, Math.max(at, 0)).trim();
  const [, template, language, values = "", parts = ""] = HEAD.exec(text.slice(at + 2).trim()) ?? [];
  if (event === "" || /\s/.test(event) || template === undefined || language === undefined) return no(FORM);
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
  for (const { line, text: one } of linesOf(text))
    try {
      const found = read(line, one);
      const first = outboundFor(events, found.event);
      if (first) no(`"${found.event}" is the event of line ${first.line} already.`);
      if (events.length === MAX_OUTBOUND_EVENTS) no(`at most ${MAX_OUTBOUND_EVENTS} events can have a message.`);
      events.push(found);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push({ line, message: error.message });
    }
  return { events, problems };
}

export const outboundFor = (events: readonly OutboundEvent[], event: string): OutboundEvent | undefined =>
  events.find((one) => alike(one.event) === alike(event));
