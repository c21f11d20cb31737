import { styleText } from "node:util";

/** Rows in columns under their titles, as lines. */
export const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  const shown = rows.map((row) => row.map((cell) => printable(cell).replaceAll("\n", " ")));
  const widths = titles.map((title, column) => Math.max(title.length, ...shown.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ");
  return [styleText("dim", line(titles)), ...shown.map(line)].join("\n");
};

/** Escape sequences in what somebody else wrote would act on the reader's terminal: only text and line ends are shown. */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, "");
