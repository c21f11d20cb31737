/** `pt-BR` -> `pt`, `pt-br` */
export const localesFrom = (locale: string): string[] => {
  const subtags = locale.toLowerCase().replaceAll("_", "-").split("-");
  return subtags.map((_, index) => subtags.slice(0, index + 1).join("-"));
};

/**
 * The locales whose texts a page shows, the best last: for each locale that it asks for the language and region, else the language alone; else the
 * primary language.
 * @shape locales: the best first
 */
export const shownLocales = (locales: readonly string[], primary: string): string[] => [
  primary.toLowerCase(),
  ...locales.toReversed().flatMap(localesFrom),
];
