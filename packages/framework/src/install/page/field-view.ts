import { element } from "./element.ts";
import type { Control } from "./control.ts";
import { hintOf } from "./hint.ts";

/** @units milliseconds: a check that is quicker than this needs no word */
const BUSY_AFTER = 150;

export interface FieldView {
  setLabel(text: string): void;
  setHint(text: string): void;
  setRequired(required: boolean): void;
  setVisible(visible: boolean): void;
  setBusy(busy: boolean): void;
  setError(message: string | undefined): void;
  readonly label: () => string;
}

/** Everything around the control of one parameter. */
export const fieldView = (root: HTMLElement, control: Control): FieldView => {
  const part = (name: string) => element<HTMLElement>(root, `[data-part="${name}"]`);
  const label = part("label");
  const error = part("error");
  const status = part("status");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const showHint = hintOf(part("hint"), part("more"));
  showHint(part("hint").textContent);

  /** A section is shown as long as one of its fields is. */
  const showSection = (section: HTMLElement) => {
    section.hidden = !section.querySelector("[data-field]:not([hidden])");
    const link = document.querySelector(`a[href="#${section.id}"]`);
    if (link?.parentElement) link.parentElement.hidden = section.hidden;
  };

  return {
    label: () => label.textContent.trim(),
    setLabel: (text) => void (label.textContent = text),
    setHint: showHint,
    setRequired(required) {
      part("required").hidden = !required;
      control.setRequired?.(required);
      if (control.isMarkable) control.target.setAttribute("aria-required", String(required));
    },
    setVisible(visible) {
      root.hidden = !visible;
      const section = root.closest<HTMLElement>("[data-section]");
      if (section) showSection(section);
    },
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
  };
};
