/** -> the address that a text is; undefined for another text */
export const parsedAddress = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
