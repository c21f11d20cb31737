import { formatNumber } from "../../i18n/format.ts";
import { defineMessages } from "../../i18n/messages.ts";

export const messengerMessages = defineMessages({
  en: {
    install: "On your site",
    installHelp:
      "Paste this line before the end of the body of each page that shows the messenger. It needs nothing else: visitors can write at once, without a sign-in.",
    snippet: "Code for your pages",
    shown: "Visitors choose among the topics that are enabled and public.",
    toTopics: "Topics and their tags",
    toHours: "Business hours",
    shownHours: "Outside of the business hours the messenger says when you answer.",
    origins: "Sites",
    originsHelp:
      "Without an entry, any site can show the messenger of this account. With entries only these can; pages that are opened from a file can’t.",
    originsField: "Sites that can show the messenger",
    originsForm:
      "One in each line, such as https://shop.example or https://*.shop.example for all hosts below it. A port counts: http://localhost:3000.",
    originsSaved: "The sites were saved.",
    anySite: "Any site can show the messenger now.",
    aliases: "Pages of another service",
    aliasesHelp:
      "A page that was made for another service names its account by a token, a site id, or the numbers in the address of its script. Enter these here: on the page only the address of the service changes then.",
    aliasesField: "Tokens, site ids and numbers",
    aliasesForm: "One in each line. For a script at /12/345.js enter 12/345.",
    aliasesSaved: "The tokens and ids were saved.",
    host: "Host for pages with a token or a site id",
    numbered: (alias: string) => `Script with the numbers ${alias}`,
    tooMany: (max: number) => `There can be ${formatNumber(max)} lines.`,
    tooLong: (max: number) => `A line can have ${formatNumber(max)} characters.`,
    noOrigin: (entry: string) => `“${entry}” is not the address of a site. Enter one such as https://shop.example.`,
    onlyOrigin: (entry: string, origin: string) =>
      `“${entry}” has more than the address of a site. Enter ${origin} instead.`,
    noAlias: (entry: string) => `“${entry}” has a space or a letter with an accent, which a token never has.`,
  },
  de: {
    install: "Auf Ihrer Website",
    installHelp:
      "Fügen Sie diese Zeile vor dem Ende des Body jeder Seite ein, die den Messenger zeigt. Mehr ist nicht nötig: Besucher können sofort schreiben, ohne sich anzumelden.",
    snippet: "Code für Ihre Seiten",
    shown: "Besucher wählen unter den Themen, die aktiviert und öffentlich sind.",
    toTopics: "Themen und ihre Tags",
    toHours: "Geschäftszeiten",
    shownHours: "Außerhalb der Geschäftszeiten sagt der Messenger, wann Sie antworten.",
    origins: "Websites",
    originsHelp:
      "Ohne Eintrag kann jede Website den Messenger dieses Kontos zeigen. Mit Einträgen können es nur diese; Seiten, die aus einer Datei geöffnet werden, können es dann nicht.",
    originsField: "Websites, die den Messenger zeigen können",
    originsForm:
      "Eine je Zeile, etwa https://shop.example oder https://*.shop.example für alle Hosts darunter. Ein Port zählt mit: http://localhost:3000.",
    originsSaved: "Die Websites wurden gespeichert.",
    anySite: "Jede Website kann den Messenger jetzt zeigen.",
    aliases: "Seiten eines anderen Dienstes",
    aliasesHelp:
      "Eine Seite, die für einen anderen Dienst gemacht wurde, nennt ihr Konto mit einem Token, einer Site-ID oder den Zahlen in der Adresse ihres Scripts. Geben Sie diese hier ein: Auf der Seite ändert sich dann nur die Adresse des Dienstes.",
    aliasesField: "Tokens, Site-IDs und Zahlen",
    aliasesForm: "Ein Eintrag je Zeile. Für ein Script unter /12/345.js geben Sie 12/345 ein.",
    aliasesSaved: "Die Tokens und IDs wurden gespeichert.",
    host: "Host für Seiten mit einem Token oder einer Site-ID",
    numbered: (alias) => `Script mit den Zahlen ${alias}`,
    tooMany: (max) => `Möglich sind ${formatNumber(max)} Zeilen.`,
    tooLong: (max) => `Eine Zeile kann ${formatNumber(max)} Zeichen haben.`,
    noOrigin: (entry) => `„${entry}“ ist nicht die Adresse einer Website. Geben Sie eine ein wie https://shop.example.`,
    onlyOrigin: (entry, origin) =>
      `„${entry}“ enthält mehr als die Adresse einer Website. Geben Sie stattdessen ${origin} ein.`,
    noAlias: (entry) =>
      `„${entry}“ enthält ein Leerzeichen oder einen Buchstaben mit Akzent, was in einem Token nie vorkommt.`,
  },
});
