import type { Template } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
import { parsedAddress } from "../parsed-address.ts";
import { outboundTemplateMessages as texts } from "./messages.ts";

export const STATUSES = ["approved", "pending", "rejected"] as const satisfies readonly Template["status"][];
type TemplateStatus = Template["status"];

/** `none`: the template has no header. */
export const HEADERS = ["none", "text", "image", "video", "document"] as const;
export type TemplateHeaderType = (typeof HEADERS)[number];

/** A button that opens an address. */
export interface ButtonValue {
  /** Identifies the row of the form. */
  readonly key: number;
  readonly label: string;
  readonly url: string;
}

/** Values of the form of a template. */
export interface OutboundTemplateValues {
  readonly namespace: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly header: TemplateHeaderType;
  /** Of a text header. */
  readonly headerText: string;
  readonly body: string;
  readonly buttons: readonly ButtonValue[];
}

export const emptyOutboundTemplate: OutboundTemplateValues = {
  namespace: "",
  name: "",
  language: "",
  status: "pending",
  header: "none",
  headerText: "",
  body: "",
  buttons: [],
};

export const outboundTemplateValuesOf = ({
  header,
  body,
  buttons = [],
  ...template
}: Template): OutboundTemplateValues => ({
  ...template,
  header: header?.type ?? "none",
  headerText: header?.text ?? "",
  body: body.text,
  buttons: buttons.map(({ label, url }, key) => ({ key, label, url })),
});

const headerOf = ({ header, headerText }: OutboundTemplateValues): Pick<Template, "header"> => {
  if (header === "none") return {};
  return { header: header === "text" ? { type: header, text: headerText } : { type: header } };
};

/** A document's template replaces the present one completely. */
export const outboundTemplateSettingOf = (values: OutboundTemplateValues): Template => ({
  namespace: values.namespace.trim(),
  name: values.name.trim(),
  language: values.language.trim(),
  status: values.status,
  ...headerOf(values),
  body: { text: values.body },
  ...(values.buttons.length > 0 && {
    buttons: values.buttons.map(({ label, url }) => ({
      subType: "url" as const,
      label: label.trim(),
      url: url.trim(),
    })),
  }),
});

type TemplateKey = Pick<Template, "namespace" | "name" | "language">;

/** -> the name by which a document removes the template */
export const removalName = ({ namespace, name, language }: TemplateKey): string => `${namespace}/${name} (${language})`;

const PLACEHOLDER = new RegExp(ADMIN_VALUES.accountPatterns.placeholder, "g");
const PLACEHOLDER_NUMBER = new RegExp(ADMIN_VALUES.accountPatterns.placeholder_number);

/** A part of a text: as it is written, or the content of a placeholder. */
type TemplatePiece = { readonly text: string } | { readonly placeholder: string };

/** -> the text with its placeholders apart */
export const piecesOf = (text: string): readonly TemplatePiece[] => {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ placeholder: match[1] ?? "" });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces;
};

/** -> the placeholders of a text, each once */
const placeholdersOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(PLACEHOLDER)].map(([, placeholder = ""]) => placeholder)),
];

/** -> why the placeholders are refused: they are numbered from 1 without a gap */
export const placeholderProblem = (text: string): string | undefined => {
  const found = placeholdersOf(text);
  const wrong = found.find((each) => !PLACEHOLDER_NUMBER.test(each) || Number(each) > found.length);
  return wrong === undefined ? undefined : texts.placeholderWrong(`{{${wrong}}}`);
};

/** -> the next placeholder of a text */
export const nextPlaceholder = (text: string): string => `{{${placeholdersOf(text).length + 1}}}`;

const textProblem = (text: string): string | undefined => {
  if (text === "") return texts.textMissing;
  return text.length > VALUES.limits.text_characters ? texts.textTooLong : placeholderProblem(text);
};

const nameProblem = (text: string): string | undefined => {
  if (text.trim() === "") return texts.nameMissing;
  return text.trim().length > VALUES.limits.short_text_characters ? texts.textTooLong : undefined;
};

/** -> why a button is refused */
export const buttonProblem = ({ label, url }: Pick<ButtonValue, "label" | "url">): string | undefined => {
  if (label.trim() === "") return texts.buttonLabelMissing;
  if (label.trim().length > VALUES.limits.short_text_characters) return texts.textTooLong;
  const problem = placeholderProblem(url);
  if (problem !== undefined) return problem;
  return /^https?:/i.test(url.trim()) && parsedAddress(url.trim().replaceAll(PLACEHOLDER, "1"))
    ? undefined
    : texts.buttonUrlInvalid;
};

/** @shape others: the other templates */
export const outboundTemplateProblemsOf = (
  values: OutboundTemplateValues,
  others: readonly TemplateKey[],
): Partial<Record<keyof OutboundTemplateValues, string>> => {
  const isTaken = others.some((other) => removalName(other) === removalName(outboundTemplateSettingOf(values)));
  const found: Record<keyof OutboundTemplateValues, string | undefined> = {
    namespace: nameProblem(values.namespace),
    name: nameProblem(values.name) ?? (isTaken ? texts.nameTaken : undefined),
    language: nameProblem(values.language),
    status: undefined,
    header: undefined,
    headerText: values.header === "text" ? textProblem(values.headerText) : undefined,
    body: textProblem(values.body),
    buttons: values.buttons.map(buttonProblem).find((problem) => problem !== undefined),
  };
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined));
};
