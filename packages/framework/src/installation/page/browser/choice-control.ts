import type { InstallField } from "@parley/contract";
import { hasNoChoiceOption, OPTIONS_WITHOUT_SEARCH_MAX, NO_CHOICE_LABEL } from "../../../values/iparam-terms.ts";
import type { FieldControl } from "./control.ts";
import { element } from "../../../pages/browser/element.ts";
import { longList, type LongList } from "./long-list.ts";

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
