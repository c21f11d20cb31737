import { styleText } from "node:util";

/** Formats rows as aligned columns with titles. */
export const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  const shown = rows.map((row) => row.map((cell) => printable(cell).replaceAll("\n", " ")));
  const widths = titles.map((title, column) => Math.max(title.length, ...shown.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ");
  return [styleText("dim", line(titles)), ...shown.map(line)].join("\n");
};

/** Formats one row of a start's report. */
export const reportRow = (name: string, value: string, note = "") =>
  `  ${styleText("dim", name.padEnd(18))} ${styleText("cyan", value)}${note ? `  ${styleText("dim", note)}` : ""}`;

/** Removes control characters except line feeds, so that foreign text can't send escape sequences to the terminal. */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, "");
