import { defineMessages, plural } from "../i18n/messages.ts";
import type { ShortcutGroup } from "./shortcuts.ts";

export const shortcutMessages = defineMessages({
  en: {
    palette: "Commands",
    placeholder: "Type a command, a customer or a conversation’s number",
    recent: "Recently opened",
    commands: "Commands",
    customers: "Customers",
    conversations: "Conversations",
    conversation: (number: string) => `Conversation ${number}`,
    searchFor: (text: string) => `Search for “${text}”`,
    search: "Search",
    none: "Nothing matches. Try other words.",
    results: (count: number) => `${count} ${plural(count, { one: "result", other: "results" })}`,
    hint: "↑ ↓ to choose, Enter to open, Escape to close",
    list: "Keyboard shortcuts",
    listHelp: "Those of the page that is open now. The palette of commands has all commands.",
    letters: "Single letters are shortcuts",
    lettersHelp: "Turn them off if you dictate, or if you press keys by accident.",
    then: "then",
  },
  de: {
    palette: "Befehle",
    placeholder: "Befehl, Kunde oder Nummer einer Unterhaltung",
    recent: "Zuletzt geöffnet",
    commands: "Befehle",
    customers: "Kunden",
    conversations: "Unterhaltungen",
    conversation: (number: string) => `Unterhaltung ${number}`,
    searchFor: (text: string) => `Nach „${text}“ suchen`,
    search: "Suche",
    none: "Nichts gefunden. Versuchen Sie andere Wörter.",
    results: (count: number) => `${count} ${plural(count, { one: "Ergebnis", other: "Ergebnisse" })}`,
    hint: "↑ ↓ zum Wählen, Enter zum Öffnen, Escape zum Schließen",
    list: "Tastenkürzel",
    listHelp: "Die der Seite, die jetzt offen ist. Die Befehlspalette enthält alle Befehle.",
    letters: "Einzelne Buchstaben sind Tastenkürzel",
    lettersHelp: "Schalten Sie sie aus, wenn Sie diktieren oder Tasten versehentlich drücken.",
    then: "dann",
  },
});

const groups = defineMessages({
  en: {
    general: "General",
    list: "List",
    selection: "Selected conversations",
    conversation: "Conversation",
    composer: "Writing",
  },
  de: {
    general: "Allgemein",
    list: "Liste",
    selection: "Ausgewählte Unterhaltungen",
    conversation: "Unterhaltung",
    composer: "Schreiben",
  },
});
export const GROUP_NAMES: Readonly<Record<ShortcutGroup, string>> = groups;
