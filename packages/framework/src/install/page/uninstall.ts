import { element } from "./element.ts";
import type { Notice } from "./notice.ts";
import type { Server } from "./server.ts";

/** Tells the page, once it has loaded again, that it was uninstalled. */
const DONE = "#uninstalled";

/** The last section of an installed app: uninstalls it once a person has confirmed. */
export const wireUninstall = (section: HTMLElement, server: Server, notice: Notice, leaving: () => void) => {
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
      // Else the page begins where the button was, below what it says at its top.
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
