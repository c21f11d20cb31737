import type { IparamAttributes, IparamControl, InstallField } from "@parley/contract";
import { dropdownControl, textControl, tickControl, type FieldControl, choiceControl } from "./control.ts";
import { type FieldElements, fieldElements, type WhenReleased } from "./field-elements.ts";
import { type KeptSecretControl, keptSecretControl } from "./kept-secret-control.ts";
import { withAttributes } from "../../../model/iparams/attributes.ts";
import { domainValue } from "../../../model/iparams/domain.ts";
import {
  isEmpty,
  requiredFault,
  typeFault,
  type FormEntry,
  type IparamRule,
} from "../../../model/iparams/validate-value.ts";
import { createFieldChecker, type FieldCheckers, type FieldVerdict } from "./field-checker.ts";

/** Applies attributes that a callback set: options before the value, because the value may be one of them. */
const showAttributes = (
  attributes: IparamAttributes,
  control: FieldControl,
  view: FieldElements,
  held: KeptSecretControl,
): void => {
  const { values, value, label, hint, visible, disabled, required } = attributes;
  if (values !== undefined) control.setOptions(values);
  if (value !== undefined) {
    control.write(typeof value === "number" ? String(value) : value);
    held.open();
  }
  if (label !== undefined) view.setLabel(label);
  if (hint !== undefined) view.setHint(hint);
  if (visible !== undefined) view.setVisible(visible);
  if (disabled !== undefined) control.setDisabled(disabled);
  if (required === undefined) return;
  view.setRequired(required);
  held.setRequired(required);
};

/** Attributes that the server's checks depend on; undefined without such attributes. */
const checkedAttributes = (attributes: IparamAttributes): IparamAttributes | undefined => {
  const { required, visible, values, min, max } = attributes;
  const changes = Object.entries({ required, visible, values, min, max }).filter(([, value]) => value !== undefined);
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
};

/** Pause in typing after which a callback is called. @units milliseconds */
const CHECK_DELAY_MS = 300;

/** A parameter as it is sent to the server. */
export interface SentField {
  readonly key: string;
  readonly label: string;
  /** Absent if the host keeps its stored value. */
  readonly value: FormEntry | undefined;
  readonly isRemoved: boolean;
  /** Attributes by which callbacks changed the checks. */
  readonly attributes: IparamAttributes | undefined;
  /** Whether the user changed the field since the last save. */
  readonly isChanged: boolean;
  /** Called after a save; changes that the user made meanwhile remain. */
  saved(): void;
}

/** A parameter of the form. */
export interface FormField {
  readonly key: string;
  /** Value for callbacks: a refused entry, or a value that only the host has, counts as absent. */
  value(): FormEntry;
  set(attributes: IparamAttributes): void;
  /** Resolves when all checks that a save needs have ended. */
  settle(): Promise<void>;
  /** Repeats the form's own checks, because another field's callback may have changed them. */
  recheck(): void;
  fail(message: string): void;
  /** Enters a value for the user, as if it was typed. */
  enter(entry: string): void;
  send(): SentField;
  /** Whether there are unsaved changes by the user. */
  isChanged(): boolean;
  error(): string | undefined;
  label(): string;
  isVisible(): boolean;
  focus(): void;
}

interface FieldDeps extends FieldCheckers {
  readonly root: HTMLElement;
  readonly field: InstallField;
  readonly suffix: string;
  /** Called when the user changes the field. */
  readonly touched: () => void;
  readonly whenReleased: WhenReleased;
}

const same = (one: FormEntry, other: FormEntry) => JSON.stringify(one) === JSON.stringify(other);

const emptied = (entry: FormEntry): FormEntry =>
  typeof entry === "string" ? "" : typeof entry === "boolean" ? false : [];

const CONTROLS: Readonly<
  Record<IparamControl, (root: HTMLElement, field: InstallField, suffix: string) => FieldControl>
> = {
  line: textControl,
  number: textControl,
  paragraph: textControl,
  domain: textControl,
  dropdown: dropdownControl,
  radio: choiceControl,
  multiselect: choiceControl,
  checkbox: tickControl,
};

