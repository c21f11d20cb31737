import type { Template } from "@parley/contract";
import { parsedAddress } from "../parsed-address.ts";
import { formMessages } from "../../forms/messages.ts";
import { valueProblem, type SchemaForm } from "../../forms/schema-form.ts";
import { BUTTON_SCHEMA, OUTBOUND_SCHEMA } from "./contract-values.ts";
import { outboundTemplateMessages as texts } from "./messages.ts";
import { PLACEHOLDER, placeholderProblem } from "./placeholders.ts";

/** `none`: the template has no header. */
export type TemplateHeaderType = NonNullable<Template["header"]>["type"] | "none";

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
  readonly status: Template["status"];
  readonly header: TemplateHeaderType;
  /** Of a text header. */
  readonly headerText: string;
  readonly body: string;
  readonly buttons: readonly ButtonValue[];
}

/** -> the name by which a document removes the template */
export const removalName = ({ namespace, name, language }: Pick<Template, "namespace" | "name" | "language">): string =>
  `${namespace}/${name} (${language})`;

/** -> why a button is refused */
export const buttonProblem = ({ label, url }: Pick<ButtonValue, "label" | "url">): string | undefined => {
  const address = url.trim();
  const isWeb = /^https?:/i.test(address) && parsedAddress(address.replaceAll(PLACEHOLDER, "1")) !== undefined;
  return (
    valueProblem(BUTTON_SCHEMA.label, label.trim(), { missing: texts.buttonLabelMissing }) ??
    valueProblem(BUTTON_SCHEMA.url, address, { missing: texts.buttonUrlInvalid }) ??
    placeholderProblem(url) ??
    (isWeb ? undefined : texts.buttonUrlInvalid)
  );
};

const headerOf = (type: TemplateHeaderType, text: string): Pick<Template, "header"> => {
  if (type === "none") return {};
  return { header: type === "text" ? { type, text } : { type } };
};

/** The form of a template. @shape template: undefined for a new template; others: the other templates */
export const outboundTemplateForm = (
  template: Template | undefined,
  others: readonly Template[],
): SchemaForm<Template, OutboundTemplateValues> => {
  const isFixed = template !== undefined;
  return {
    schema: OUTBOUND_SCHEMA,
    members: {
      namespace: { label: texts.namespace, help: texts.namespaceHelp, isFixed, missing: formMessages.missing },
      name: {
        label: texts.name,
        isFixed,
        missing: formMessages.missing,
        check: (name, { namespace, language }) => {
          const key = removalName({ namespace: namespace.trim(), name, language: language.trim() });
          return others.some((other) => removalName(other) === key) ? texts.nameTaken : undefined;
        },
      },
      language: { label: texts.language, help: texts.languageHelp, isFixed, missing: formMessages.missing },
      status: { label: texts.status, initial: "pending", choices: texts },
      header: {
        label: texts.header,
        help: ({ header }) => (header === "text" || header === "none" ? "" : texts.headerMedia),
        initial: "none",
        choices: {
          none: texts.headerNone,
          text: texts.headerPlain,
          image: texts.headerImage,
          video: texts.headerVideo,
          document: texts.headerDocument,
        },
        from: ({ header }) => header?.type,
        to: (type, { headerText }) => headerOf(type, headerText),
      },
      headerText: {
        label: texts.headerText,
        isVerbatim: true,
        missing: formMessages.missing,
        isShown: ({ header }) => header === "text",
        from: ({ header }) => header?.text,
        to: () => ({}),
        check: placeholderProblem,
      },
      body: {
        label: texts.body,
        help: texts.bodyHelp,
        lines: 4,
        missing: formMessages.missing,
        from: ({ body }) => body.text,
        to: (text) => ({ body: { text } }),
        check: placeholderProblem,
      },
      buttons: {
        label: texts.buttons,
        from: ({ buttons = [] }) => buttons.map(({ label, url }, key) => ({ key, label, url })),
        to: (buttons) =>
          buttons.length === 0
            ? {}
            : {
                buttons: buttons.map(({ label, url }) => ({ subType: "url", label: label.trim(), url: url.trim() })),
              },
        check: (buttons) => buttons.map(buttonProblem).find((problem) => problem !== undefined),
      },
    },
  };
};
