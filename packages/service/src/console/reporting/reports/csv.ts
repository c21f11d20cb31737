import { stringify } from "csv-stringify/sync";

/**
 * Formats records as CSV (RFC 4180).
 * @assumed A text that a spreadsheet would evaluate as a formula gets a leading apostrophe, since anybody can write a message.
 */
export const csvOf = (records: readonly (readonly string[])[]): string =>
  stringify(records as string[][], { record_delimiter: "\r\n", escape_formulas: true });
