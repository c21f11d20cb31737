import type { User } from "@parley/contract";
import { findPhoneNumbersInText, isSupportedCountry, type NumberFound } from "libphonenumber-js";

/** An e-mail address or a phone number of a customer. */
export interface LeadField {
  readonly field: "email" | "phone";
  /** The stored form: a phone number as +14155552671. */
  readonly value: string;
  /** The displayed form: +1 415 555 2671. */
  readonly shown: string;
}

/** Longer messages are not searched: they rarely contain the customer's own address, and the search takes time. */
const SEARCH_CHARACTERS_MAX = 4_000;

const LOCAL_PART = /[\p{L}\p{N}][\p{L}\p{N}._%+'-]{0,63}$/u;
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@-])/u;
/** Names of files such as logo@2x.png. */
const FILE_NAME = /\.(?:png|jpe?g|gif|webp|svg|pdf)$/i;

/** Whether an address is part of a URL. */
const isInUrl = (before: string): boolean => /:\/\/\S*$/.test(before);

const emailsIn = (text: string): LeadField[] =>
  [...text.matchAll(/@/g)].flatMap(({ index }) => {
    const before = text.slice(Math.max(0, index - 254), index);
    const local = LOCAL_PART.exec(before)?.[0];
    const domain = DOMAIN.exec(text.slice(index + 1, index + 254))?.[0];
    const isSecond = local !== undefined && before.at(-local.length - 1) === "@";
    if (!local || !domain || isSecond || /\.\.|\.$/.test(local) || FILE_NAME.test(domain) || isInUrl(before)) return [];
    const value = `${local}@${domain}`;
    return [{ field: "email", value, shown: value }];
  });

/** Removes addresses and URLs, whose digits are not phone numbers. */
const withoutAddresses = (text: string): string =>
  text.replaceAll("＋", "+").replace(/\S*(?:@|:\/\/)\S*|\bwww\.\S*/gi, (address) => " ".repeat(address.length));

const digitsOf = (text: string): string => text.normalize("NFKC").replace(/\D/g, "");

/** Words before numbers that are not phone numbers. */
const OTHER_NUMBER =
  /(?:#|№|(?<![\p{L}\p{N}])(?:order|invoice|bill|ticket|tracking|parcel|reference|ref|case|customer|account|card|serial|contract|booking|bestellung|bestell|rechnung|auftrag|kunden|vertrag|commande|facture|pedido|factura)(?:s?-?(?:number|nummer|nr|no|id|code))?)\.?(?:\s*(?:number|nummer|nr|no|id|code)\.?)?(?:\s+(?:is|was|ist|war|est|es))?\s*[:#-]?\s*$/iu;
const MONEY_BEFORE = /[$€£¥]\s*$/;
const MONEY_AFTER = /^\s*(?:[$€£¥%]|(?:USD|EUR|GBP)\b)/i;
/** Letters or digits that adjoin a number, which is then part of something longer. */
const JOINED_BEFORE = /(?:[\p{L}\p{N}_][-_/]?|\d{3}[ .-]?)$/u;
const JOINED_AFTER = /^(?:[-_/]?[\p{L}\p{N}_]|[ .-]?\d{3})/u;

/**
 * Whether a number without a country code is formatted as that country formats phone numbers, and no word before it says otherwise:
 * order and invoice numbers can be as long.
 */
const isPhone = (text: string, { number, startsAt, endsAt }: NumberFound): boolean => {
  const written = text.slice(startsAt, endsAt);
  if (written.includes("+")) return true;
  const [before, after] = [text.slice(0, startsAt), text.slice(endsAt)];
  if ([OTHER_NUMBER, MONEY_BEFORE, JOINED_BEFORE].some((one) => one.test(before.slice(-60)))) return false;
  if ([MONEY_AFTER, JOINED_AFTER].some((one) => one.test(after))) return false;
  const national = number.formatNational();
  const digits = digitsOf(written);
  // A number that a country doesn't write in groups is not a person's number.
  if (!/\d\D+\d/.test(national)) return false;
  const abroad = `${number.countryCallingCode}${number.nationalNumber}${number.ext ?? ""}`;
  return digits === digitsOf(national) || digits.endsWith(abroad);
};

const phonesIn = (text: string, country: string): LeadField[] => {
  const code = country.trim().toUpperCase();
  const searched = withoutAddresses(text);
  return findPhoneNumbersInText(searched, isSupportedCountry(code) ? code : undefined)
    .filter((found) => found.number.isValid() && isPhone(searched, found))
    .map(({ number }) => ({ field: "phone", value: number.number, shown: number.formatInternational() }));
};

/**
 * The e-mail addresses and phone numbers in a text, each once: addresses first, each kind in order of appearance.
 * @param country two-letter code for numbers without a country code; for an unknown country, only numbers with a country code are found
 */
export function findLeads(text: string, country: string): LeadField[] {
  const searched = text.slice(0, SEARCH_CHARACTERS_MAX);
  const found = [...emailsIn(searched), ...phonesIn(searched, country)];
  return found.filter((one, index) => found.findIndex((other) => isSameLead(one, other)) === index);
}

/** Whether two values are equal, regardless of case. */
export const isSameLead = (
  one: Pick<LeadField, "field" | "value">,
  other: Pick<LeadField, "field" | "value">,
): boolean => one.field === other.field && one.value.toLowerCase() === other.value.toLowerCase();

/** The first value of each kind that the user lacks. */
export const missingLeads = (leads: readonly LeadField[], user: Pick<Partial<User>, LeadField["field"]>): LeadField[] =>
  leads.filter(
    ({ field }, index) => !user[field]?.trim() && leads.findIndex((other) => other.field === field) === index,
  );

const FIELD_NAMES: Readonly<Record<LeadField["field"], string>> = { email: "e-mail address", phone: "phone number" };

/** Text for agents: "e-mail address ada@example.com, phone number +1 415 555 2671". */
export const leadsText = (leads: readonly LeadField[]): string =>
  leads.map(({ field, shown }) => `${FIELD_NAMES[field]} ${shown}`).join(", ");
