import { defineMessages } from "../i18n/messages.ts";

export const uiMessages = defineMessages({
  en: {
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    delete: "Delete",
    loading: "Loading",
    undo: "Undo",
    retry: "Try again",
    notifications: "Notifications",
    choose: "Choose",
    noMatch: "Nothing matches.",
    clear: "Clear",
  },
  de: {
    close: "Schließen",
    cancel: "Abbrechen",
    save: "Speichern",
    delete: "Löschen",
    loading: "Wird geladen",
    undo: "Rückgängig",
    retry: "Erneut versuchen",
    notifications: "Hinweise",
    choose: "Auswählen",
    noMatch: "Nichts gefunden.",
    clear: "Leeren",
  },
});
