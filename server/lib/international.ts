const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * A phone number with its country in the form of outbound messages (E.164): +1 (202) 555-0101 and 0012025550101 are equal.
 * -> undefined for a text without a country or that is no number
 */
export const internationalOf = (text: string): string | undefined => {
  const number = text.replace(/[\s()./-]/g, "").replace(/^00/, "+");
  return E164.test(number) ? number : undefined;
};
