import type { Session } from "@parley/contract";
import { h } from "./dom.ts";

/** A section of the profile, which shows the state of a session. */
export interface ProfileSection {
  readonly element: HTMLElement;
  show(session: Session): void | Promise<void>;
}

export const section = (
  name: string,
  title: string,
  ...content: readonly HTMLElement[]
): { readonly element: HTMLElement; readonly title: HTMLElement } => {
  const head = h("h2", { id: `${name}-title`, tabIndex: -1 }, title);
  return { element: h("section", { className: "card", "aria-labelledby": head.id }, head, ...content), title: head };
};
