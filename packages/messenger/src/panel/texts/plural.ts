/** Forms of a text with a number, which stands for `#`. Languages have one to six forms. */
export type PluralForms = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** -> the text with a number, in the form that the language has for it */
export const plural = (language: string, forms: PluralForms): ((count: number) => string) => {
  const rules = new Intl.PluralRules(language);
  return (count) => (forms[rules.select(count)] ?? forms.other).replaceAll("#", String(count));
};
