import { defineMessages } from "../i18n/messages.ts";

export const detailsMessages = defineMessages({
  en: {
    customer: "Customer",
    conversation: "Properties",
    customerProperties: "Customer properties",
    earlier: "Other conversations",
    ratings: "Ratings",
    apps: "Apps",
    profile: "Open the customer’s page",
    required: (label: string) => `${label} (required)`,
    clear: (label: string) => `Remove: ${label}`,
    noValue: "–",
    fixed: "Can’t be changed here",
    yes: "Yes",
    no: "No",
  },
  de: {
    customer: "Kunde",
    conversation: "Eigenschaften",
    customerProperties: "Eigenschaften des Kunden",
    earlier: "Weitere Unterhaltungen",
    ratings: "Bewertungen",
    apps: "Apps",
    profile: "Seite des Kunden öffnen",
    required: (label) => `${label} (erforderlich)`,
    clear: (label) => `Entfernen: ${label}`,
    noValue: "–",
    fixed: "Kann hier nicht geändert werden",
    yes: "Ja",
    no: "Nein",
  },
});
