import { urlOf } from "@parley/contract";
import type { IparamControl, IparamType } from "@parley/contract";
import { domainHostOf, type DomainForm } from "./domain.ts";

/** The entry of a form for one parameter: a text, a checkbox, or chosen options. */
export type FormEntry = string | boolean | readonly string[];

/** The properties of a parameter that checks need; a callback may have changed them. */
export interface IparamRule extends DomainForm {
  readonly type: IparamType;
  readonly control: IparamControl;
  readonly required: boolean;
  readonly visible: boolean;
  /** Absent if the type has no choices, or if only a callback provides them. */
  readonly options?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

const REQUIRED_FIELD_MESSAGE = "This field is required!";

const DIGITS = /^-?\d{1,10}$/;
const EMAIL = /^[^\s@<>"(),:;[\]\\]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i;
const PHONE = /^\+?\(?\d[\d ().-]*$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const isLine = (text: string) => ![...text].some((character) => character < " " && character !== "\t");

const numberFault = (text: string, { min, max }: IparamRule): string | undefined => {
  if (!DIGITS.test(text)) return "Enter a whole number of at most 10 digits.";
  const value = Number(text);
  if (min !== undefined && max !== undefined && (value < min || value > max)) {
    return `Enter a number from ${min} to ${max}.`;
  }
  if (min !== undefined && value < min) return `Enter a number of at least ${min}.`;
  if (max !== undefined && value > max) return `Enter a number of at most ${max}.`;
  return undefined;
};

// 254: the maximum length of an e-mail address; the limit keeps the match fast.
const isEmail = (text: string): boolean => text.length <= 254 && EMAIL.test(text);

const isDay = (text: string): boolean => {
  if (!DATE.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // An invalid day becomes an invalid time, or a day of the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && urlOf(text) !== undefined;

const isPhone = (text: string): boolean => {
  const digits = text.replace(/\D/g, "").length;
  return PHONE.test(text) && digits >= 7 && digits <= 15;
};

type FormatFault = (text: string, rule: IparamRule, suffix: string) => string | undefined;

const anyText: FormatFault = () => undefined;
const unless =
  (isValid: (text: string) => boolean, fault: string): FormatFault =>
  (text) =>
    isValid(text) ? undefined : fault;

/** The format check of each type. */
const FORMAT_FAULTS: Readonly<Record<IparamType, FormatFault>> = {
  text: anyText,
  paragraph: anyText,
  dropdown: anyText,
  radio: anyText,
  checkbox: anyText,
  multiselect: anyText,
  api_key: anyText,
  number: numberFault,
  email: unless(isEmail, "Enter an email address, such as name@example.com."),
  phone_number: unless(isPhone, "Enter a phone number of 7 to 15 digits, such as +1 202 555 0147."),
  url: unless(isAddress, "Enter an address that begins with https:// or http://."),
  date: unless(isDay, "Enter a date as year-month-day, such as 2025-03-31."),
  domain: (text, rule, suffix) =>
    domainHostOf(text, rule.suffix ?? suffix) === undefined
      ? "Enter the account name only: letters, digits and hyphens."
      : undefined,
};

const textFault = (text: string, rule: IparamRule, suffix: string): string | undefined => {
  if (rule.type !== "paragraph" && !isLine(text)) return "Enter a single line of text.";
  return FORMAT_FAULTS[rule.type](text, rule, suffix);
};

/** An unticked checkbox is empty too. @assumed a required checkbox must be ticked */
export const isEmpty = (entry: FormEntry): boolean =>
  typeof entry === "string" ? entry.trim() === "" : typeof entry === "boolean" ? !entry : entry.length === 0;

/** The message for an entry that does not fit the type and is not empty; the same on the page and on the server. */
export const typeFault = (entry: FormEntry, rule: IparamRule, suffix: string): string | undefined => {
  if (isEmpty(entry)) return undefined;
  if (typeof entry === "boolean") return undefined;
  const { options } = rule;
  if (options && [entry].flat().some((chosen) => !options.includes(chosen))) return "Choose from the options.";
  return typeof entry === "string" ? textFault(entry.trim(), rule, suffix) : undefined;
};

/** @assumed A hidden parameter can't be required. */
export const requiredFault = (entry: FormEntry, { required, visible }: IparamRule): string | undefined =>
  required && visible && isEmpty(entry) ? REQUIRED_FIELD_MESSAGE : undefined;
