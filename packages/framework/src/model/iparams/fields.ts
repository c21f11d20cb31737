import { IPARAM_TYPES, type Iparam, type IparamValue, type IparamValues } from "@parley/contract";
import type { Project } from "../project.ts";
import { domainValue } from "./domain.ts";
import { domainForms } from "./domain-form.ts";
import { patternsOf, type IparamPattern } from "./pattern.ts";
import { otherProduct, uncheckedKey } from "../templates/account-host.ts";
import type { FormEntry, IparamRule } from "./validate-value.ts";

/** A parameter as the server and the page's renderer use it. */
export interface IparamField extends IparamRule {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly secure: boolean;
  readonly patterns: readonly IparamPattern[];
  /** The options that the page offers. */
  readonly choices: readonly string[];
  /** The initial entry of the form. */
  readonly initial: FormEntry;
  /** The function of its `change` event. */
  readonly callback?: string;
  /** A notice for the person, independent of the app's texts. */
  readonly note?: string;
  /** Title of the section that starts with this parameter. */
  readonly section?: string;
}

/** The form entry for a value; undefined for a value of another type. */
export const formEntryOf = (type: IparamRule["type"], value: unknown): FormEntry | undefined => {
  const { holds } = IPARAM_TYPES[type];
  if (holds === "boolean") {
    if (typeof value === "boolean") return value;
    return value === "true" || value === "false" || value === "" ? value === "true" : undefined;
  }
  if (holds === "list") {
    if (typeof value === "string") return value === "" ? [] : [value];
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
  }
  if (holds === "number" && typeof value === "number") return String(value);
  return typeof value === "string" ? value : undefined;
};

/** The value that is stored and given to the app, for a valid entry. @assumed an empty number is stored as "" */
export const storedValueOf = (
  { type, ...form }: Pick<IparamRule, "type" | "suffix" | "isLabel">,
  entry: FormEntry,
  suffix: string,
): IparamValue => {
  if (typeof entry === "boolean") return entry;
  if (typeof entry !== "string") return [...entry];
  if (type === "paragraph") return entry;
  const text = entry.trim();
  if (type === "number" && text !== "") return Number(text);
  return type === "domain" ? (domainValue(text, form, suffix) ?? "") : text;
};

const EMPTY = { text: "", number: "", boolean: false, list: [] } as const;

/** Keys of other products can't be verified. */
const noted = (iparam: Iparam): Pick<IparamField, "note"> => {
  const product = iparam.type === "api_key" ? otherProduct(iparam) : undefined;
  return product === undefined ? {} : { note: uncheckedKey(product) };
};

/** An option that a callback offered and a person chose remains an option until a callback replaces the options. */
const choicesOf = ({ options = [] }: Iparam, hasCallbacks: boolean, storedValue: unknown): string[] => {
  const chosen = hasCallbacks
    ? [storedValue].flat().filter((one): one is string => typeof one === "string" && one !== "")
    : [];
  return [...new Set([...options, ...chosen])];
};

/** @assumed A callback fills a list without options, and a dropdown with one option, which is a placeholder. */
const isFilledLater = ({ type, options = [] }: Iparam): boolean => options.length <= (type === "dropdown" ? 1 : 0);

/** The field of a declared parameter. @shape kept: its value in an installation */
export const iparamFieldOf = (
  key: string,
  iparam: Iparam,
  hasCallbacks: boolean,
  storedValue: unknown,
): IparamField => {
  const { holds, options: chooses, control } = IPARAM_TYPES[iparam.type];
  const callback = iparam.events?.at(-1)?.change;
  const choices = chooses ? choicesOf(iparam, hasCallbacks, storedValue) : [];
  const section = iparam.type_attributes?.section?.trim();
  const isOpen = !chooses || (hasCallbacks && isFilledLater(iparam));
  return {
    key,
    type: iparam.type,
    control,
    label: iparam.display_name,
    hint: iparam.description ?? "",
    required: iparam.required ?? false,
    visible: iparam.visible ?? true,
    secure: iparam.secure ?? false,
    patterns: patternsOf(iparam.regex),
    initial: formEntryOf(iparam.type, iparam.default_value) ?? EMPTY[holds],
    choices,
    ...(isOpen ? {} : { options: choices }),
    ...(callback === undefined ? {} : { callback }),
    ...noted(iparam),
    ...(section ? { section } : {}),
  };
};

type Declared = Pick<Project, "iparams" | "callbacksCode" | "requests" | "whitelistedDomains">;

/** The fields of the declared parameters in their order; `kept` contains the values of an installation. */
export const iparamFieldsOf = (app: Declared, storedValue: IparamValues = {}): IparamField[] => {
  const forms = domainForms(app);
  return Object.entries(app.iparams).map(([key, iparam]) => ({
    ...iparamFieldOf(
      key,
      iparam,
      app.callbacksCode !== "",
      Object.hasOwn(storedValue, key) ? storedValue[key] : undefined,
    ),
    ...forms.get(key),
  }));
};
