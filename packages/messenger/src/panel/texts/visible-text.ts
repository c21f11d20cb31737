import { REMOVED } from "./contract-values.ts";

const remove = (text: string, pattern: string): string => text.replace(new RegExp(pattern, "gu"), "");

/** -> a text of several lines without characters that change how the text around them is shown */
export const visibleText = (text: string): string => remove(remove(text, REMOVED.reordering), REMOVED.stackedMarks);

/** -> a name, label or file name in one line, without invisible characters; empty if no visible character is left */
export const visibleName = (text: string): string =>
  remove(visibleText(text), REMOVED.invisible).replace(/\s+/g, " ").trim();
