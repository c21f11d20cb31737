import { element } from "./element.ts";
import type { FormField } from "./field.ts";

/** The place above the form that says how saving went. */
export interface Notice {
  hide(): void;
  good(text: string): void;
  bad(text: string, fields: readonly FormField[]): void;
}

const problem = (field: FormField): HTMLLIElement => {
  const item = document.createElement("li");
  const text = `${field.label()}: ${field.error() ?? ""}`;
  if (!field.isVisible()) {
    item.textContent = text;
    return item;
  }
  const link = document.createElement("a");
  link.href = `#${encodeURIComponent(field.key)}`;
  link.textContent = text;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    field.focus();
  });
  item.append(link);
  return item;
};

export const noticeOf = (root: HTMLElement): Notice => {
  const title = element<HTMLElement>(root, "[data-part=title]");
  const list = element<HTMLElement>(root, "[data-part=list]");
  const show = (kind: "good" | "bad", text: string, fields: readonly FormField[]) => {
    root.className = `notice ${kind}`;
    root.hidden = false;
    title.textContent = text;
    list.replaceChildren(...fields.map(problem));
    list.hidden = fields.length === 0;
    root.focus();
  };
  return {
    hide: () => void (root.hidden = true),
    good: (text) => show("good", text, []),
    bad: (text, fields) => show("bad", text, fields),
  };
};
