/** Parses an absolute URL; undefined for other text. `URL.canParse` is not used, since its optimised version in Node 20 is wrong for host names with umlauts. */
export const urlOf = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
