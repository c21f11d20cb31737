import type { IparamAttributes, InstallField } from "@parley/contract";
import { changed } from "../attributes.ts";
import { domainValue } from "../domain.ts";
import { isEmpty, requiredFault, typeFault, type Entry, type Rule } from "../validate.ts";
import { controlOf } from "./control.ts";
import { element } from "./element.ts";
import { checkedAttributes, showAttributes } from "./field-attributes.ts";
import { fieldView } from "./field-view.ts";
import type { WhenReleased } from "./pointer.ts";
import { judgeOf, type Judges, type Verdict } from "./verdict.ts";

/** How long typing must rest before a callback is asked. @units milliseconds */
const REST = 300;

/** One parameter of the form. */
export interface FormField {
  readonly key: string;
  /** What callbacks and the server get: a refused entry counts as none. */
  value(): Entry;
  /** What callbacks changed about the checks. */
  attributes(): IparamAttributes | undefined;
  set(attributes: IparamAttributes): void;
  /** Everything that must be known before saving. */
  settle(): Promise<void>;
  /** What the form alone says, since another field's callback may have changed it. */
  recheck(): void;
  fail(message: string): void;
  saved(): void;
  error(): string | undefined;
  label(): string;
  isVisible(): boolean;
  focus(): void;
}

export interface FieldDeps extends Judges {
  readonly root: HTMLElement;
  readonly field: InstallField;
  readonly suffix: string;
  /** A person changed it. */
  readonly touched: () => void;
  readonly whenReleased: WhenReleased;
}

const same = (one: Entry, other: Entry) => JSON.stringify(one) === JSON.stringify(other);

const emptied = (entry: Entry): Entry => (typeof entry === "string" ? "" : typeof entry === "boolean" ? false : []);

export const formField = ({ root, field, suffix, touched, whenReleased, ...judges }: FieldDeps): FormField => {
  const control = controlOf(root, field, suffix);
  const view = fieldView(root, control);
  const judge = judgeOf(field, judges);
  let rule: Rule = field;
  let stored = field.stored;
  let set: IparamAttributes = {};
  let error: { readonly message: string; readonly isLocal: boolean } | undefined;
  /** What a callback refused; it may still stand in the control, to be corrected. */
  let refused: Entry | undefined;
  /** Counts a person's changes, so that a verdict is only heard about what still stands there. */
  let edits = 0;
  let committed = 0;
  let judged = -1;
  let verdict: Verdict | undefined;
  let judging = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = (message: string | undefined, isLocal = false) => {
    error = message === undefined ? undefined : { message, isLocal };
    view.setError(message);
  };

  const seen = (entry: Entry): Entry =>
    field.type === "domain" && typeof entry === "string" ? (domainValue(entry, field, suffix) ?? entry.trim()) : entry;

  /** Said of any text that is none of the type. */
  const unreadable = () => typeFault("?", rule, suffix) ?? "This can't be read. Correct it, or clear it.";
  const typeWrong = () => (control.hasBadInput() ? unreadable() : typeFault(control.read(), rule, suffix));
  const wrong = () => {
    const entry = control.read();
    if (control.hasBadInput()) return unreadable();
    return stored && isEmpty(entry) ? undefined : (requiredFault(entry, rule) ?? typeFault(entry, rule, suffix));
  };

  const takeOut = () => {
    const entry = control.read();
    control.write(emptied(entry));
    view.setOffer({
      ...(field.secure || typeof entry !== "string" || !control.isText ? {} : { text: entry }),
      mayReturn: control.isText && !isEmpty(entry),
      mayStayEmpty: !rule.required,
    });
  };

  const hear = ({ mismatch, outcome }: Verdict) => {
    const isCommitted = committed === edits;
    // While a person types, only the callback speaks: an expression fails for most beginnings.
    if (mismatch !== undefined && isCommitted) return show(mismatch);
    if (outcome.t === "passed" || outcome.t === "returned") return error?.isLocal ? undefined : show(undefined);
    if (outcome.t === "failed") return show(`The check of this field failed. ${outcome.message}`);
    refused = control.read();
    show(outcome.message);
    if (isCommitted) takeOut();
  };

  const ask = async () => {
    const asked = edits;
    judged = asked;
    verdict = undefined;
    judging += 1;
    view.setBusy(true);
    const said = await judge(seen(control.read()));
    judging -= 1;
    if (judging === 0) view.setBusy(false);
    if (!said || asked !== edits) return;
    verdict = said;
    hear(said);
  };

  const edited = () => {
    edits += 1;
    touched();
    clearTimeout(timer);
    refused = undefined;
    view.setOffer(undefined);
    show(error?.isLocal ? typeWrong() : undefined, true);
  };

  const commit = () => {
    clearTimeout(timer);
    committed = edits;
    if (field.type === "domain") control.write(seen(control.read()));
    const fault = typeWrong();
    if (fault !== undefined) return show(fault, true);
    if (judged !== edits) return void ask();
    if (verdict) hear(verdict);
  };

  root.addEventListener("input", () => {
    if (!control.isText) return;
    edited();
    if (field.callback !== undefined && typeWrong() === undefined) timer = setTimeout(() => void ask(), REST);
  });
  root.addEventListener("change", () => {
    if (!control.isText) edited();
    whenReleased(commit);
  });

  // What the browser can't read changes no value, so that it tells of no change.
  root.addEventListener("focusout", () => {
    if (control.hasBadInput()) whenReleased(() => control.hasBadInput() && show(unreadable(), true));
    else if (error?.isLocal && isEmpty(control.read())) show(wrong(), true);
  });

  const press = (name: string, action: () => void) =>
    element<HTMLButtonElement>(root, `[data-part="${name}"]`).addEventListener("click", () => {
      view.setOffer(undefined);
      action();
      control.focus();
    });
  press("restore", () => control.write(refused ?? ""));
  press("leave-empty", () => {
    refused = undefined;
    show(undefined);
  });

  return {
    key: field.key,
    value() {
      const entry = control.read();
      return refused !== undefined && same(entry, refused) ? emptied(entry) : seen(entry);
    },
    attributes: () => checkedAttributes(set),
    set(attributes) {
      set = { ...set, ...attributes };
      rule = changed(rule, attributes);
      showAttributes(attributes, control, view);
      if (attributes.value === undefined) return;
      refused = undefined;
      view.setOffer(undefined);
      show(undefined);
    },
    async settle() {
      clearTimeout(timer);
      if (refused !== undefined && isEmpty(control.read())) return;
      // What is typed meanwhile must be heard about as well.
      for (let seenEdits = -1; seenEdits !== edits;) {
        seenEdits = edits;
        committed = edits;
        show(wrong(), true);
        if (!error && !isEmpty(control.read())) await ask();
      }
    },
    recheck() {
      if (!error) show(wrong(), true);
    },
    fail: (message) => show(message),
    saved() {
      if (!field.secure || isEmpty(control.read())) return;
      stored = true;
      control.write(emptied(control.read()));
      view.setStored(true);
    },
    error: () => error?.message,
    label: () => view.label(),
    isVisible: () => rule.visible,
    focus: () => control.focus(),
  };
};
