import { element, enableButtons } from "../../../pages/browser/element.ts";
import { type SaveNotice, saveNotice, appFaultNotice, type AppFaultNotice } from "./notice.ts";
import { type InstallServer, createInstallServer } from "./server.ts";
import type { InstallConnection, InstallModel } from "@parley/contract";
import { createUnsavedWarning, type UnsavedWarning } from "./save-button.ts";

/** Fragments that name the completed action for the reloaded page. */
const UNINSTALLED = "#uninstalled";
const UPGRADED = "#upgraded";
const ROLLED_BACK = "#rolled-back";

interface PageReload {
  readonly notice: SaveNotice;
  /** Called before the page is left on purpose. */
  readonly leaving: () => void;
}

/** Loads the page of the installed version. @shape done: one of the fragments above */
const reloadAs = (done: string, leaving: () => void): void => {
  leaving();
  history.replaceState(null, "", `${location.pathname}${done}`);
  // Otherwise the page would be restored at the button, below the message at its top.
  history.scrollRestoration = "manual";
  location.reload();
};

interface ConfirmedAction extends PageReload {
  readonly run: () => Promise<unknown>;
  readonly done: string;
  /** Title of the notice when the action failed. */
  readonly failed: string;
}

/** A button of a section that opens a dialog, which asks for a confirmation. */
const wireConfirmedAction = (section: HTMLElement, { run, done, failed, notice, leaving }: ConfirmedAction): void => {
  const dialog = element<HTMLDialogElement>(section, "dialog");
  const confirm = element<HTMLButtonElement>(section, "[data-confirm]");
  let busy = false;

  element(section, "[data-open]").addEventListener("click", () => dialog.showModal());
  element(section, "[data-cancel]").addEventListener("click", () => dialog.close());
  const act = async () => {
    if (busy) return;
    busy = true;
    confirm.classList.add("busy");
    try {
      await run();
      reloadAs(done, leaving);
    } catch (error) {
      dialog.close();
      notice.failed(failed, error instanceof Error ? error.message : String(error));
    } finally {
      busy = false;
      confirm.classList.remove("busy");
    }
  };
  confirm.addEventListener("click", () => void act());
  enableButtons(section);
};

/** Reports the action that was completed before the page was reloaded. */
const showDone = ({ version = "", installed }: InstallModel, notice: SaveNotice): void => {
  const texts: Readonly<Record<string, string>> = installed
    ? {
        [UPGRADED]: `The app was changed to version ${version}.`,
        [ROLLED_BACK]: `The app has returned to version ${version}, with the parameters that it had then.`,
      }
    : { [UNINSTALLED]: "The app was uninstalled, with all that it had kept." };
  const text = texts[location.hash];
  if (text === undefined) return;
  history.replaceState(null, "", location.pathname);
  notice.done(text);
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
  readonly trouble: AppFaultNotice;
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
  const leaving = () => unsaved.forget();
  const uninstall = document.querySelector<HTMLElement>("[data-uninstall]");
  if (uninstall)
    wireConfirmedAction(uninstall, {
      run: () => server.uninstall(),
      done: UNINSTALLED,
      failed: "The app couldn’t be uninstalled.",
      notice,
      leaving,
    });
  const rollback = document.querySelector<HTMLElement>("[data-rollback]");
  if (rollback)
    wireConfirmedAction(rollback, {
      run: () => server.rollBack(),
      done: ROLLED_BACK,
      failed: "The app couldn’t return to its earlier version.",
      notice,
      leaving,
    });
  showDone(model, notice);
  return {
    form,
    model,
    server,
    notice,
    trouble: appFaultNotice(element(document, "[data-trouble]")),
    unsaved,
    installed() {
      if (model.changesVersion) return reloadAs(UPGRADED, leaving);
      document.title = document.title.replace(/installation$/, "settings");
      if (uninstall) uninstall.hidden = false;
    },
  };
};
