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
    otherWay: "To sign in with your company’s account or a link, or if you forgot your password:",
    otherTab: "open the sign-in page in a new tab",
    otherTabAfter: "After that, this page continues.",
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
    otherWay:
      "Für die Anmeldung mit dem Konto Ihrer Firma oder einem Link, oder wenn Sie Ihr Passwort vergessen haben:",
    otherTab: "Anmeldeseite in einem neuen Tab öffnen",
    otherTabAfter: "Danach geht es auf dieser Seite weiter.",
    leave: "Diese Seite verlassen",
  },
});
