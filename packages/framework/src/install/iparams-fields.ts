import { IPARAM_TYPES, type Iparam, type IparamsConfig, type IparamValue, type IparamValues } from "@parley/contract";
import { hostOf } from "./domain.ts";
import { patternsOf, type Pattern } from "./pattern.ts";
import { otherProduct, suffixOf, uncheckedKey } from "./product.ts";
import type { Entry, Rule } from "./validate.ts";

/** A parameter as the server and the page's renderer see it. */
export interface Field extends Rule {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly secure: boolean;
  readonly patterns: readonly Pattern[];
  /** What the page offers. */
  readonly choices: readonly string[];
  /** What the form holds before anyone touched it. */
  readonly initial: Entry;
  /** The function of its `change` event. */
  readonly callback?: string;
  /** What a person must know whatever the app says. */
  readonly note?: string;
}

/** What the form holds for a value; undefined for a value that the type can't have. */
export const entryOf = (type: Rule["type"], value: unknown): Entry | undefined => {
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

/** What is kept and handed to the app, for an entry that passed the checks. @assumed an empty number is kept as "" */
export const valueOf = (
  { type, suffix: own }: Pick<Rule, "type" | "suffix">,
  entry: Entry,
  suffix: string,
): IparamValue => {
  if (typeof entry === "boolean") return entry;
  if (typeof entry !== "string") return [...entry];
  if (type === "paragraph") return entry;
  const text = entry.trim();
  if (type === "number" && text !== "") return Number(text);
  return type === "domain" ? (hostOf(text, own ?? suffix) ?? "") : text;
};

const EMPTY = { text: "", number: "", boolean: false, list: [] } as const;

/** What follows from the product that the parameter belongs to. */
const foreign = (iparam: Iparam): Pick<Field, "suffix" | "note"> => {
  const product = otherProduct(iparam);
  if (product === undefined) return {};
  if (iparam.type === "domain") return { suffix: suffixOf(product) };
  return iparam.type === "api_key" ? { note: uncheckedKey(product) } : {};
};

/** What a callback once offered and a person chose stays a choice until a callback says otherwise. */
const choicesOf = ({ options = [] }: Iparam, hasCallbacks: boolean, kept: unknown): string[] => {
  const chosen = hasCallbacks
    ? [kept].flat().filter((one): one is string => typeof one === "string" && one !== "")
    : [];
  return [...new Set([...options, ...chosen])];
};

const fieldOf = (key: string, iparam: Iparam, hasCallbacks: boolean, kept: unknown): Field => {
  const { holds, options: chooses } = IPARAM_TYPES[iparam.type];
  const callback = iparam.events?.at(-1)?.change;
  const choices = chooses ? choicesOf(iparam, hasCallbacks, kept) : [];
  const isOpen = !chooses || (hasCallbacks && iparam.options?.length === 0);
  return {
    key,
    type: iparam.type,
    label: iparam.display_name,
    hint: iparam.description ?? "",
    required: iparam.required ?? false,
    visible: iparam.visible ?? true,
    secure: iparam.secure ?? false,
    patterns: patternsOf(iparam.regex),
    initial: entryOf(iparam.type, iparam.default_value) ?? EMPTY[holds],
    choices,
    ...(isOpen ? {} : { options: choices }),
    ...(callback === undefined ? {} : { callback }),
    ...foreign(iparam),
  };
};

/** The declared parameters in their order; `kept` holds the values of an installation. */
export const fieldsOf = (config: IparamsConfig, hasCallbacks: boolean, kept: IparamValues = {}): Field[] =>
  Object.entries(config).map(([key, iparam]) =>
    fieldOf(key, iparam, hasCallbacks, Object.hasOwn(kept, key) ? kept[key] : undefined),
  );
