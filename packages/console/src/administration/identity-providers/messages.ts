import { defineMessages } from "../../i18n/messages.ts";

export const providerMessages = defineMessages({
  en: {
    create: "Add a provider",
    none: "There is no identity provider",
    noneText:
      "Agents sign in with a password. Add a provider, so that they can use their accounts of your company too.",
    onlyOwner: "Only an agent with the role Account admin can add, change and remove identity providers.",
    warning:
      "Whoever controls a provider can sign in as any agent of this account. Add only a provider that you trust this far.",
    label: "Text of the button",
    labelHelp: "On the sign-in page, such as Sign in with the company account.",
    labelMissing: "Enter a text for the button.",
    name: "Name",
    nameHelp: "Part of the callback address, such as company. It can’t be changed later.",
    nameInvalid:
      "Use lower-case letters, digits and hyphens; begin and end with a letter or a digit; 63 characters at most.",
    nameTaken: "Another provider has this name.",
    callback: "Callback address",
    callbackHelp: "Register this address at the provider. The provider then gives you a client ID and a client secret.",
    issuer: "Issuer",
    issuerHelp: "The address of the provider as its metadata names it, such as https://login.example.com.",
    issuerMissing: "Enter the address of the provider.",
    issuerInvalid: "Enter an address that begins with https://, without ? and #.",
    issuerIsDocument: "Leave /.well-known/openid-configuration out: it is added by the service.",
    clientId: "Client ID",
    clientIdMissing: "Enter the client ID that the provider gave you.",
    secret: "Client secret",
    secretHelp: "It is stored encrypted, and never shown. Leave it empty for a public client.",
    secretKept: "Leave it empty to keep the stored secret. Another issuer or client ID needs it again.",
    created: "Added",
    addTitle: "Add an identity provider",
    remove: (label: string) => `Remove ${label}`,
    removeTitle: (label: string) => `Remove ${label}?`,
    removeText:
      "Agents can’t sign in with it any more. Sessions that are open go on. Make sure that the agents have a password; you can reset it on the page Agents.",
    removed: (label: string) => `${label} removed.`,
  },
  de: {
    create: "Anbieter hinzufügen",
    none: "Es gibt keinen Identitätsanbieter",
    noneText:
      "Agenten melden sich mit einem Passwort an. Fügen Sie einen Anbieter hinzu, damit sie auch ihre Konten Ihres Unternehmens verwenden können.",
    onlyOwner: "Nur ein Agent mit der Rolle Account admin kann Identitätsanbieter hinzufügen, ändern und entfernen.",
    warning:
      "Wer einen Anbieter kontrolliert, kann sich als jeder Agent dieses Kontos anmelden. Fügen Sie nur einen Anbieter hinzu, dem Sie so weit vertrauen.",
    label: "Text der Schaltfläche",
    labelHelp: "Auf der Anmeldeseite, etwa Mit dem Firmenkonto anmelden.",
    labelMissing: "Geben Sie einen Text für die Schaltfläche ein.",
    name: "Name",
    nameHelp: "Teil der Callback-Adresse, etwa firma. Er kann später nicht geändert werden.",
    nameInvalid:
      "Verwenden Sie Kleinbuchstaben, Ziffern und Bindestriche; am Anfang und Ende einen Buchstaben oder eine Ziffer; höchstens 63 Zeichen.",
    nameTaken: "Ein anderer Anbieter hat diesen Namen.",
    callback: "Callback-Adresse",
    callbackHelp:
      "Tragen Sie diese Adresse beim Anbieter ein. Er gibt Ihnen dann eine Client-ID und ein Client-Secret.",
    issuer: "Issuer",
    issuerHelp: "Die Adresse des Anbieters, wie seine Metadaten sie nennen, etwa https://login.example.com.",
    issuerMissing: "Geben Sie die Adresse des Anbieters ein.",
    issuerInvalid: "Geben Sie eine Adresse ein, die mit https:// beginnt, ohne ? und #.",
    issuerIsDocument: "Lassen Sie /.well-known/openid-configuration weg: Der Dienst fügt es hinzu.",
    clientId: "Client-ID",
    clientIdMissing: "Geben Sie die Client-ID ein, die der Anbieter Ihnen gegeben hat.",
    secret: "Client-Secret",
    secretHelp: "Es wird verschlüsselt gespeichert und nie angezeigt. Für einen öffentlichen Client bleibt es leer.",
    secretKept: "Leer bleibt das gespeicherte. Ein anderer Issuer oder eine andere Client-ID braucht es noch einmal.",
    created: "Hinzugefügt",
    addTitle: "Identitätsanbieter hinzufügen",
    remove: (label) => `${label} entfernen`,
    removeTitle: (label) => `${label} entfernen?`,
    removeText:
      "Agenten können sich damit nicht mehr anmelden. Offene Sitzungen gehen weiter. Vergewissern Sie sich, dass die Agenten ein Passwort haben; Sie können es auf der Seite Agenten zurücksetzen.",
    removed: (label) => `${label} entfernt.`,
  },
});
