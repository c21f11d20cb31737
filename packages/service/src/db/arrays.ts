/** Array parameters of PostgreSQL as text. The driver's escaping of each element would dominate the cost of batches. */

/** For UUIDs, numbers, booleans and fixed words, none of which need quotes. */
export const arrayLiteral = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? "NULL").join(",")}}`;

/** For texts without line feeds, such as JSON, to be split by `string_to_array(…, e'\n', '')`. An empty text becomes null. */
export const joinLines = (texts: readonly (string | null)[]): string => texts.map((text) => text ?? "").join("\n");
