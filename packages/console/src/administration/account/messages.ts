import { formatNumber } from "../../i18n/format.ts";
import { defineMessages, plural } from "../../i18n/messages.ts";

export const accountMessages = defineMessages({
  en: {
    facts: "The account",
    operator: "The operator of this installation decides about the name, plan, data centre, bundle and domains.",
    name: "Name",
    domain: "Domain",
    organisationDomain: "Domain of the organisation",
    plan: "Plan",
    datacenter: "Data centre",
    bundle: "Bundle",
    standalone: "None (stand-alone account)",
    support: "Support suite",
    sales: "Sales suite",
    language: "Language",
    primaryLanguage: "Primary language",
    primaryHelp: "Topics are shown in it where a customer’s language is not known or has no text.",
    languageMissing: (topic: string, others: number) =>
      others === 0
        ? `The topic ${topic} has no text in this language. Add one on the page Topics first.`
        : `The topic ${topic} and ${plural(others, { one: "1 other", other: `${formatNumber(others)} others` })} have no text in this language. Add them on the page Topics first.`,
    languageSaved: (language: string) => `The primary language is ${language}.`,
    allowance: "Allowance of the API",
    allowanceHelp: "Calls of programs and apps with an API token. The pages of agents don’t count.",
    limit: "Calls per hour",
    used: "Used in this hour",
    left: "Left",
    ends: "The hour ends at",
    usedPart: (percent: number) => `${formatNumber(percent)} % of the allowance is used`,
    reread: "Read again",
  },
  de: {
    facts: "Das Konto",
    operator: "Über Name, Tarif, Rechenzentrum, Paket und Domains entscheidet der Betreiber dieser Installation.",
    name: "Name",
    domain: "Domain",
    organisationDomain: "Domain der Organisation",
    plan: "Tarif",
    datacenter: "Rechenzentrum",
    bundle: "Paket",
    standalone: "Keines (eigenständiges Konto)",
    support: "Support-Paket",
    sales: "Vertriebs-Paket",
    language: "Sprache",
    primaryLanguage: "Hauptsprache",
    primaryHelp: "Themen erscheinen in ihr, wo die Sprache eines Kunden nicht bekannt ist oder keinen Text hat.",
    languageMissing: (topic, others) =>
      others === 0
        ? `Das Thema ${topic} hat in dieser Sprache keinen Text. Ergänzen Sie ihn zuerst auf der Seite Themen.`
        : `Das Thema ${topic} und ${plural(others, { one: "1 weiteres", other: `${formatNumber(others)} weitere` })} haben in dieser Sprache keinen Text. Ergänzen Sie ihn zuerst auf der Seite Themen.`,
    languageSaved: (language) => `Die Hauptsprache ist ${language}.`,
    allowance: "Kontingent der API",
    allowanceHelp: "Aufrufe von Programmen und Apps mit einem API-Token. Die Seiten der Agenten zählen nicht.",
    limit: "Aufrufe je Stunde",
    used: "In dieser Stunde verbraucht",
    left: "Übrig",
    ends: "Die Stunde endet um",
    usedPart: (percent) => `${formatNumber(percent)} % des Kontingents sind verbraucht`,
    reread: "Neu lesen",
  },
});
