import { domainLabelOf } from "../../iparams/domain.ts";
import type { InstallField } from "@parley/contract";
import type { FormEntry } from "../../iparams/validate-value.ts";
import { element } from "../../../pages/browser/element.ts";

/** Input element or group of a parameter, of any kind. */
export interface FieldControl {
  /** Element that is described, marked as invalid and focused. */
  readonly target: HTMLElement;
  /** Whether the element may be marked as required or invalid; a group of checkboxes may not. */
  readonly isMarkable: boolean;
  /** Whether the control contains text that the user would lose if it were cleared. */
  readonly isText: boolean;
  read(): FormEntry;
  /** Whether the browser can't parse the input, such as the 31st of February: `read` then returns "". */
  hasBadInput(): boolean;
  write(entry: FormEntry): void;
  setOptions(options: readonly string[]): void;
  setRequired?(required: boolean): void;
  setDisabled(disabled: boolean): void;
  focus(): void;
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const textOf = (entry: FormEntry): string => (typeof entry === "string" ? entry : "");

const single = (root: HTMLElement): Omit<FieldControl, "read" | "write" | "isText"> & { input: Input } => {
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

/** A line or a paragraph of text, rendered by the server. */
export const textControl = (root: HTMLElement, field: InstallField, suffix: string): FieldControl => {
  const { input, ...rest } = single(root);
  return {
    ...rest,
    isText: true,
    read: () => input.value,
    write: (entry) =>
      void (input.value =
        field.control === "domain" ? domainLabelOf(textOf(entry), field.suffix ?? suffix) : textOf(entry)),
  };
};

/** A checkbox, rendered by the server. */
export const tickControl = (root: HTMLElement): FieldControl => {
  const { input, ...rest } = single(root);
  const box = input as HTMLInputElement;
  return {
    ...rest,
    isText: false,
    read: () => box.checked,
    write: (entry) => void (box.checked = entry === true || entry === "true"),
  };
};

/** A dropdown, rendered by the server. */
export const dropdownControl = (root: HTMLElement): FieldControl => {
  const { input, ...rest } = single(root);
  const select = input as HTMLSelectElement;
  const write = (entry: FormEntry) => {
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
