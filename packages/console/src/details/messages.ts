import { formatNumber } from "../i18n/format.ts";
import { defineMessages } from "../i18n/messages.ts";

/** Values in the reason of an automatic assignment. */
interface AssignmentValues {
  readonly agent: string;
  readonly group: string;
  readonly time: string;
}
interface LoadValues extends AssignmentValues {
  readonly load: number;
  readonly capacity: number;
}

export const detailsMessages = defineMessages({
  en: {
    customer: "Customer",
    visit: "Page and language",
    page: "Page",
    language: "Language",
    seenTime: "Since",
    opensTab: "(opens in a new tab)",
    conversation: "Properties",
    assignment: "Assignment",
    assignedByLoad: ({ agent, group, time, load, capacity }: LoadValues) =>
      `Assigned automatically to ${agent} on ${time}: of the available agents of ${group}, ${agent} used the smallest part of the capacity (${formatNumber(load)} of ${formatNumber(capacity)} conversations).`,
    assignedInTurn: ({ agent, group, time }: AssignmentValues) =>
      `Assigned automatically to ${agent} on ${time}: it was ${agent}’s turn among the available agents of ${group}.`,
    customerProperties: "Customer properties",
    earlier: "Other conversations",
    ratings: "Ratings",
    apps: "Apps",
    profile: "Open the customer’s page",
    required: (label: string) => `${label} (required)`,
    clear: (label: string) => `Remove: ${label}`,
    deleted: "The customer was deleted.",
    noValue: "–",
    fixed: "Can’t be changed here",
    notSavedYet: "Not saved yet: press Enter to save it, Escape to discard it.",
    yes: "Yes",
    no: "No",
  },
  de: {
    customer: "Kunde",
    visit: "Seite und Sprache",
    page: "Seite",
    language: "Sprache",
    seenTime: "Seit",
    opensTab: "(öffnet sich in einem neuen Tab)",
    conversation: "Eigenschaften",
    assignment: "Zuweisung",
    assignedByLoad: ({ agent, group, time, load, capacity }) =>
      `Automatisch ${agent} zugewiesen am ${time}: Von den verfügbaren Agenten der Gruppe ${group} nutzte ${agent} den kleinsten Teil der Kapazität (${formatNumber(load)} von ${formatNumber(capacity)} Unterhaltungen).`,
    assignedInTurn: ({ agent, group, time }) =>
      `Automatisch ${agent} zugewiesen am ${time}: ${agent} war unter den verfügbaren Agenten der Gruppe ${group} an der Reihe.`,
    customerProperties: "Eigenschaften des Kunden",
    earlier: "Weitere Unterhaltungen",
    ratings: "Bewertungen",
    apps: "Apps",
    profile: "Seite des Kunden öffnen",
    required: (label) => `${label} (erforderlich)`,
    clear: (label) => `Entfernen: ${label}`,
    deleted: "Der Kunde wurde gelöscht.",
    noValue: "–",
    fixed: "Kann hier nicht geändert werden",
    notSavedYet: "Noch nicht gespeichert: Enter speichert, Escape verwirft.",
    yes: "Ja",
    no: "Nein",
  },
});
