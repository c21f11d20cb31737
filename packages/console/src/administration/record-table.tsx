import type { ReactNode } from "react";
import styles from "./administration.module.css";
import { entryMessages as texts } from "./entry-messages.ts";

/** A column of a table. */
export interface Column<R> {
  readonly id: string;
  /** Its name; that of a column with buttons is for screen readers only. */
  readonly label: string;
  readonly cell: (record: R) => ReactNode;
  readonly isAction?: boolean;
}

interface RecordTableProps<R> {
  readonly label: string;
  /** The first one names the record. */
  readonly columns: readonly Column<R>[];
  readonly records: readonly R[];
  readonly idOf: (record: R) => string;
  /** Buttons of a record, in the last column. */
  readonly actions?: ((record: R) => ReactNode) | undefined;
  /** Shown in place of a table without records. */
  readonly empty?: ReactNode;
}

/** Records in rows. In a narrow window each is a block, with the names of the columns before the values; the roles keep it a table. */
export const RecordTable = <R,>({ label, columns: values, records, idOf, actions, empty }: RecordTableProps<R>) => {
  if (records.length === 0 && empty !== undefined) return empty;
  const columns: readonly Column<R>[] = actions
    ? [...values, { id: "actions", label: texts.actions, isAction: true, cell: actions }]
    : values;
  return (
    <table role="table" aria-label={label} className={styles.table}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ id, label: name, isAction = false }) => (
            <th key={id} role="columnheader" scope="col">
              <span className={isAction ? "visually-hidden" : undefined}>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {records.map((record) => (
          <tr key={idOf(record)} role="row">
            {columns.map(({ id, label: name, cell, isAction = false }, index) =>
              index === 0 ? (
                <th key={id} role="rowheader" scope="row" className={styles.rowName}>
                  {cell(record)}
                </th>
              ) : (
                <td
                  key={id}
                  role="cell"
                  className={isAction ? styles.end : undefined}
                  data-column={isAction ? undefined : name}
                >
                  {cell(record)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
