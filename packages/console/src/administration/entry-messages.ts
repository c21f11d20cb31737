import { defineMessages } from "../i18n/messages.ts";

/** Texts of tables and forms on several pages. */
export const entryMessages = defineMessages({
  en: {
    actions: "Actions",
    edit: (name: string) => `Change ${name}`,
    remove: (name: string) => `Delete ${name}`,
    saved: (name: string) => `${name} saved.`,
    moved: (name: string) => `${name} moved.`,
    removed: (name: string) => `${name} deleted.`,
    gone: "Somebody has deleted this in the meantime. Cancel to see what there is now.",
    exists:
      "Somebody has created an entry of this name in the meantime. Cancel and change that entry, or enter another name.",
    changed: (members: string) =>
      `Somebody has changed this in the meantime: ${members}. Save again to replace it with what you entered. Cancel and open it again to see the change.`,
    addLanguage: "Add a language",
    otherLanguage: "Another language, by its code",
    localeInvalid: "Enter a code such as es or es-MX.",
    chooseLanguage: "Choose",
  },
  de: {
    actions: "Aktionen",
    edit: (name) => `${name} ändern`,
    remove: (name) => `${name} löschen`,
    saved: (name) => `${name} gespeichert.`,
    moved: (name) => `${name} verschoben.`,
    removed: (name) => `${name} gelöscht.`,
    gone: "Jemand hat dies inzwischen gelöscht. Brechen Sie ab, um zu sehen, was es jetzt gibt.",
    exists:
      "Jemand hat inzwischen einen Eintrag mit diesem Namen angelegt. Brechen Sie ab und ändern Sie diesen, oder geben Sie einen anderen Namen ein.",
    changed: (members) =>
      `Jemand hat dies inzwischen geändert: ${members}. Speichern Sie noch einmal, um es durch Ihre Eingabe zu ersetzen. Brechen Sie ab und öffnen Sie es noch einmal, um die Änderung zu sehen.`,
    addLanguage: "Sprache hinzufügen",
    otherLanguage: "Eine andere Sprache, mit ihrem Kürzel",
    localeInvalid: "Geben Sie ein Kürzel wie es oder es-MX ein.",
    chooseLanguage: "Wählen",
  },
});
