const PLACEHOLDER = /\{\{\s*(\d{1,3})\s*\}\}/g;

/** -> how many parameters a text takes: the highest number in it. */
export const placeholdersOf = (text: string): number =>
  Math.max(0, ...[...text.matchAll(PLACEHOLDER)].map(([, number]) => Number(number)));

/** Puts the parameters in their places, in one pass: what looks like a placeholder inside a parameter stays as it is. */
export const filled = (text: string, params: readonly string[]): string =>
  text.replace(PLACEHOLDER, (whole, number: string) => params[Number(number) - 1] ?? whole);
