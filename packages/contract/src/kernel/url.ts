/** -> undefined for what is no absolute URL. Not by `URL.canParse`, which Node 20 answers wrongly for names with umlauts once it is hot. */
export const urlOf = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
