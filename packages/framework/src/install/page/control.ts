import { labelOf } from "../domain.ts";
import type { InstallField } from "@parley/contract";
import type { Entry } from "../validate.ts";
import { element } from "./element.ts";

/** What a person fills in for one parameter, whatever it is made of. */
export interface Control {
  /** What must be described, marked as invalid and given the focus. */
  readonly target: HTMLElement;
  /** May say of itself that it is required or invalid; a group of boxes may not. */
  readonly isMarkable: boolean;
  /** Holds text that would be missed when it is taken out. */
  readonly isText: boolean;
  read(): Entry;
  /** Something is typed that the browser can't read, such as the 31st of February: `read` gives "" for it. */
  hasBadInput(): boolean;
  write(entry: Entry): void;
  setOptions(options: readonly string[]): void;
  setDisabled(disabled: boolean): void;
  focus(): void;
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const textOf = (entry: Entry): string => (typeof entry === "string" ? entry : "");

const single = (root: HTMLElement): Omit<Control, "read" | "write" | "isText"> & { input: Input } => {
  const input = element<Input>(root, "[data-control]");
  return {
    input,
    target: input,
    isMarkable: true,
    hasBadInput: () => input.validity.badInput,
    setOptions() {},
    setDisabled: (disabled) => void (input.disabled = disabled),
    focus: () => input.focus(),
  };
};

const textControl = (root: HTMLElement, field: InstallField, suffix: string): Control => {
  const { input, ...rest } = single(root);
  return {
    ...rest,
    isText: true,
    read: () => input.value,
    write: (entry) =>
      void (input.value = field.type === "domain" ? labelOf(textOf(entry), field.suffix ?? suffix) : textOf(entry)),
  };
};

const tickControl = (root: HTMLElement): Control => {
  const { input, ...rest } = single(root);
  const box = input as HTMLInputElement;
  return {
    ...rest,
    isText: false,
    read: () => box.checked,
    write: (entry) => void (box.checked = entry === true || entry === "true"),
  };
};

const dropdownControl = (root: HTMLElement): Control => {
  const { input, ...rest } = single(root);
  const select = input as HTMLSelectElement;
  const write = (entry: Entry) => {
    select.value = textOf(entry);
    if (select.selectedIndex < 0) select.value = "";
  };
  return {
    ...rest,
    isText: false,
    read: () => select.value,
    write,
    setOptions(options) {
      const chosen = select.value;
      const [none] = select.options;
      select.replaceChildren(...(none ? [none] : []), ...options.map((option) => new Option(option, option)));
      write(chosen);
    },
  };
};

/** Radio buttons or boxes in a fieldset; a row is cloned from the page's own template. */
const groupControl = (root: HTMLElement, field: InstallField): Control => {
  const group = element<HTMLFieldSetElement>(root, "[data-control]");
  const list = element<HTMLElement>(root, "[data-choices]");
  const row = element<HTMLTemplateElement>(root, "template");
  const boxes = () => [...list.querySelectorAll<HTMLInputElement>("input")];
  const many = field.type === "multiselect";
  const chosen = () => boxes().flatMap(({ checked, value }) => (checked ? [value] : []));
  const write = (entry: Entry) => {
    const wanted = typeof entry === "boolean" ? [] : [entry].flat();
    for (const box of boxes()) box.checked = wanted.includes(box.value);
  };
  const rowOf = (option: string) => {
    const copy = row.content.cloneNode(true) as DocumentFragment;
    element<HTMLInputElement>(copy, "input").value = option;
    element<HTMLElement>(copy, "span").textContent = option;
    return copy;
  };
  return {
    target: group,
    isMarkable: !many,
    isText: false,
    hasBadInput: () => false,
    read: () => (many ? chosen() : (chosen()[0] ?? "")),
    write,
    setOptions(options) {
      const before = chosen();
      list.replaceChildren(...options.map(rowOf));
      write(before);
    },
    setDisabled: (disabled) => void (group.disabled = disabled),
    focus: () => (boxes().find(({ checked }) => checked) ?? boxes()[0])?.focus(),
  };
};

/** The control that the server rendered for a parameter. */
export const controlOf = (root: HTMLElement, field: InstallField, suffix: string): Control => {
  if (field.type === "radio" || field.type === "multiselect") return groupControl(root, field);
  if (field.type === "checkbox") return tickControl(root);
  return field.type === "dropdown" ? dropdownControl(root) : textControl(root, field, suffix);
};
