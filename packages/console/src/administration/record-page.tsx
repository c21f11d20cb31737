import { useState, type ReactNode } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import type { IconName } from "../ui/icon.tsx";
import { showToast } from "../ui/toast-store.ts";
import styles from "./administration.module.css";
import { entryMessages } from "./entry-messages.ts";
import { LoadState, type LoadQuery } from "./load-state.tsx";
import { OrderButtons } from "./order-buttons.tsx";
import { PageHeader } from "./page-header.tsx";
import { RecordTable, type Column } from "./record-table.tsx";
import { Section } from "./section.tsx";
import { useMoves } from "./use-moves.ts";
import { useOpenedEntry } from "./use-opened-entry.ts";

/** Texts about the records of a page. Those that are absent consist of the record's name and a common word. */
export interface RecordTexts {
  /** The button for a new record. */
  readonly create: string;
  /** Title of the page without records. */
  readonly none: string;
  readonly noneText: string;
  /** Of the button that opens a record. */
  readonly edit?: (name: string) => string;
  /** Of the button that deletes a record. */
  readonly remove?: (name: string) => string;
  /** The question before a deletion. */
  readonly removeTitle?: (name: string) => string;
  /** The effect of a deletion. */
  readonly removeText?: string;
  /** The notice of a deletion. */
  readonly removed?: (name: string) => string;
}

export interface RecordPageProps<D, R extends object> {
  readonly title: string;
  readonly intro: string;
  readonly icon: IconName;
  readonly texts: RecordTexts;
  readonly query: LoadQuery<D>;
  readonly recordsOf: (data: D) => readonly R[];
  /** Reads the records as they are now: a dialog opens with the record of that list. */
  readonly reread: () => Promise<readonly R[]>;
  readonly idOf: (record: R) => string;
  /** Its name for people. */
  readonly nameOf: (record: R) => string;
  readonly columns: readonly Column<R>[];
  /** A part of a page that has other parts, too. */
  readonly isSection?: boolean;
  /** Whether the agent may change the records. */
  readonly isChangeable?: boolean;
  /** Whether a further record is possible. */
  readonly mayCreate?: (data: D) => boolean;
  /** Its rejection is shown in the dialog. Absent: records are not deleted. */
  readonly remove?: (record: R, data: D) => Promise<void>;
  readonly mayEdit?: (record: R) => boolean;
  readonly mayRemove?: (record: R) => boolean;
  /** The effect of the deletion of a record; `texts.removeText` when absent. */
  readonly removeText?: (record: R) => string;
  /** Saves the records in another order. Absent: the order can't be changed. */
  readonly reorder?: (ordered: readonly R[]) => Promise<void>;
  /** Shown below the heading. */
  readonly above?: (data: D) => ReactNode;
  /** Shown above the records, if the page has any. */
  readonly notice?: string;
  /** Further buttons of a row. */
  readonly actions?: (record: R) => ReactNode;
  /** The dialog of a record. @shape record: undefined for a new record */
  readonly dialog: (record: R | undefined, data: D, onClose: () => void) => ReactNode;
}

/** A page of the administration, or a part of one, for records of one kind: a table with buttons that create, open, move and delete them. */
export const RecordPage = <D, R extends object>(props: RecordPageProps<D, R>) => {
  const { title, intro, texts, query, recordsOf, reread, idOf, nameOf, isChangeable = true, mayCreate, remove } = props;
  const { isSection = false, reorder, mayRemove, removeText = () => texts.removeText ?? "" } = props;
  const { opened, open, close } = useOpenedEntry(reread, idOf);
  const [removed, setRemoved] = useState<R>();
  const move = useMoves({
    reread,
    idOf,
    save: async (ordered) => reorder?.(ordered),
    onMoved: (record) => showToast(entryMessages.moved(nameOf(record))),
  });
  const { edit: editText = entryMessages.edit, remove: removeName = entryMessages.remove } = texts;
  const buttonsOf = (record: R, records: readonly R[]) => (
    <>
      {props.actions?.(record)}
      {reorder && (
        <OrderButtons
          name={nameOf(record)}
          index={records.indexOf(record)}
          count={records.length}
          onMove={(to) => move(record, to - records.indexOf(record))}
        />
      )}
      {props.mayEdit?.(record) !== false && (
        <IconButton icon="edit" label={editText(nameOf(record))} onPress={() => open(record)} />
      )}
      {remove && mayRemove?.(record) !== false && (
        <IconButton icon="trash" label={removeName(nameOf(record))} onPress={() => setRemoved(record)} />
      )}
    </>
  );
  const { data } = query;
  const create = isChangeable && (
    <Button
      variant={isSection ? "secondary" : "primary"}
      icon="plus"
      isDisabled={data === undefined || mayCreate?.(data) === false}
      onPress={() => open("new")}
    >
      {texts.create}
    </Button>
  );
  const content = (
    <LoadState query={query}>
      {(read) => {
        const records = recordsOf(read);
        return (
          <>
            {props.above?.(read)}
            {props.notice !== undefined && records.length > 0 && <p className={styles.notice}>{props.notice}</p>}
            <RecordTable
              label={title}
              columns={props.columns}
              records={records}
              idOf={idOf}
              actions={isChangeable ? (record) => buttonsOf(record, records) : undefined}
              empty={<EmptyState icon={props.icon} title={texts.none} text={texts.noneText} />}
            />
            {opened !== undefined && props.dialog(opened === "new" ? undefined : opened, read, close)}
            {removed && remove && (
              <ConfirmDialog
                title={(texts.removeTitle ?? removeName)(nameOf(removed))}
                text={removeText(removed)}
                action={removeName(nameOf(removed))}
                run={async () => {
                  await remove(removed, read);
                  showToast((texts.removed ?? entryMessages.removed)(nameOf(removed)));
                }}
                onClose={() => setRemoved(undefined)}
              />
            )}
          </>
        );
      }}
    </LoadState>
  );
  if (isSection)
    return (
      <Section title={title} intro={intro} action={create}>
        {content}
      </Section>
    );
  return (
    <div className={styles.page}>
      <PageHeader title={title} intro={intro}>
        {create}
      </PageHeader>
      {content}
    </div>
  );
};
