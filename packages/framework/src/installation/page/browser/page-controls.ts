import { element } from "../../../pages/browser/element.ts";
import { type SaveNotice, saveNotice, appFaultReporter, type ReportAppFault } from "./notice.ts";
import { type InstallServer, createInstallServer } from "./server.ts";
import type { InstallConnection, InstallModel } from "@parley/contract";
import { createUnsavedWarning, type UnsavedWarning } from "./save-button.ts";

/** Tells the reloaded page that the app was uninstalled. */
const DONE = "#uninstalled";

/** The last section for an installed app: uninstalls it after a confirmation. */
const wireUninstall = (section: HTMLElement, server: InstallServer, notice: SaveNotice, leaving: () => void) => {
  const dialog = element<HTMLDialogElement>(section, "dialog");
  const confirm = element<HTMLButtonElement>(section, "[data-confirm]");
  let busy = false;

  element(section, "[data-open]").addEventListener("click", () => dialog.showModal());
  element(section, "[data-cancel]").addEventListener("click", () => dialog.close());
  const uninstall = async () => {
    if (busy) return;
    busy = true;
    confirm.classList.add("busy");
    try {
      await server.uninstall();
      leaving();
      location.hash = DONE;
      // Otherwise the page would be restored at the button, below the message at its top.
      history.scrollRestoration = "manual";
      location.reload();
    } catch (error) {
      dialog.close();
      notice.failed("The app couldn’t be uninstalled.", error instanceof Error ? error.message : String(error));
    } finally {
      busy = false;
      confirm.classList.remove("busy");
    }
  };
  confirm.addEventListener("click", () => void uninstall());

  if (location.hash === DONE && section.hidden) {
    history.replaceState(null, "", location.pathname);
    notice.done("The app was uninstalled, with all that it had kept.");
  }
  return { show: () => void (section.hidden = false) };
};

const write = (row: HTMLElement, { authorized }: InstallConnection) => {
  element<HTMLElement>(row, "[data-part=state]").textContent = authorized ? "Connected" : "Not connected";
  element<HTMLElement>(row, "[data-part=link-verb]").textContent = authorized ? "Connect again" : "Connect";
  row.classList.toggle("connected", authorized);
};

/** The state of each connection, loaded again when the user returns from another tab. */
const wireConnections = (card: HTMLElement, server: InstallServer): void => {
  const refresh = async () => {
    const connections = await server.connections().catch(() => []);
    for (const connection of connections) {
      const row = [...card.querySelectorAll<HTMLElement>("[data-connection]")].find(
        (candidate) => candidate.dataset["connection"] === connection.name,
      );
      if (row && connection.tokenType === "account") write(row, connection);
    }
    const isMissing = connections.some(({ tokenType, authorized }) => tokenType === "account" && !authorized);
    if (connections.length > 0) element<HTMLElement>(card, "[data-part=missing]").hidden = !isMissing;
  };
  window.addEventListener("focus", () => void refresh());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void refresh();
  });
};

/** Elements around the parameters, for forms of both kinds. */
export interface PageControls {
  /** Parameters and button. Not a form element: in a form, a control named `dataset` would replace the form's own property. */
  readonly form: HTMLElement;
  readonly model: InstallModel;
  readonly server: InstallServer;
  readonly notice: SaveNotice;
  readonly trouble: ReportAppFault;
  readonly unsaved: UnsavedWarning;
  /** Called when the app has been installed. */
  readonly installed: () => void;
}

/** `isChanged`: whether there are unsaved changes. -> undefined if the app has an error, so that there is no form */
export const wirePageControls = (isChanged: () => boolean): PageControls | undefined => {
  const form = document.querySelector<HTMLElement>("[data-model]");
  if (!form) return undefined;
  const model = JSON.parse(form.dataset["model"] ?? "{}") as InstallModel;
  const host = element<HTMLElement>(document, "[data-host]");
  const server = createInstallServer(model, (isReached) => void (host.hidden = isReached));
  const unsaved = createUnsavedWarning(element(form, "[data-part=unsaved]"), isChanged);
  const notice = saveNotice(element(document, "[data-notice]"));
  const card = document.querySelector<HTMLElement>("[data-connections]");
  if (card) wireConnections(card, server);
  const section = document.querySelector<HTMLElement>("[data-uninstall]");
  const uninstall = section ? wireUninstall(section, server, notice, () => unsaved.forget()) : undefined;
  return {
    form,
    model,
    server,
    notice,
    trouble: appFaultReporter(element(document, "[data-trouble]")),
    unsaved,
    installed() {
      document.title = document.title.replace(/installation$/, "settings");
      uninstall?.show();
    },
  };
};
