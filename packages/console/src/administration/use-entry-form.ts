import { useRef, useState } from "react";
import { useEffect } from "../state/effects.ts";
import { unsavedAt } from "../unsaved/unsaved-store.ts";
import { entryMessages as texts } from "./entry-messages.ts";
import { comparableText, mergedMembers, type Members } from "./entry-merge.ts";
import { useForm, type FormState, type KeptForm } from "../forms/use-form.ts";

interface EntryFormOptions<V extends object> {
  /** Initial values of the form. */
  readonly initial: V;
  /** Whether the form is for a new entry. */
  readonly isNew: boolean;
  /** The entry as the page has read it last; undefined for a new or removed entry. */
  readonly present: V | undefined;
  /** Reads the entry that the values belong to; for a new entry the entry that has its name already. -> undefined without such an entry */
  readonly reread: (values: V) => Promise<V | undefined>;
  readonly check: (values: V) => Partial<Record<keyof V, string>>;
  /** Name of a member for people. */
  readonly labelOf: (member: string) => string;
  /** The members by which others' changes are merged, and the way back; the values themselves when absent. */
  readonly members?: { readonly of: (values: V) => Members; readonly valuesOf: (members: Members) => V };
  /** Its rejection is shown, and the values stay. @shape present: the entry before; undefined for a new entry */
  readonly save: (values: V, present: V | undefined) => Promise<void>;
  /** Where the browser keeps the entered values: see `useForm`. */
  readonly keptAt: string;
}

/**
 * The state of a form for an entry that others can change meanwhile. Their changes replace values that the agent has not changed: when the entry
 * is read again, and before it is saved. Where both changed the same, the first attempt to save says so and changes nothing.
 */
export const useEntryForm = <V extends object>({
  initial,
  isNew,
  present,
  reread,
  check,
  labelOf,
  members = { of: (values) => ({ ...values }) as Members, valuesOf: (merged) => merged as V },
  save,
  keptAt,
}: EntryFormOptions<V>): FormState<V> => {
  /** The values that the entered values are compared with. */
  const [restoredBase] = useState(() => unsavedAt<KeptForm<V>>(`form ${keptAt}`)?.base as Members | undefined);
  const before = useRef(restoredBase ?? members.of(initial));

  const saveMerged = async (values: V): Promise<void> => {
    const found = await reread(values);
    if (isNew) {
      if (found) throw new Error(texts.exists);
      return save(values, undefined);
    }
    if (!found) throw new Error(texts.gone);
    const now = members.of(found);
    const { merged, conflicts } = mergedMembers(before.current, members.of(values), now);
    const next = members.valuesOf(merged);
    if (conflicts.length > 0) {
      before.current = now;
      form.change(next);
      throw new Error(texts.changed(conflicts.map(labelOf).join(", ")));
    }
    await save(next, found);
  };
  const form = useForm({
    initial,
    check,
    save: saveMerged,
    keptAt,
    base: {
      get: () => before.current,
      isSame: (values) => comparableText(members.of(values)) === comparableText(before.current),
    },
  });

  const read = present && members.of(present);
  useEffect(() => {
    if (!read) return;
    const entered = members.of(form.values);
    const { merged, conflicts } = mergedMembers(before.current, entered, read);
    // The agent learns of these when the form is saved.
    const undecided = conflicts.map((name) => [name, before.current[name]] as const);
    before.current = { ...read, ...Object.fromEntries(undecided) };
    if (comparableText(merged) !== comparableText(entered)) form.change(members.valuesOf(merged));
  }, [comparableText(read)]);
  return form;
};
