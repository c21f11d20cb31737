import type { InstallField } from "@parley/contract";
import { STORED_SECRET_LABELS } from "../../../model/iparams/iparam-terms.ts";
import { element } from "../../../pages/browser/element.ts";

/**
 * A secure value that is stored on the host and not sent to the page.
 * | state | shown | saving |
 * |---|---|---|
 * | none | the control | sends the control's value |
 * | held | "Stored", Replace, Remove | keeps the stored value |
 * | replacing | the control, Undo | sends the control's value; an empty one keeps the stored value |
 * | removed | "Removed when you save", Undo | removes the value |
 */
export interface KeptSecretControl {
  state(): "none" | "held" | "replacing" | "removed";
  /** Sets whether the host has a value, and of which kind; `isTouched`: the user has changed the field since the last save. */
  hold(kind: InstallField["held"], isTouched: boolean): void;
  /** Shows the control if it is hidden. */
  open(): void;
  setRequired(required: boolean): void;
  focus(): void;
}

interface KeptSecretControlDeps {
  readonly root: HTMLElement;
  readonly kind: InstallField["held"];
  readonly required: boolean;
  /** Called when the user chooses another state: the control's earlier value no longer applies. */
  readonly changed: () => void;
  readonly focusControl: () => void;
}

export const keptSecretControl = ({
  root,
  kind,
  required,
  changed,
  focusControl,
}: KeptSecretControlDeps): KeptSecretControl => {
  const bar = root.querySelector<HTMLElement>('[data-part="held"]');
  let held = bar ? kind : undefined;
  let state: ReturnType<KeptSecretControl["state"]> = held ? "held" : "none";
  let isRequired = required;
  const part = (name: string) => element<HTMLElement>(root, `[data-part="${name}"]`);

  const show = () => {
    if (!bar) return;
    bar.hidden = state === "none";
    part("entry").hidden = state === "held" || state === "removed";
    part("held-state").textContent =
      state === "removed" ? "Removed when you save" : held ? STORED_SECRET_LABELS[held] : "";
    part("held-state").classList.toggle("gone", state === "removed");
    part("held-state").hidden = state === "replacing";
    part("replace").hidden = state !== "held";
    part("remove").hidden = state !== "held" || isRequired;
    part("undo").hidden = state === "held";
  };
  const go = (next: typeof state) => {
    state = next;
    show();
  };
  const focus = () => part(state === "removed" ? "undo" : "replace").focus();

  const press = (name: string, next: typeof state) =>
    part(name).addEventListener("click", () => {
      go(next);
      changed();
      if (next === "replacing") focusControl();
      else focus();
    });
  if (bar) {
    press("replace", "replacing");
    press("remove", "removed");
    press("undo", "held");
  }

  return {
    state: () => state,
    hold(next, isTouched) {
      held = bar ? next : undefined;
      if (!held || !isTouched) return go(held ? "held" : "none");
      go(state === "none" ? "replacing" : state);
    },
    open() {
      if (state === "held" || state === "removed") go("replacing");
    },
    setRequired(now) {
      isRequired = now;
      if (now && state === "removed") state = "held";
      show();
    },
    focus,
  };
};
