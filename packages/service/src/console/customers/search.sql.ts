/** SQL condition: a key, which is compared by code point, begins with a text. */
const beginsWith = (column: string, value: string): string =>
  `(${column} >= ${value} and ${column} < (${value} || chr(1114111)))`;

const PHONE = "left(phone_key(u.phone), 200)";
const phoneBeginsWith = (value: string): string =>
  `(u.phone is not null and ${PHONE} ~>=~ ${value} and ${PHONE} ~<~ (${value} || chr(1114111)))`;

/** A text that can be the beginning of a phone number. */
const PHONE_TEXT = /^\+?[0-9][0-9 ()./-]*$/;

/**
 * SQL condition: a name, the e-mail address or the phone number of the user `u` begins with a text. Case, accents and the grouping of
 * digits don't matter; the first 64 characters of a name or address do. Each alternative has an index.
 * @shape parameter: the text
 */
export const customerMatches = (text: string, parameter: string): string => {
  const key = `sort_key(${parameter})`;
  const names = ["u.name_key", "u.last_name_key", "u.email_key"].map((column) => beginsWith(column, key));
  const phone = `phone_key(${parameter})`;
  const phones = PHONE_TEXT.test(text) ? [phone, `'+' || ${phone}`].map((value) => phoneBeginsWith(`(${value})`)) : [];
  return `(${[...names, ...phones].join(" or ")})`;
};