export const formField = ({ root, field, suffix, touched, whenReleased, ...judges }: FieldDeps): FormField => {
  const control = CONTROLS[field.control](root, field, suffix);
  const view = fieldElements(root, control);
  const judge = createFieldChecker(field, judges);
  const held = keptSecretControl({
    root,
    kind: field.held,
    required: field.required,
    changed() {
      if (held.state() !== "replacing") control.write(emptied(control.read()));
      edited();
    },
    focusControl: () => control.focus(),
  });
  let rule: IparamRule = field;
  /** Value of the control when it was last shown or saved. */
  let baseline = control.read();
  let set: IparamAttributes = {};
  let error: { readonly message: string; readonly isLocal: boolean } | undefined;
  /** The entry that a callback refused. It stays in the control, to be corrected, and counts as absent. */
  let refused: FormEntry | undefined;
  /** Number of changes by the user, so that the result of a check is used only for the present entry. */
  let edits = 0;
  let committed = 0;
  let judged = -1;
  let verdict: FieldVerdict | undefined;
  let judging = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = (message: string | undefined, isLocal = false) => {
    error = message === undefined ? undefined : { message, isLocal };
    view.setError(message);
  };

  const seen = (entry: FormEntry): FormEntry =>
    field.type === "domain" && typeof entry === "string" ? (domainValue(entry, field, suffix) ?? entry.trim()) : entry;

  /** Error for text that does not match the type. */
  const unreadable = () => typeFault("?", rule, suffix) ?? "This can't be read. Correct it, or clear it.";
  const typeWrong = () => (control.hasBadInput() ? unreadable() : typeFault(control.read(), rule, suffix));
  const wrong = () => {
    const entry = control.read();
    if (control.hasBadInput()) return unreadable();
    if (isEmpty(entry) && (held.state() === "held" || held.state() === "replacing")) return undefined;
    return requiredFault(entry, rule) ?? typeFault(entry, rule, suffix);
  };

  const showVerdict = ({ mismatch, outcome }: FieldVerdict) => {
    const isCommitted = committed === edits;
    // While the user types, only the callback's result is shown: most incomplete entries violate an expression.
    if (mismatch !== undefined && isCommitted) return show(mismatch);
    if (outcome.t === "passed" || outcome.t === "returned") {
      refused = undefined;
      return error?.isLocal ? undefined : show(undefined);
    }
    if (outcome.t === "failed") return show(`The check of this field failed. ${outcome.message}`);
    refused = control.read();
    show(outcome.message);
  };

  const checkValue = async () => {
    const editsAtStart = edits;
    judged = editsAtStart;
    verdict = undefined;
    judging += 1;
    view.setBusy(true);
    const received = await judge(seen(control.read()));
    judging -= 1;
    if (judging === 0) view.setBusy(false);
    if (!received || editsAtStart !== edits) return;
    verdict = received;
    showVerdict(received);
  };

  const edited = () => {
    edits += 1;
    touched();
    clearTimeout(timer);
    refused = undefined;
    show(error?.isLocal ? typeWrong() : undefined, true);
  };

  const commit = () => {
    clearTimeout(timer);
    committed = edits;
    if (field.type === "domain") control.write(seen(control.read()));
    const fault = typeWrong();
    if (fault !== undefined) return show(fault, true);
    if (judged !== edits) return void checkValue();
    if (verdict) showVerdict(verdict);
  };

  root.addEventListener("input", () => {
    if (!control.isText) return;
    edited();
    if (field.callback !== undefined && typeWrong() === undefined)
      timer = setTimeout(() => void checkValue(), CHECK_DELAY_MS);
  });
  root.addEventListener("change", () => {
    if (!control.isText) edited();
    whenReleased(commit);
  });

  // Input that the browser can't parse changes no value and fires no change event.
  root.addEventListener("focusout", () => {
    if (control.hasBadInput()) whenReleased(() => control.hasBadInput() && show(unreadable(), true));
    else if (error?.isLocal && isEmpty(control.read())) show(wrong(), true);
  });

  const value = () => {
    const entry = control.read();
    return refused !== undefined && same(entry, refused) ? emptied(entry) : seen(entry);
  };
  const isChanged = () =>
    held.state() === "removed" || control.hasBadInput() || (edits > 0 && !same(control.read(), baseline));

  return {
    key: field.key,
    value,
    isChanged,
    send() {
      const sent = control.read();
      const editsThen = edits;
      const state = held.state();
      const isSecret = field.secure && field.type !== "checkbox";
      return {
        key: field.key,
        label: view.label(),
        value: state === "none" || (state === "replacing" && !isEmpty(sent)) ? value() : undefined,
        isRemoved: state === "removed",
        attributes: checkedAttributes(set),
        isChanged: isChanged(),
        saved() {
          baseline = isSecret ? emptied(sent) : sent;
          if (!isSecret) return;
          if (same(control.read(), sent)) control.write(baseline);
          const isHeld = state !== "removed" && (state !== "none" || !isEmpty(sent));
          held.hold(isHeld ? "stored" : undefined, edits !== editsThen);
        },
      };
    },
    set(attributes) {
      set = { ...set, ...attributes };
      rule = withAttributes(rule, attributes);
      showAttributes(attributes, control, view, held);
      if (attributes.value === undefined) return;
      refused = undefined;
      show(undefined);
    },
    async settle() {
      clearTimeout(timer);
      // Text that is typed in the meantime must be checked as well.
      for (let seenEdits = -1; seenEdits !== edits;) {
        seenEdits = edits;
        committed = edits;
        show(wrong(), true);
        if (!error && !isEmpty(control.read())) await checkValue();
      }
    },
    recheck() {
      if (!error) show(wrong(), true);
    },
    fail(message) {
      held.open();
      show(message);
    },
    enter(entry) {
      held.open();
      control.write(entry);
      edited();
      commit();
    },
    error: () => error?.message,
    label: () => view.label(),
    isVisible: () => rule.visible,
    focus: () => (held.state() === "held" || held.state() === "removed" ? held.focus() : control.focus()),
  };
};
