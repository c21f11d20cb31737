const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * A phone number that was written with its country, as the outbound messages take it (E.164): +1 (202) 555-0101 and 0012025550101 are one.
 * -> undefined for what has no country or can't be a number
 */
export const internationalOf = (text: string): string | undefined => {
  const number = text.replace(/[\s()./-]/g, "").replace(/^00/, "+");
  return E164.test(number) ? number : undefined;
};
