import { formatNumber } from "../../i18n/format.ts";
import { defineMessages, plural } from "../../i18n/messages.ts";

export const groupMessages = defineMessages({
  en: {
    create: "New group",
    none: "There are no groups",
    noneText:
      "Groups are teams of agents, such as sales and support. Conversations are assigned to a group, an agent, or both.",
    automatic: "Assign conversations automatically",
    automaticHelp:
      "Conversations of groups with routing are assigned to available agents. While no agent is free, conversations wait; the oldest is assigned first.",
    name: "Name",
    nameMissing: "Give the group a name.",
    nameTaken: "Another group has this name.",
    description: "Description",
    orgId: "Id in the organisation",
    orgIdHelp: "The id of the group in other products of the organisation. If it is empty, a new group gets an id.",
    orgIdMissing: "Enter the id. A group needs an id.",
    orgIdTaken: "Another group has this id.",
    routing: "Routing",
    load: "By load",
    loadHelp:
      "To the available agent with the smallest share of capacity in use. Agents at their capacity get no conversation.",
    turn: "In turn",
    turnHelp: "To one available agent after the other, regardless of the capacity.",
    off: "Off",
    offHelp: "By agents, rules and apps only.",
    external: "By another product (OCR)",
    externalHelp: "By omnichannel routing outside of this service.",
    signedInOnly: "Only to agents who are signed in",
    signedInOnlyHelp:
      "Agents who have signed out, or whose session has ended, get no conversations, regardless of their status.",
    agents: "Agents",
    agentCount: (count: number) => plural(count, { one: "1 agent", other: `${formatNumber(count)} agents` }),
    available: (count: number) => `${formatNumber(count)} available`,
    isOff: "Automatic assignment is off for the account",
    editTitle: "Change the group",
    removeTitle: (name: string) => `Delete the group ${name}?`,
    removeText:
      "Agents and open conversations must have left it. Resolved conversations keep its id. This can’t be undone.",
  },
  de: {
    create: "Neue Gruppe",
    none: "Es gibt keine Gruppen",
    noneText:
      "Gruppen sind Teams von Agenten, etwa Verkauf und Support. Unterhaltungen werden einer Gruppe, einem Agenten oder beiden zugewiesen.",
    automatic: "Unterhaltungen automatisch zuweisen",
    automaticHelp:
      "Unterhaltungen von Gruppen mit Verteilung werden verfügbaren Agenten zugewiesen. Solange niemand frei ist, warten sie; die älteste wird zuerst zugewiesen.",
    name: "Name",
    nameMissing: "Geben Sie der Gruppe einen Namen.",
    nameTaken: "Eine andere Gruppe hat diesen Namen.",
    description: "Beschreibung",
    orgId: "Id in der Organisation",
    orgIdHelp: "Die Id der Gruppe in anderen Produkten der Organisation. Ist sie leer, bekommt eine neue Gruppe eine.",
    orgIdMissing: "Geben Sie die Id ein. Eine Gruppe kann nicht ohne sein.",
    orgIdTaken: "Eine andere Gruppe hat diese Id.",
    routing: "Verteilung",
    load: "Nach Auslastung",
    loadHelp:
      "An den verfügbaren Agenten, von dessen Kapazität der kleinste Teil genutzt ist. Wer seine Kapazität erreicht hat, bekommt keine.",
    turn: "Reihum",
    turnHelp: "An einen verfügbaren Agenten nach dem anderen, unabhängig von der Kapazität.",
    off: "Aus",
    offHelp: "Nur durch Agenten, Regeln und Apps.",
    external: "Durch ein anderes Produkt (OCR)",
    externalHelp: "Durch Omnichannel-Routing außerhalb dieses Dienstes.",
    signedInOnly: "Nur an angemeldete Agenten",
    signedInOnlyHelp:
      "Agenten, die sich abgemeldet haben oder deren Sitzung zu Ende ist, bekommen keine Unterhaltungen, gleich welchen Status sie haben.",
    agents: "Agenten",
    agentCount: (count) => plural(count, { one: "1 Agent", other: `${formatNumber(count)} Agenten` }),
    available: (count) => `${formatNumber(count)} verfügbar`,
    isOff: "Die automatische Zuweisung ist für das Konto aus",
    editTitle: "Gruppe ändern",
    removeTitle: (name) => `Die Gruppe ${name} löschen?`,
    removeText:
      "Agenten und offene Unterhaltungen müssen sie verlassen haben. Gelöste Unterhaltungen behalten ihre Id. Das kann nicht rückgängig gemacht werden.",
  },
});
