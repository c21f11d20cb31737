/** The buttons under the question how it went, the best first: a digit is read in every language. */
export const POINTS = ["5", "4", "3", "2", "1"] as const;

const NUMBERS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4, five: 5 };
const NUMBER = String.raw`(?<number>[1-5]|one|two|three|four|five)`;
const UNIT = "(?: (?:stars?|points?))?";
const SCALE = "(?: ?/ ?5| (?:out )?of (?:5|five)(?: (?:stars|points))?)?";
const JUDGEMENT = "(?:very )?(?:good|poor|bad)|great|excellent|perfect|ok|okay";
const THANKS = "thanks|thank you|thx";
const SAID = new RegExp(`^${NUMBER}${UNIT}${SCALE}(?: (?:${JUDGEMENT}))?(?: (?:${THANKS}))?$`);

/** Stars that are full, then stars that are empty. */
const STARS = /^([★⭐🌟]{1,5})(☆*)$/u;
/** What makes a picture of a digit or of a star. */
const PICTURED = /[\uFE0F\u20E3]/gu;
const PUNCTUATION = /[\s.,;:!()–—-]+/gu;

/**
 * Reads a customer's words as 1 to 5 points: "5", "4 stars", "three out of 5", "★★★★☆", "5 – very good, thanks!".
 * -> undefined where they say more, or something else: then somebody has to read them
 */
export function ratingIn(words: string): number | undefined {
  const said = words.replace(PICTURED, "").normalize("NFKC").toLowerCase();
  const [, full, empty = ""] = STARS.exec(said.replace(/\s/g, "")) ?? [];
  if (full !== undefined) {
    const points = [...full].length;
    return empty === "" || points + empty.length === POINTS.length ? points : undefined;
  }
  const number = SAID.exec(said.replace(PUNCTUATION, " ").trim())?.groups?.["number"];
  return number === undefined ? undefined : (NUMBERS[number] ?? Number(number));
}
