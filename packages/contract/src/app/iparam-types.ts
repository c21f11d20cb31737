/** The form control of a parameter. */
export type IparamControl =
  | "line"
  | "number"
  | "paragraph"
  | "domain"
  | "dropdown"
  | "radio"
  | "multiselect"
  | "checkbox";

interface IparamTypeRow {
  /** The JSON type of the value; a list contains texts. */
  readonly holds: "text" | "number" | "boolean" | "list";
  /** Whether the value is chosen from the parameter's `options`. */
  readonly options: boolean;
  readonly control: IparamControl;
  /** Attributes of the HTML input, for a type that is not plain text. */
  readonly input?: { readonly type: "email" | "url" | "tel" | "date" | "text"; readonly mode: string };
  /** Whether the control hides the value even when the parameter is not secure. */
  readonly isMasked?: boolean;
}

/**
 * The types of installation parameters, one row each. Other tables with a row per type are typed by `IparamType`, so that the compiler
 * lists what a new type needs: the check of its format and the pattern of a package.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const IPARAM_TYPES = {
  text: { holds: "text", options: false, control: "line" },
  paragraph: { holds: "text", options: false, control: "paragraph" },
  dropdown: { holds: "text", options: true, control: "dropdown" },
  email: { holds: "text", options: false, control: "line", input: { type: "email", mode: "email" } },
  number: { holds: "number", options: false, control: "number", input: { type: "text", mode: "numeric" } },
  phone_number: { holds: "text", options: false, control: "line", input: { type: "tel", mode: "tel" } },
  date: { holds: "text", options: false, control: "line", input: { type: "date", mode: "" } },
  url: { holds: "text", options: false, control: "line", input: { type: "url", mode: "url" } },
  radio: { holds: "text", options: true, control: "radio" },
  checkbox: { holds: "boolean", options: false, control: "checkbox" },
  multiselect: { holds: "list", options: true, control: "multiselect" },
  domain: { holds: "text", options: false, control: "domain" },
  api_key: { holds: "text", options: false, control: "line", isMasked: true },
} as const satisfies Readonly<Record<string, IparamTypeRow>>;
export type IparamType = keyof typeof IPARAM_TYPES;

/** The row of a type. */
export const iparamTypeOf = (type: IparamType): IparamTypeRow => IPARAM_TYPES[type];
