import { element } from "../../../pages/browser/element.ts";
import type { FormField } from "./field.ts";

/** Labels of the saved fields, and of those that were changed during the save. */
interface SavedLabels {
  readonly saved: readonly string[];
  readonly later: readonly string[];
}

/** The notice above the form with the result of a save. */
export interface SaveNotice {
  hide(): void;
  done(title: string): void;
  saved(labels: SavedLabels): void;
  /** Some values must be corrected; nothing was saved. */
  wrong(title: string, fields: readonly FormField[]): void;
  /** Saving failed for a reason other than a value; nothing was saved. */
  failed(title: string, why: string): void;
}

const STORED_MESSAGE =
  "App installation parameters have been successfully stored. You can now proceed to test the app.";
export const NOT_SAVED_TITLE = "The parameters couldn’t be saved.";

/** Maximum number of labels that are listed by name. */
const NAMED_LABELS_MAX = 5;

const listed = (labels: readonly string[]): string =>
  labels.length > NAMED_LABELS_MAX
    ? `${labels.slice(0, NAMED_LABELS_MAX).join(", ")} and ${labels.length - NAMED_LABELS_MAX} more`
    : labels.join(", ");

/** Isolates the direction of a text from that of the surrounding text. */
const isolated = (text: string): HTMLElement => {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
};

const problem = (field: FormField): HTMLLIElement => {
  const item = document.createElement("li");
  const parts = [isolated(field.label()), ": ", isolated(field.error() ?? "")];
  if (!field.isVisible()) {
    item.append(...parts);
    return item;
  }
  const link = document.createElement("a");
  link.href = `#${encodeURIComponent(field.key)}`;
  link.append(...parts);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    field.focus();
  });
  item.append(link);
  return item;
};

interface NoticeContent {
  readonly kind: "good" | "bad";
  readonly title: string;
  readonly text?: string;
  readonly fields?: readonly FormField[];
  /** Whether the app can be opened. */
  readonly isReady?: boolean;
}

export const saveNotice = (root: HTMLElement): SaveNotice => {
  const part = (name: string) => element<HTMLElement>(root, `[data-part=${name}]`);
  const show = ({ kind, title, text = "", fields = [], isReady = false }: NoticeContent) => {
    root.className = `notice ${kind}`;
    root.hidden = false;
    part("title").textContent = title;
    part("text").textContent = text;
    part("text").hidden = text === "";
    part("list").replaceChildren(...fields.map(problem));
    part("list").hidden = fields.length === 0;
    part("way").hidden = !isReady;
    root.focus();
  };
  return {
    hide: () => void (root.hidden = true),
    done: (title) => show({ kind: "good", title }),
    saved({ saved, later }) {
      const text = [
        ...(saved.length > 0 ? [`Saved: ${listed(saved)}.`] : []),
        ...(later.length > 0 ? [`Changed meanwhile, and not saved yet: ${listed(later)}. Save again to keep it.`] : []),
      ].join(" ");
      show({ kind: "good", title: STORED_MESSAGE, text, isReady: true });
    },
    wrong(title, fields) {
      const places = fields.length === 1 ? "this field" : `these ${fields.length} fields`;
      show({ kind: "bad", title, text: `Nothing was saved. Correct ${places}, then save again:`, fields });
    },
    failed: (title, why) => show({ kind: "bad", title, text: why }),
  };
};

/** The notice above the form with an error of the app's own code. */
export interface AppFaultNotice {
  show(title: string, message: string): void;
  hide(): void;
}

export const CHECKS_NOT_STARTED_TITLE = "The app’s own checks could not start.";
export const OWN_PAGE_NOT_STARTED_TITLE = "The app’s own page could not start.";
export const OWN_PAGE_FAILED_TITLE = "The app’s own page has an error.";
export const OWN_PAGE_BLANK_TITLE = "The app’s own page shows nothing.";
export const CHECKS_FAILED_TITLE = "Something in the app’s own checks went wrong.";

/** @assumed Only the latest error is shown: the console lists all of them. */
export const appFaultNotice = (root: HTMLElement): AppFaultNotice => ({
  show(title, message) {
    element<HTMLElement>(root, "[data-part=title]").textContent = title;
    element<HTMLElement>(root, "[data-part=message]").textContent = message;
    root.hidden = false;
  },
  hide: () => void (root.hidden = true),
});
