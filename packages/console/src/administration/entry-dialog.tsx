import { useRef, type ReactNode } from "react";
import { showToast } from "../ui/toast-store.ts";
import { changedSetting, type Members } from "./entry-merge.ts";
import { FormDialog } from "../forms/form-dialog.tsx";
import { formProblemsOf, formValuesOf, recordOf, type SchemaForm } from "../forms/schema-form.ts";
import { SchemaFields, type Widgets } from "../forms/schema-fields.tsx";
import { useEntryForm } from "./use-entry-form.ts";
import type { FormState } from "../forms/use-form.ts";

export interface EntryDialogProps<R extends object, V extends object> {
  readonly title: string;
  readonly isWide?: boolean;
  readonly form: SchemaForm<R, V>;
  /** Where the browser keeps the entered values. */
  readonly keptAt: string;
  /** Undefined for a new entry. */
  readonly entry: R | undefined;
  /** All entries, as the page has read them last. */
  readonly entries: readonly R[];
  readonly reread: () => Promise<readonly R[]>;
  /** Identifies a stored entry. */
  readonly idOf: (entry: R) => string | undefined;
  /** What no other entry may share with a new entry, such as a name; `idOf` when absent. */
  readonly keyOf?: (entry: R) => string | undefined;
  /** Members that each change must name. All members are sent when absent: the service replaces the entry completely. */
  readonly needed?: readonly (keyof R & string)[];
  /** The members by which others' changes are merged; the values themselves when absent. */
  readonly members?: { readonly of: (values: V) => Members; readonly valuesOf: (members: Members) => V };
  /** Name of a merged member for people; the label of the value when absent. */
  readonly labelOf?: (member: string) => string;
  /** Its rejection is shown, and the values stay. @shape setting: changed and needed members; listed: all entries as they were read last */
  readonly save: (setting: R, listed: readonly R[]) => Promise<void>;
  /** -> the notice that the entry was saved */
  readonly savedText: (setting: R) => string;
  readonly onClose: () => void;
  readonly widgets?: Widgets<V> | undefined;
  /** The fields; those of the form in its order when absent. */
  readonly children?: ((state: FormState<V>, form: SchemaForm<R, V>) => ReactNode) | undefined;
}

/** A dialog with the form of an entry of the account's configuration, which others can change meanwhile. */
export const EntryDialog = <R extends object, V extends object>({
  form,
  entry,
  entries,
  reread,
  idOf,
  keyOf = idOf,
  needed,
  labelOf = (member) => form.members[member as keyof V & string].label,
  save,
  savedText,
  children,
  ...props
}: EntryDialogProps<R, V>) => {
  const { keptAt, members, onClose } = props;
  const stored = entry && idOf(entry);
  const settingOf = (values: V): R => ({
    ...(entry && "id" in entry && { id: entry.id }),
    ...recordOf(form, values),
  });
  /** The entry in a list; for a new entry the one that has its key already. */
  const valuesIn = (list: readonly R[], values: V): V | undefined => {
    const key = stored === undefined ? keyOf(settingOf(values)) : undefined;
    const found = list.find((each) => (stored === undefined ? keyOf(each) === key : idOf(each) === stored));
    return found && formValuesOf(form, found);
  };
  const listed = useRef(entries);
  const initial = formValuesOf(form, entry);
  const state = useEntryForm<V>({
    keptAt,
    initial,
    isNew: entry === undefined,
    present: entry && valuesIn(entries, initial),
    async reread(values) {
      listed.current = await reread();
      return valuesIn(listed.current, values);
    },
    check: (values) =>
      formProblemsOf(
        form,
        values,
        entries.filter((each) => entry === undefined || idOf(each) !== stored),
      ),
    labelOf,
    ...(members && { members }),
    async save(values, present) {
      const setting = settingOf(values);
      const changed = needed ? changedSetting(present && settingOf(present), setting, needed) : setting;
      await save(changed, listed.current);
      showToast(savedText(setting));
      onClose();
    },
  });
  return (
    <FormDialog title={props.title} isWide={props.isWide ?? false} form={state} onClose={onClose}>
      {children ? children(state, form) : <SchemaFields form={form} state={state} widgets={props.widgets} />}
    </FormDialog>
  );
};
