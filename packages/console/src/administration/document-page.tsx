import type { AccountDocument, AccountSection } from "@parley/contract";
import type { ReactNode } from "react";
import type { AccountChange, AccountConfigurationState } from "./account-document.ts";
import { EntryDialog, type EntryDialogProps } from "./entry-dialog.tsx";
import { entryMessages } from "./entry-messages.ts";
import { RecordPage, type RecordPageProps, type RecordTexts } from "./record-page.tsx";
import type { Widgets } from "../forms/schema-fields.tsx";
import type { SchemaForm } from "../forms/schema-form.ts";

type Entry<S extends AccountSection> = NonNullable<AccountDocument[S]>[number];

/** Texts about the entries of a section. */
interface DocumentTexts extends RecordTexts {
  /** Title of the dialog of an entry. That of a new entry is the text of its button. */
  readonly editTitle: string | ((name: string) => string);
  /** The notice that an entry was saved. */
  readonly saved?: (name: string) => string;
}

type PageProps<S extends AccountSection> = Omit<
  RecordPageProps<AccountDocument, Entry<S>>,
  "texts" | "query" | "recordsOf" | "reread" | "remove" | "reorder" | "dialog"
>;
type DialogProps<S extends AccountSection, V extends object> = Pick<
  EntryDialogProps<Entry<S>, V>,
  "isWide" | "keyOf" | "needed" | "labelOf"
>;

interface DocumentPageProps<S extends AccountSection, V extends object> extends PageProps<S>, DialogProps<S, V> {
  readonly section: S;
  readonly texts: DocumentTexts;
  readonly account: AccountConfigurationState;
  /** Where the browser keeps entered values: the kind of the entry, before its id. */
  readonly keptAt: string;
  /** The form of an entry; undefined for a new entry. */
  readonly form: (entry: Entry<S> | undefined, document: AccountDocument) => SchemaForm<Entry<S>, V>;
  readonly members?: (document: AccountDocument) => NonNullable<EntryDialogProps<Entry<S>, V>["members"]>;
  /** -> the notice that an entry was saved; consists of its name and a common word when absent */
  readonly savedText?: (entry: Entry<S>) => string;
  /** -> the entries of the page; the section of the document when absent */
  readonly entriesOf?: (document: AccountDocument) => readonly Entry<S>[];
  /** How the document names an entry that it removes. */
  readonly removalOf: (entry: Entry<S>, document: AccountDocument) => string;
  /** -> the change that saves an entry; a list with this entry when absent. @shape listed: all entries as they were read last; isNew: for a new entry */
  readonly changeOf?: (setting: Entry<S>, listed: readonly Entry<S>[], isNew: boolean) => AccountChange;
  /** -> the entries of a list that save its order */
  readonly orderOf?: (ordered: readonly Entry<S>[]) => readonly Entry<S>[];
  readonly widgets?: (entry: Entry<S> | undefined, document: AccountDocument) => Widgets<NoInfer<V>>;
  /** The fields of the dialog; those of the form in its order when absent. */
  readonly fields?: EntryDialogProps<Entry<S>, V>["children"];
}

/** A page for the entries of a list of the account's configuration. */
export const DocumentPage = <S extends AccountSection, V extends object>({
  section,
  texts,
  account: { query, reread, change, remove },
  keptAt,
  form,
  members,
  entriesOf = (document) => document[section] ?? [],
  removalOf,
  changeOf = (setting) => ({ [section]: [setting] }),
  orderOf,
  widgets,
  fields,
  ...props
}: DocumentPageProps<S, V>): ReactNode => {
  const { idOf, nameOf } = props;
  const { saved = entryMessages.saved, editTitle } = texts;
  const { savedText = (entry) => saved(nameOf(entry)) } = props;
  const titleOf = (entry: Entry<S>): string => (typeof editTitle === "string" ? editTitle : editTitle(nameOf(entry)));
  return (
    <RecordPage<AccountDocument, Entry<S>>
      {...props}
      texts={texts}
      query={query}
      recordsOf={entriesOf}
      reread={async () => entriesOf(await reread())}
      remove={(entry, document) => remove(section, removalOf(entry, document))}
      {...(orderOf && { reorder: (ordered) => change({ [section]: orderOf(ordered) }) })}
      dialog={(entry, document, onClose) => (
        <EntryDialog
          {...props}
          title={entry ? titleOf(entry) : texts.create}
          form={form(entry, document)}
          keptAt={`${keptAt} ${entry ? idOf(entry) : "new"}`}
          entry={entry}
          entries={entriesOf(document)}
          reread={async () => entriesOf(await reread())}
          {...(members && { members: members(document) })}
          save={(setting, listed) => change(changeOf(setting, listed, entry === undefined))}
          savedText={savedText}
          widgets={widgets?.(entry, document)}
          onClose={onClose}
        >
          {fields}
        </EntryDialog>
      )}
    />
  );
};
