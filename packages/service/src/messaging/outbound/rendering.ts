import {
  BLANK_TEXT_REASON,
  INVALID_VALUE,
  isBlank,
  LIMITS,
  type MessageTemplate,
  MISSING_PARAMETER,
  refuse,
  type Template,
  TEMPLATE_MISMATCH,
  urlOf,
} from "@parley/contract";

const PLACEHOLDER = /\{\{\s*(\d{1,3})\s*\}\}/g;

/** -> number of parameters: the highest placeholder number in the text. */
export const placeholderCount = (text: string): number =>
  Math.max(0, ...[...text.matchAll(PLACEHOLDER)].map(([, number]) => Number(number)));

/** Substitutes parameters in one pass: placeholders inside a parameter are not expanded. */
export const fillPlaceholders = (text: string, params: readonly string[]): string =>
  text.replace(PLACEHOLDER, (whole, number: string) => params[Number(number) - 1] ?? whole);

/** The text for the recipient. Later changes of the template do not affect it. */
export interface RenderedTemplate {
  readonly header?:
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "video" | "document"; readonly media_url: string }
    | undefined;
  readonly body: string;
  readonly buttons: readonly { readonly label: string; readonly url: string }[];
}

type Rich = NonNullable<MessageTemplate["rich_template_data"]>;
type Params = NonNullable<NonNullable<Rich["body"]>["params"]>;

const TEMPLATE = "data.message_template";
const RICH_TEMPLATE_DATA = `${TEMPLATE}.rich_template_data`;
const HEADER = `${RICH_TEMPLATE_DATA}.header`;

const refuseMismatch = (place: string, reason: string): never => refuse(TEMPLATE_MISMATCH, `${place} ${reason}.`);
const refuseValue = (place: string, reason: string): never => refuse(INVALID_VALUE, `${place} ${reason}`);

const fill = (place: string, text: string, supplied: Params = []): string => {
  const params = supplied.map(({ data }, index) =>
    isBlank(data) ? refuseValue(`${place}[${index}].data`, BLANK_TEXT_REASON) : data,
  );
  const taken = placeholderCount(text);
  if (params.length !== taken) refuseMismatch(place, `must hold ${taken}, not ${params.length}`);
  const whole = fillPlaceholders(text, params);
  if (whole.length > LIMITS.text_characters)
    refuseValue(place, `make a text of more than ${LIMITS.text_characters} characters`);
  return whole;
};

const secureUrl = (place: string, text: string): string => {
  const url = urlOf(text);
  return url?.protocol === "https:" && url.username === "" && url.password === ""
    ? url.href
    : refuseValue(place, "must be an https address");
};

const headerOf = (wanted: Template["header"], supplied: Rich["header"]): RenderedTemplate["header"] => {
  if (!wanted) return supplied ? refuseMismatch(HEADER, "is given, but the template has no header") : undefined;
  if (supplied && supplied.type !== wanted.type)
    refuseMismatch(`${HEADER}.type`, `must be ${wanted.type}, not ${supplied.type}`);
  const { type } = wanted;
  if (type === "text") {
    if (supplied?.media_url !== undefined)
      refuseMismatch(`${HEADER}.media_url`, "is given, but the template's header is a text");
    return { type, text: fill(`${HEADER}.params`, wanted.text ?? "", supplied?.params) };
  }
  if (supplied?.media_url === undefined)
    return refuseMismatch(`${HEADER}.media_url`, `is missing: the header is of type ${type}`);
  fill(`${HEADER}.params`, "", supplied.params);
  return { type, media_url: secureUrl(`${HEADER}.media_url`, supplied.media_url) };
};

const originOf = (text: string): string | undefined => urlOf(text)?.origin;

/** @assumed A parameter may change the path of the template's button, not its site. */
const buttonUrl = (place: string, template: string, supplied: Params): string => {
  const whole = fill(place, template, supplied);
  if (originOf(whole) !== originOf(fillPlaceholders(template, [""])))
    refuseValue(place, "must not change the site of the button");
  return urlOf(whole)?.href ?? refuseValue(place, "make no valid address");
};

const counted = (count: number): string => `${count} ${count === 1 ? "button" : "buttons"}`;

const needed = (wanted: number, supplied: number): string =>
  wanted === 0
    ? "may not be given: no button of the template takes a parameter"
    : `must hold ${counted(wanted)}, one for each of the template's that takes a parameter, and holds ${counted(supplied)}`;

/**
 * @assumed Buttons with placeholders take the given values in order. Buttons without placeholders take no values and
 * may be omitted.
 */
const buttonsOf = (wanted: Template["buttons"] = [], supplied: Rich["button"]): RenderedTemplate["buttons"] => {
  const list = supplied === undefined ? [] : [supplied].flat();
  const place = (index: number) => `${RICH_TEMPLATE_DATA}.button${Array.isArray(supplied) ? `[${index}]` : ""}`;
  for (const [index, { subType = "url" }] of list.entries())
    if (subType !== "url") refuseMismatch(`${place(index)}.subType`, `must be url, not ${subType}`);
  const dynamic = wanted.filter(({ url }) => placeholderCount(url) > 0);
  const filling = list.map((button, index) => ({ params: button.params ?? [], place: `${place(index)}.params` }));
  const isInPlace = filling.length === wanted.length && filling.length > dynamic.length;
  if (!isInPlace && filling.length !== dynamic.length)
    refuseMismatch(`${RICH_TEMPLATE_DATA}.button`, needed(dynamic.length, filling.length));
  return wanted.map((button, index) => {
    const fitting = filling[isInPlace ? index : dynamic.indexOf(button)];
    const { params = [], place: at = `${RICH_TEMPLATE_DATA}.button` } = fitting ?? {};
    return { label: button.label, url: buttonUrl(at, button.url, params) };
  });
};

/**
 * Renders a template with the given parameters.
 * @spec Resources and their fields > Outbound message object
 * @errors MISSING_PARAMETER, TEMPLATE_MISMATCH, INVALID_VALUE; the message names the member
 * @assumed rich_template_data takes precedence over template_data. A parameter of blanks counts as empty.
 */
export const renderTemplate = (template: Template, supplied: MessageTemplate): RenderedTemplate => {
  const { rich_template_data: rich, template_data } = supplied;
  const header = headerOf(template.header, rich?.header);
  const [place, params] = rich
    ? [`${RICH_TEMPLATE_DATA}.body.params`, rich.body?.params]
    : [`${TEMPLATE}.template_data`, template_data];
  const body = fill(place, template.body.text, params);
  return { header, body, buttons: buttonsOf(template.buttons, rich?.button) };
};

/** @errors MISSING_PARAMETER */
export const checkData = ({ rich_template_data, template_data }: MessageTemplate): void => {
  if (!rich_template_data && !template_data) refuse(MISSING_PARAMETER, `${RICH_TEMPLATE_DATA} is mandatory`);
};
