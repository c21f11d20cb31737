import { defineMessages } from "../i18n/messages.ts";

export const appsMessages = defineMessages({
  en: {
    apps: "Apps",
    failed: (app: string, reason: string) => `${app} can’t be shown: ${reason}`,
    notFound: "This app is not installed, is paused, or has no such page.",
    confirm: "OK",
    stoppedBy: (app: string, reason: string) => `${app}: ${reason}`,
  },
  de: {
    apps: "Apps",
    failed: (app, reason) => `${app} kann nicht angezeigt werden: ${reason}`,
    notFound: "Diese App ist nicht installiert, ist angehalten oder hat keine solche Seite.",
    confirm: "OK",
    stoppedBy: (app, reason) => `${app}: ${reason}`,
  },
});
