import { inspect } from "node:util";
import type { AppError } from "@parley/contract";

/** Longest text that goes to the host; its schema takes no longer one. */
const LONGEST = 8_000;

export const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);

/** The message of an error by itself. */
export const wordsOf = (thrown: unknown): string => cut(thrown instanceof Error ? thrown.message : String(thrown));

/** Whatever was thrown, as text: rejections of the field's own methods are objects and may be no errors at all. */
export const describe = (thrown: unknown): AppError => {
  try {
    if (thrown instanceof Error)
      return { message: cut(`${thrown.name}: ${thrown.message}`), stack: cut(thrown.stack ?? "") };
    return { message: cut(typeof thrown === "string" ? thrown : inspect(thrown, { depth: 3, breakLength: Infinity })) };
  } catch {
    return { message: "an error that can't be shown" };
  }
};
