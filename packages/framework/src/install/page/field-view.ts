import { element } from "./element.ts";
import type { Control } from "./control.ts";

/** @units milliseconds: a check that is quicker than this needs no word */
const BUSY_AFTER = 150;

/** The ways on from an entry that a callback refused and the page took out. */
export interface Offer {
  /** What it was, unless it is secret. */
  readonly text?: string;
  readonly mayReturn: boolean;
  readonly mayStayEmpty: boolean;
}

export interface FieldView {
  setLabel(text: string): void;
  setHint(text: string): void;
  setRequired(required: boolean): void;
  setVisible(visible: boolean): void;
  setBusy(busy: boolean): void;
  setError(message: string | undefined): void;
  setOffer(offer: Offer | undefined): void;
  setStored(stored: boolean): void;
  readonly label: () => string;
}

/** Everything around the control of one parameter. */
export const fieldView = (root: HTMLElement, control: Control): FieldView => {
  const part = (name: string) => element<HTMLElement>(root, `[data-part="${name}"]`);
  const label = part("label");
  const error = part("error");
  const status = part("status");
  let timer: ReturnType<typeof setTimeout> | undefined;

  return {
    label: () => label.textContent.trim(),
    setLabel: (text) => void (label.textContent = text),
    setHint(text) {
      part("hint").textContent = text;
      part("hint").hidden = text === "";
    },
    setRequired(required) {
      part("required").hidden = !required;
      if (control.isMarkable) control.target.setAttribute("aria-required", String(required));
    },
    setVisible: (visible) => void (root.hidden = !visible),
    setBusy(busy) {
      clearTimeout(timer);
      if (!busy) status.textContent = "";
      root.setAttribute("aria-busy", String(busy));
      if (busy) timer = setTimeout(() => void (status.textContent = "Checking…"), BUSY_AFTER);
    },
    setError(message) {
      error.textContent = message ?? "";
      root.classList.toggle("wrong", message !== undefined);
      if (!control.isMarkable) return;
      if (message === undefined) control.target.removeAttribute("aria-invalid");
      else control.target.setAttribute("aria-invalid", "true");
    },
    setOffer(offer) {
      part("offer").hidden = !offer;
      part("offer-text").textContent = offer?.text ?? "";
      part("offer-text").hidden = !offer?.text;
      part("restore").hidden = !offer?.mayReturn;
      part("leave-empty").hidden = !offer?.mayStayEmpty;
    },
    setStored(stored) {
      const note = root.querySelector<HTMLElement>('[data-part="stored"]');
      if (note) note.hidden = !stored;
      if ("placeholder" in control.target) control.target.placeholder = stored ? "•••••••• stored" : "";
    },
  };
};
