import { defineMessages } from "../../i18n/messages.ts";

export const outboundMessageMessages = defineMessages({
  en: {
    none: "No outbound messages were sent yet",
    noneText: "Programs and apps send them with a request of the API and an approved template.",
    provider:
      "The operator of this installation decides whether messages go to a provider, with the settings PARLEY_OUTBOUND_URL and PARLEY_OUTBOUND_SECRET of the service. Without them they stay in a sandbox, and nobody receives them. The part “Connect a provider” of docs/integrators/outbound-messages.md describes both.",
    onlyGlobal: "Your scope has not all customers",
    onlyGlobalText:
      "Only agents with the scope Global see outbound messages. Ask an admin of your account to change yours.",
    recipient: "Recipient",
    deleted: "Deleted customer",
    sender: (number: string) => `from ${number}`,
    template: "Template",
    status: "Status",
    Accepted: "Accepted",
    Sent: "Sent",
    Delivered: "Delivered",
    Failed: "Failed",
    time: "Requested",
    reason: "Reason of the failure",
    more: "Show older messages",
    reread: "Read again",
    shown: "All messages are shown.",
  },
  de: {
    none: "Es wurden noch keine Nachrichten gesendet",
    noneText: "Programme und Apps senden sie mit einer Anfrage der API und einer genehmigten Vorlage.",
    provider:
      "Ob Nachrichten an einen Anbieter gehen, entscheidet der Betreiber dieser Installation mit den Einstellungen PARLEY_OUTBOUND_URL und PARLEY_OUTBOUND_SECRET des Dienstes. Ohne sie bleiben sie in einer Testumgebung, und niemand empfängt sie. Beides beschreibt der Teil „Connect a provider“ von docs/integrators/outbound-messages.md.",
    onlyGlobal: "Ihr Bereich umfasst nicht alle Kunden",
    onlyGlobalText:
      "Nur Agenten mit dem Bereich Global sehen gesendete Nachrichten. Bitten Sie einen Admin Ihres Kontos, Ihren zu ändern.",
    recipient: "Empfänger",
    deleted: "Gelöschter Kunde",
    sender: (number) => `von ${number}`,
    template: "Vorlage",
    status: "Zustand",
    Accepted: "Angenommen",
    Sent: "Gesendet",
    Delivered: "Zugestellt",
    Failed: "Fehlgeschlagen",
    time: "Angefordert",
    reason: "Grund des Fehlschlags",
    more: "Ältere anzeigen",
    reread: "Neu lesen",
    shown: "Alle Nachrichten sind angezeigt.",
  },
});
