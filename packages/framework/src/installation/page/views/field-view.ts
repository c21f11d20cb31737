import { iparamTypeOf, type InstallField } from "@parley/contract";
import type { Project } from "../../../model/project.ts";
import type { KeyOffer } from "../routes/created-keys.ts";
import { keyPermissions, keyPermissionsText } from "../../../package/validate/key-permissions.ts";
import { domainLabelOf } from "../../../model/iparams/domain.ts";
import type { Installation } from "../../../state/installations.ts";
import { formEntryOf, type IparamField } from "../../../model/iparams/fields.ts";
import {
  STORED_SECRET_LABELS,
  hasNoChoiceOption,
  OPTIONS_WITHOUT_SEARCH_MAX,
  NO_CHOICE_LABEL,
} from "../../../model/iparams/iparam-terms.ts";
import { isEmpty, type FormEntry } from "../../../model/iparams/validate-value.ts";

interface ChoiceView {
  readonly type: "radio" | "checkbox";
  readonly name: string;
  readonly value: string;
  readonly text: string;
  readonly checked: boolean;
  /** The option that stands for no choice. */
  readonly isNone: boolean;
}

/** View model of a parameter. */
export interface FieldTemplateView {
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly note: string;
  readonly required: boolean;
  readonly visible: boolean;
  readonly secure: boolean;
  /** Whether the value may be stored on the host only, so that the page shows its state instead. */
  readonly mayHold: boolean;
  /** That state as text; "" without a state. */
  readonly held: string;
  readonly described: string;
  readonly isGroup: boolean;
  readonly isRadio: boolean;
  readonly isTick: boolean;
  readonly isDropdown: boolean;
  readonly isParagraph: boolean;
  readonly isDomain: boolean;
  readonly isMasked: boolean;
  /** Natural language, which a browser may check and capitalise. */
  readonly isProse: boolean;
  readonly inputType: string;
  readonly inputMode: string;
  readonly suffix: string;
  readonly value: string;
  readonly checked: boolean;
  readonly choices: readonly ChoiceView[];
  /** Replaces `choices` if there are many: a JSON object of the `options` and the `chosen` options; "" otherwise. */
  readonly longList: string;
  readonly emptyChoice: ChoiceView;
  /** Whether the page can create a key for the parameter. */
  readonly createsKey: boolean;
}

/** Data that a field depends on in addition to its declaration. */
export interface FieldData {
  readonly project: Project | undefined;
  readonly installation: Installation | undefined;
  readonly domainSuffix: string;
  /** Host of the account for which the app is published; undefined for an app that is read from a folder. */
  readonly accountDomain: string | undefined;
  readonly keyOffer: KeyOffer;
}

/**
 * Secure values that are never sent to the page.
 * @assumed A secure default is used at the first installation only, if the field is left unchanged: later it could not be distinguished from a removed value.
 */
export const keptSecretsOf = (
  { key, secure, initial }: IparamField,
  installation: Installation | undefined,
): InstallField["held"] => {
  if (!secure) return undefined;
  if (installation) return installation.secure.has(key) ? "stored" : undefined;
  return isEmpty(initial) ? undefined : "default";
};

/**
 * Initial value of the form: the stored value, else the default. Of a secure value only a checkbox's state is shown. The domain of the account is
 * the default of a parameter for it.
 */
const entryIn = (field: IparamField, { installation, accountDomain }: FieldData): FormEntry => {
  const { key, type, secure, suffix } = field;
  const isAccountDomain = type === "domain" && suffix === undefined;
  const initial = isAccountDomain && isEmpty(field.initial) ? (accountDomain ?? "") : field.initial;
  if (secure)
    return formEntryOf(type, type === "checkbox" ? keptSecretsOf(field, installation) !== undefined : "") ?? "";
  if (!installation) return initial;
  const storedValue = Object.hasOwn(installation.values, key) ? installation.values[key] : undefined;
  return formEntryOf(type, storedValue) ?? initial;
};

/** A note that is shown for every field of the type. */
const noteOf = ({ type, note }: IparamField, { project, domainSuffix, keyOffer }: FieldData): string => {
  if (note !== undefined || type !== "api_key" || !project) return note ?? "";
  const needed = keyPermissions(project, domainSuffix);
  if (keyOffer === "forbidden")
    return `Ask an account admin for a key with these permissions: ${needed.permissions.join(", ")}.`;
  return keyPermissionsText(needed);
};

/** Whether the page can create a key for the parameter: one for the account, not for another product. */
export const createsKey = ({ type, note }: IparamField, keyOffer: KeyOffer): boolean =>
  type === "api_key" && note === undefined && keyOffer === "offered";

export const fieldTemplateView = (field: IparamField, index: number, data: FieldData): FieldTemplateView => {
  const { installation, domainSuffix } = data;
  const { key, type, secure } = field;
  const id = `parley:${index}`;
  const entry = entryIn(field, data);
  const held = keptSecretsOf(field, installation);
  const { control, input = { type: "text", mode: "" }, isMasked: isAlwaysMasked = false } = iparamTypeOf(type);
  const mayHold = secure && control !== "checkbox";
  const isMasked = isAlwaysMasked || (secure && input.type !== "date");
  const suffix = field.suffix ?? domainSuffix;
  const text = typeof entry === "string" ? entry : "";
  const choice = (value: string, checked: boolean, isNone = false): ChoiceView => ({
    type: control === "radio" ? "radio" : "checkbox",
    name: key,
    value,
    text: isNone ? NO_CHOICE_LABEL : value,
    checked,
    isNone,
  });
  const isGroup = control === "radio" || control === "multiselect";
  const isLong = isGroup && field.choices.length > OPTIONS_WITHOUT_SEARCH_MAX;
  const chosen = [entry].flat().filter((one) => typeof one === "string" && one !== "");
  const choices = field.choices.map((option) => choice(option, chosen.includes(option)));
  const none =
    control === "radio" && hasNoChoiceOption(field, field.choices) ? [choice("", chosen.length === 0, true)] : [];
  return {
    id,
    key,
    label: field.label,
    hint: field.hint,
    note: noteOf(field, data),
    required: field.required,
    visible: field.visible,
    secure,
    mayHold,
    held: mayHold && held ? STORED_SECRET_LABELS[held] : "",
    described: [
      ...(control === "domain" ? [`${id}-suffix`] : []),
      ...["says", "hint", "note"].map((part) => `${id}-${part}`),
    ].join(" "),
    isGroup,
    isRadio: control === "radio",
    isTick: control === "checkbox",
    isDropdown: control === "dropdown",
    isParagraph: control === "paragraph",
    isDomain: control === "domain",
    isMasked,
    isProse: type === "text" && !secure,
    inputType: isMasked ? "password" : input.type,
    inputMode: input.mode,
    suffix,
    value: control === "domain" ? domainLabelOf(text, suffix) : text,
    checked: entry === true,
    choices: isLong ? [] : [...choices, ...none],
    longList: isLong ? JSON.stringify({ options: field.choices, chosen }) : "",
    emptyChoice: choice("", false),
    createsKey: createsKey(field, data.keyOffer),
  };
};
