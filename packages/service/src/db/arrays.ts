/** Arrays as PostgreSQL reads them, without the driver's escaping of each element: for batches of a hundred rows it is what costs. */

/** Uuids, numbers, booleans and fixed words: nothing that needs quotes. */
export const arrayLiteral = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? "NULL").join(",")}}`;

/** Texts without a line feed, as JSON texts are, for `string_to_array(…, e'\n', '')`: an empty one arrives as null. */
export const joinLines = (texts: readonly (string | null)[]): string => texts.map((text) => text ?? "").join("\n");
