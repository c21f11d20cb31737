import type { InstallField } from "@parley/contract";
import { STORED_SECRET_LABELS } from "../../../values/iparam-terms.ts";
import { element } from "../../../pages/browser/element.ts";

/**
 * A secure value that the host has and the page does not.
 *
 * | state | shown | saving |
 * |---|---|---|
 * | none | the control | takes what it holds |
 * | held | "Stored", Replace, Remove | leaves the value alone |
 * | replacing | the control, Undo | takes what it holds; an empty one leaves the value alone |
 * | removed | "Removed when you save", Undo | removes the value |
 */
export interface KeptSecretControl {
  state(): "none" | "held" | "replacing" | "removed";
  /** From now on the host has one of that kind, or none; `isTouched`: a person has changed the field since it was saved. */
  hold(kind: InstallField["held"], isTouched: boolean): void;
  /** Shows the control, if it is not shown. */
  open(): void;
  setRequired(required: boolean): void;
  focus(): void;
}

interface KeptSecretControlDeps {
  readonly root: HTMLElement;
  readonly kind: InstallField["held"];
  readonly required: boolean;
  /** A person chose another state: what stood in the control counts no longer. */
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
