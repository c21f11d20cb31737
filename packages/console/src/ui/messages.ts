import { defineMessages } from "../i18n/messages.ts";

export const uiMessages = defineMessages({
  en: {
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    delete: "Delete",
    loading: "Loading",
    undo: "Undo",
    nothingToUndo: "There is nothing to undo any more.",
    retry: "Try again",
    notifications: "Notices",
    choose: "Choose",
    noMatch: "Nothing matches.",
    noAnswer: "The service did not answer. Check the connection, and try again.",
    clear: "Clear",
  },
  de: {
    close: "Schließen",
    cancel: "Abbrechen",
    save: "Speichern",
    delete: "Löschen",
    loading: "Wird geladen",
    undo: "Rückgängig",
    nothingToUndo: "Es gibt nichts mehr rückgängig zu machen.",
    retry: "Erneut versuchen",
    notifications: "Hinweise",
    choose: "Auswählen",
    noMatch: "Nichts gefunden.",
    noAnswer: "Der Dienst hat nicht geantwortet. Prüfen Sie die Verbindung, und versuchen Sie es erneut.",
    clear: "Leeren",
  },
});
