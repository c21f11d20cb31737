import { defineMessages } from "../i18n/messages.ts";

export const sessionMessages = defineMessages({
  en: {
    endedTitle: "Sign in again",
    endedText:
      "Your session has ended. Everything you wrote is still here, and what you were sending or saving goes on after you have signed in.",
    email: "E-mail address",
    password: "Password",
    passwordMissing: "Enter your password.",
    signIn: "Sign in",
    codeText: "Enter the code of your authenticator app, or a recovery code.",
    code: "Code",
    codeMissing: "Enter the code.",
    startAgain: "The time for the second factor is over. Sign in again.",
    otherWay: "With your company’s account, a link or a forgotten password:",
    otherTab: "sign in in a new tab",
    otherTabAfter: "This page then continues.",
    leave: "Leave this page",
  },
  de: {
    endedTitle: "Erneut anmelden",
    endedText:
      "Ihre Sitzung ist beendet. Alles, was Sie geschrieben haben, ist noch da, und was Sie gerade gesendet oder gespeichert haben, geht nach der Anmeldung weiter.",
    email: "E-Mail-Adresse",
    password: "Passwort",
    passwordMissing: "Geben Sie Ihr Passwort ein.",
    signIn: "Anmelden",
    codeText: "Geben Sie den Code Ihrer Authenticator-App oder einen Wiederherstellungscode ein.",
    code: "Code",
    codeMissing: "Geben Sie den Code ein.",
    startAgain: "Die Zeit für den zweiten Faktor ist abgelaufen. Melden Sie sich erneut an.",
    otherWay: "Mit dem Konto Ihrer Firma, einem Link oder bei vergessenem Passwort:",
    otherTab: "in einem neuen Tab anmelden",
    otherTabAfter: "Diese Seite macht danach weiter.",
    leave: "Diese Seite verlassen",
  },
});
