import { element } from "./element.ts";
import { NOT_SAVED, type Notice } from "./notice.ts";
import type { Unsaved } from "./unsaved.ts";

export interface ButtonDeps {
  /** Parameters and button. */
  readonly form: HTMLElement;
  readonly notice: Notice;
  readonly unsaved: Unsaved;
  /** -> whether the values are kept. @errors one sentence for the person */
  readonly save: () => Promise<boolean>;
}

/** A save at a time, told by the button without taking the focus from it. */
export const wireButton = ({ form, notice, unsaved, save }: ButtonDeps): void => {
  const button = element<HTMLButtonElement>(form, "button[type=submit]");
  let saving = false;
  const busy = (is: boolean, label: string | undefined) => {
    saving = is;
    button.setAttribute("aria-disabled", String(is));
    button.classList.toggle("busy", is);
    button.textContent = label ?? "";
  };
  const submit = async () => {
    if (saving) return;
    notice.hide();
    busy(true, button.dataset["busy"]);
    let label = button.dataset["idle"];
    try {
      if (await save()) label = button.dataset["idle"] = "Save changes";
    } catch (error) {
      notice.failed(NOT_SAVED, error instanceof Error ? error.message : String(error));
    } finally {
      unsaved.look();
      busy(false, label);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  // As a browser does it for controls in a form, after it has told of the change.
  form.addEventListener("keydown", ({ key, isComposing, target }) => {
    if (key === "Enter" && !isComposing && target instanceof HTMLInputElement) setTimeout(() => button.click());
  });
};
