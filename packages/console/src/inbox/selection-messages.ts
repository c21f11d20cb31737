import { defineMessages } from "../i18n/messages.ts";

/** Texts of the commands on selected conversations. */
export const selectionMessages = defineMessages({
  en: {
    resolveSelected: "Resolve the selected conversations",
    reopenSelected: "Reopen the selected conversations",
    assignSelected: "Assign the selected conversations",
    assignSelectedToMe: "Assign the selected conversations to me",
    changeSelected: "Change priority and properties of the selected conversations",
    markSelectedUnread: "Mark the selected conversations as unread",
    replyNeedsOne: "Write a reply (in an open conversation)",
    noteNeedsOne: "Write a private note (in an open conversation)",
    replyNeedsOneText: "Replies and notes belong to one conversation. Open the conversation first.",
    detailsNeedOne: "Show the details (of an open conversation)",
    detailsNeedOneText: "Details belong to one conversation. Open the conversation first.",
    selectionBusy: "The selected conversations are being changed. Wait until this is done.",
  },
  de: {
    resolveSelected: "Ausgewählte Unterhaltungen lösen",
    reopenSelected: "Ausgewählte Unterhaltungen wieder öffnen",
    assignSelected: "Ausgewählte Unterhaltungen zuweisen",
    assignSelectedToMe: "Ausgewählte Unterhaltungen mir zuweisen",
    changeSelected: "Priorität und Eigenschaften der ausgewählten Unterhaltungen ändern",
    markSelectedUnread: "Ausgewählte Unterhaltungen als ungelesen markieren",
    replyNeedsOne: "Antwort schreiben (in einer geöffneten Unterhaltung)",
    noteNeedsOne: "Private Notiz schreiben (in einer geöffneten Unterhaltung)",
    replyNeedsOneText: "Antworten und Notizen gehören zu einer Unterhaltung. Öffnen Sie zuerst die Unterhaltung.",
    detailsNeedOne: "Details anzeigen (einer geöffneten Unterhaltung)",
    detailsNeedOneText: "Details gehören zu einer Unterhaltung. Öffnen Sie zuerst die Unterhaltung.",
    selectionBusy: "Die ausgewählten Unterhaltungen werden gerade geändert. Warten Sie, bis das beendet ist.",
  },
});
