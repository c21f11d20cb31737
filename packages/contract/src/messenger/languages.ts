/** Languages of the messenger's own texts. */
export const MESSENGER_LANGUAGES = ["en", "de", "es", "fr", "ar"] as const;
export type MessengerLanguage = (typeof MESSENGER_LANGUAGES)[number];

/** -> the language of a locale, such as `de` for `de`, `de-AT`, `de_AT` and `DE`; undefined if the messenger does not have it */
export const messengerLanguageOf = (locale: string): MessengerLanguage | undefined => {
  const [language] = locale.trim().toLowerCase().split(/[-_]/);
  return MESSENGER_LANGUAGES.find((each) => each === language);
};

/** Texts of the button in a site's page, which shows them before the panel is loaded: `close` ends the loading. */
export const MESSENGER_BUTTON_TEXTS: Readonly<
  Record<MessengerLanguage, { readonly open: string; readonly close: string }>
> = {
  en: { open: "Chat", close: "Close" },
  de: { open: "Chat", close: "Schließen" },
  es: { open: "Chat", close: "Cerrar" },
  fr: { open: "Chat", close: "Fermer" },
  ar: { open: "محادثة", close: "إغلاق" },
};
