import { defineMessages } from "../i18n/messages.ts";

export const workspaceMessages = defineMessages({
  en: {
    unknownCustomer: "Unnamed customer",
    formerAgent: "Former agent",
    formerGroup: "Former group",
    formerTopic: "Former topic",
  },
  de: {
    unknownCustomer: "Kunde ohne Namen",
    formerAgent: "Ehemaliger Agent",
    formerGroup: "Ehemalige Gruppe",
    formerTopic: "Ehemaliges Thema",
  },
});
