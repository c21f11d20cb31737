import { urlOf } from "@parley/contract";
import { element } from "../../../pages/browser/element.ts";
import type { FieldControl } from "./control.ts";

/**
 * Runs an action at once or, while the pointer is pressed on a button, after the click: otherwise an error that appears
 * between press and release would move the button away from the pointer, and the click would be lost.
 */
export type WhenReleased = (action: () => void) => void;

export const whenReleased = (document: Document): WhenReleased => {
  let waiting: (() => void)[] | undefined;
  const release = () => {
    const actions = waiting ?? [];
    waiting = undefined;
    setTimeout(() => {
      for (const action of actions) action();
    });
  };
  const press = ({ target }: PointerEvent) => {
    // The release after a press on a list of options may not be visible to the page.
    if (target instanceof Element && target.closest("button, a")) waiting ??= [];
  };
  document.addEventListener("pointerdown", press, true);
  document.addEventListener("pointerup", release, true);
  document.addEventListener("pointercancel", release, true);
  return (action) => {
    if (waiting) waiting.push(action);
    else action();
  };
};

/** A longer hint is collapsed. @units characters, lines */
const foldFrom = { characters: 320, lines: 6 };

const ADDRESS = /https?:\/\/[^\s<>"'`(){}[\]]+/gi;
/** Punctuation that ends a sentence and not the URL before it. */
const TRAILING = /[.,;:!?…]+$/;

/** Converts URLs in a text to links; all else stays text. */
const linked = (text: string): (string | HTMLAnchorElement)[] => {
  const parts: (string | HTMLAnchorElement)[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(TRAILING, "");
    if (!urlOf(address)) continue;
    const link = document.createElement("a");
    link.href = link.textContent = address;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    parts.push(text.slice(from, index), link);
    from = index + address.length;
  }
  return [...parts, text.slice(from)];
};

/** -> a function that shows a text under a field, collapsed if it is long */
const fieldHint = (place: HTMLElement, more: HTMLElement): ((text: string) => void) => {
  let isOpen = false;
  let isLong = false;
  const fold = () => {
    place.classList.toggle("folded", isLong && !isOpen);
    more.hidden = !isLong;
    more.ariaExpanded = String(isOpen);
    const [verb] = more.childNodes;
    if (verb) verb.textContent = isOpen ? "Show less" : "Show more";
  };
  more.addEventListener("click", () => {
    isOpen = !isOpen;
    fold();
  });
  return (text) => {
    place.replaceChildren(...linked(text));
    place.hidden = text === "";
    isLong = text.length > foldFrom.characters || text.split("\n").length > foldFrom.lines;
    fold();
  };
};

/** Delay before a running check is indicated. @units milliseconds */
const BUSY_DELAY_MS = 150;

export interface FieldElements {
  setLabel(text: string): void;
  setHint(text: string): void;
  setRequired(required: boolean): void;
  setVisible(visible: boolean): void;
  setBusy(busy: boolean): void;
  setError(message: string | undefined): void;
  readonly label: () => string;
}

/** The elements around a parameter's control. */
export const fieldElements = (root: HTMLElement, control: FieldControl): FieldElements => {
  const part = (name: string) => element<HTMLElement>(root, `[data-part="${name}"]`);
  const label = part("label");
  const error = part("error");
  const status = part("status");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const showHint = fieldHint(part("hint"), part("more"));
  showHint(part("hint").textContent);

  /** Shows a section if at least one of its fields is visible. */
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
      if (busy) timer = setTimeout(() => void (status.textContent = "Checking…"), BUSY_DELAY_MS);
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
