import { defineMessages } from "../i18n/messages.ts";

export const testCustomerMessages = defineMessages({
  en: {
    title: "Try it as a customer",
    lead: "This is the messenger as your sites show it. What you write arrives in the inbox as messages of a test customer. Nobody outside of your account is contacted.",
    restart: "Begin anew",
    restartHelp: "As another test customer, who knows nothing of the conversations so far",
    open: "Open it in the inbox",
    firstName: "Test customer",
    lastName: (agent: string) => `(${agent})`,
    frame: "Messenger",
    signed:
      "Your account requires signed identities, and this page has none. Try the messenger on a page of your site that signs who its visitor is.",
    failed: "The messenger could not be loaded.",
  },
  de: {
    title: "Als Kunde ausprobieren",
    lead: "Das ist der Messenger, wie Ihre Websites ihn zeigen. Was Sie schreiben, kommt als Nachricht eines Testkunden im Posteingang an. Niemand außerhalb Ihres Kontos wird angeschrieben.",
    restart: "Neu beginnen",
    restartHelp: "Als anderer Testkunde, der nichts von den bisherigen Unterhaltungen weiß",
    open: "Im Posteingang öffnen",
    firstName: "Testkunde",
    lastName: (agent) => `(${agent})`,
    frame: "Messenger",
    signed:
      "Ihr Konto verlangt signierte Identitäten, und diese Seite hat keine. Probieren Sie den Messenger auf einer Seite Ihrer Website aus, die signiert, wer ihr Besucher ist.",
    failed: "Der Messenger konnte nicht geladen werden.",
  },
});
