/** Spreadsheets evaluate texts that begin like this. Names of groups and agents are texts of people. */
const FORMULA = /^[=+\-@\t\r\n]/;

const cellOf = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/**
 * Formats records as CSV (RFC 4180): commas, every cell quoted, CRLF. A text that a spreadsheet would evaluate as a formula gets a leading
 * apostrophe, as in raw reports.
 */
export const csvOf = (records: readonly (readonly string[])[]): string =>
  records.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
