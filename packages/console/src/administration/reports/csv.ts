import { spreadsheetText } from "../spreadsheet-text.ts";

const cellOf = (text: string): string => `"${spreadsheetText(text).replaceAll('"', '""')}"`;

/** Formats records as CSV (RFC 4180): commas, every cell quoted, CRLF. No cell is evaluated by a spreadsheet. */
export const csvOf = (records: readonly (readonly string[])[]): string =>
  records.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
