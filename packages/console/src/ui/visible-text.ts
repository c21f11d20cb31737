import { VALUES } from "../contract-values.ts";

const { reordering, invisible, stackedMarks } = VALUES.removedCharacters;
const remove = (text: string, pattern: string): string => text.replace(new RegExp(pattern, "gu"), "");

/** -> a text of several lines without characters that change how the text around them is shown */
export const visibleText = (text: string): string => remove(remove(text, reordering), stackedMarks);

/** -> a name in one line, without invisible characters; empty if no visible character is left */
export const visibleName = (name: string): string => remove(visibleText(name), invisible).replace(/\s+/g, " ").trim();
