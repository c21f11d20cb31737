import { element } from "../../../pages/browser/element.ts";
import type { FormField, SentField } from "./field.ts";
import type { InstallServer } from "./server.ts";

/** The button that creates an API key for a parameter. */
interface KeyButton {
  /** Called after a save: a key that was created and not sent is revoked. */
  saved(sent: readonly SentField[]): void;
  /** Called when it is unknown whether the created key was stored: it is not revoked. */
  keep(): void;
}

interface KeyButtonDeps {
  readonly root: HTMLElement;
  readonly field: Pick<FormField, "key" | "enter">;
  readonly server: Pick<InstallServer, "createKey" | "discardKeys">;
}

/** -> undefined for a parameter without the button */
export const wireKeyButton = ({ root, field, server }: KeyButtonDeps): KeyButton | undefined => {
  const button = root.querySelector<HTMLButtonElement>("[data-part=create-key]");
  if (!button) return undefined;
  const state = element<HTMLElement>(root, "[data-part=key-state]");
  let created: { readonly token: string; readonly receipt: string } | undefined;
  let busy = false;

  const show = (text: string, isError = false) => {
    state.textContent = text;
    state.classList.toggle("failed", isError);
  };
  const setBusy = (is: boolean) => {
    busy = is;
    button.setAttribute("aria-disabled", String(is));
    button.classList.toggle("busy", is);
  };
  const create = async () => {
    if (busy) return;
    setBusy(true);
    show("Creating a key…");
    try {
      created = await server.createKey({ key: field.key, ...(created && { replaces: created.receipt }) });
      field.enter(created.token);
      show("A key was created and filled in. It is stored when you save.");
    } catch (error) {
      show(error instanceof Error ? error.message : String(error), true);
    } finally {
      setBusy(false);
    }
  };
  button.addEventListener("click", () => void create());

  return {
    saved(sent) {
      if (!created) return;
      const isStored = sent.some(({ key, value }) => key === field.key && value === created?.token);
      if (!isStored) void server.discardKeys({ [field.key]: created.receipt });
      created = undefined;
      show("");
    },
    keep: () => void (created = undefined),
  };
};
