import { defineMessages } from "../../i18n/messages.ts";

export const privacyMessages = defineMessages({
  en: {
    title: "Privacy",
    is_page_shown: "Agents see the page and the language of the customer",
    is_page_shown_help:
      "The messenger sends the address and the title of the page and the customer’s language with each message, and while a conversation is shown. The part of an address after ? or # is never sent. When you switch it off, agents see nothing of it any more, and what is stored is deleted within 6 hours.",
    is_consent_required: "Ask for consent before anything is stored",
    is_consent_required_help:
      "Before a visitor or your page has consented, the browser stores nothing, and nothing of the visitor is sent.",
  },
  de: {
    title: "Datenschutz",
    is_page_shown: "Agenten sehen die Seite und die Sprache des Kunden",
    is_page_shown_help:
      "Der Messenger sendet Adresse und Titel der Seite und die Sprache des Kunden mit jeder Nachricht und solange eine Unterhaltung gezeigt wird. Was in einer Adresse nach ? oder # steht, wird nie gesendet. Wenn Sie es ausschalten, sehen Agenten nichts mehr davon, und was gespeichert ist, wird innerhalb von 6 Stunden gelöscht.",
    is_consent_required: "Vor dem Speichern um Einwilligung bitten",
    is_consent_required_help:
      "Bevor ein Besucher oder Ihre Seite eingewilligt hat, speichert der Browser nichts, und nichts über den Besucher wird gesendet.",
  },
});
