import type { InstallModel } from "@parley/contract";
import { wireConnections } from "./connections.ts";
import { element } from "./element.ts";
import { noticeOf, type Notice } from "./notice.ts";
import { serverOf, type Server } from "./server.ts";
import { troubleOf, type Trouble } from "./trouble.ts";
import { unsavedOf, type Unsaved } from "./unsaved.ts";
import { wireUninstall } from "./uninstall.ts";

/** What stands around the parameters, whoever drew them. */
export interface Around {
  /** Parameters and button. No form holds the controls: there a control called `dataset` would take the place of the form's own property. */
  readonly form: HTMLElement;
  readonly model: InstallModel;
  readonly server: Server;
  readonly notice: Notice;
  readonly trouble: Trouble;
  readonly unsaved: Unsaved;
  /** The app is installed from now on. */
  readonly installed: () => void;
}

/** `isChanged`: whether anything is not saved. -> undefined where the app has an error, so that there is no form. */
export const aroundOf = (isChanged: () => boolean): Around | undefined => {
  const form = document.querySelector<HTMLElement>("[data-model]");
  if (!form) return undefined;
  const model = JSON.parse(form.dataset["model"] ?? "{}") as InstallModel;
  const host = element<HTMLElement>(document, "[data-host]");
  const server = serverOf(model, (isReached) => void (host.hidden = isReached));
  const unsaved = unsavedOf(element(form, "[data-part=unsaved]"), isChanged);
  const notice = noticeOf(element(document, "[data-notice]"));
  const card = document.querySelector<HTMLElement>("[data-connections]");
  if (card) wireConnections(card, server);
  const section = document.querySelector<HTMLElement>("[data-uninstall]");
  const uninstall = section ? wireUninstall(section, server, notice, () => unsaved.forget()) : undefined;
  return {
    form,
    model,
    server,
    notice,
    trouble: troubleOf(element(document, "[data-trouble]")),
    unsaved,
    installed() {
      document.title = document.title.replace(/installation$/, "settings");
      uninstall?.show();
    },
  };
};
