import { domainLabelOf } from "../../../model/iparams/domain.ts";
import type { InstallField } from "@parley/contract";
import type { FormEntry } from "../../../model/iparams/validate-value.ts";
import { element } from "../../../pages/browser/element.ts";
import { hasNoChoiceOption, OPTIONS_WITHOUT_SEARCH_MAX, NO_CHOICE_LABEL } from "../../../model/iparams/iparam-terms.ts";
import { longList, type LongList } from "./long-list.ts";

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

/** Radio buttons or checkboxes in a fieldset, cloned from a row of the page's template; a searchable list if there are many. */
export const choiceControl = (root: HTMLElement, field: InstallField): FieldControl => {
  const group = element<HTMLFieldSetElement>(root, "[data-control]");
  const place = element<HTMLElement>(root, "[data-choices]");
  const template = element<HTMLTemplateElement>(root, "template");
  const labelId = element<HTMLElement>(group, "legend").id;
  const isMultiple = field.control === "multiselect";
  const boxes = () => [...place.querySelectorAll<HTMLInputElement>("input")];
  let list: LongList | undefined;
  let { required } = field;
  let options: readonly string[] = boxes().flatMap(({ value }) => (value === "" && !isMultiple ? [] : [value]));

  const chosen = () =>
    list?.chosen() ?? boxes().flatMap(({ checked, value }) => (checked && (isMultiple || value !== "") ? [value] : []));
  const write = (wanted: readonly string[]) => {
    if (list) return list.choose(wanted);
    const isNone = !isMultiple && wanted.every((one) => one === "");
    for (const box of boxes()) box.checked = wanted.includes(box.value) || (isNone && box.value === "");
  };
  const rowOf = (option: string, text = option) => {
    const copy = template.content.cloneNode(true) as DocumentFragment;
    element<HTMLInputElement>(copy, "input").value = option;
    const label = element<HTMLElement>(copy, "span");
    label.textContent = text;
    label.classList.toggle("none", text !== option);
    return copy;
  };
  const show = (wanted: readonly string[]) => {
    const isLong = options.length > OPTIONS_WITHOUT_SEARCH_MAX;
    place.classList.toggle("long", isLong);
    list = isLong ? longList({ place, labelId, options, isMultiple, mayBeEmpty: !required }) : undefined;
    if (!isLong) {
      const mayHaveNone = !isMultiple && hasNoChoiceOption({ ...field, required }, options);
      place.replaceChildren(
        ...options.map((option) => rowOf(option)),
        ...(mayHaveNone ? [rowOf("", NO_CHOICE_LABEL)] : []),
      );
    }
    list?.setDisabled(group.disabled);
    write(wanted);
  };

  const { long } = group.dataset;
  if (long !== undefined) {
    const list = JSON.parse(long) as { readonly options: readonly string[]; readonly chosen: readonly string[] };
    ({ options } = list);
    show(list.chosen);
  }

  return {
    target: group,
    isMarkable: !isMultiple,
    isText: false,
    hasBadInput: () => false,
    read: () => (isMultiple ? chosen() : (chosen()[0] ?? "")),
    write: (entry) => write(typeof entry === "boolean" ? [] : [entry].flat()),
    setOptions(list) {
      const before = chosen();
      options = list;
      show(before);
    },
    setRequired(now) {
      const before = chosen();
      const isOther = required !== now;
      required = now;
      if (isOther && !isMultiple) show(before);
    },
    setDisabled(disabled) {
      group.disabled = disabled;
      list?.setDisabled(disabled);
    },
    focus: () => (list ?? boxes().find(({ checked }) => checked) ?? boxes()[0])?.focus(),
  };
};
