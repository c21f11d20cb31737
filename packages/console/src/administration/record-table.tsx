import type { ReactNode } from "react";
import styles from "./administration.module.css";
import { entryMessages as texts } from "./entry-messages.ts";

/** A column of a table. */
export interface Column<R> {
  readonly id: string;
  readonly label: string;
  readonly cell: (record: R) => ReactNode;
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
export const RecordTable = <R,>({ label, columns, records, idOf, actions, empty }: RecordTableProps<R>) => {
  if (records.length === 0 && empty !== undefined) return empty;
  const [naming, ...others] = columns;
  return (
    <table role="table" aria-label={label} className={styles.table}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ id, label: name }) => (
            <th key={id} role="columnheader" scope="col">
              {name}
            </th>
          ))}
          {actions && (
            <th role="columnheader" scope="col">
              <span className="visually-hidden">{texts.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {records.map((record) => (
          <tr key={idOf(record)} role="row">
            <th role="rowheader" scope="row" className={styles.rowName}>
              {naming?.cell(record)}
            </th>
            {others.map(({ id, label: name, cell }) => (
              <td key={id} role="cell" data-column={name}>
                {cell(record)}
              </td>
            ))}
            {actions && (
              <td role="cell" className={styles.end}>
                {actions(record)}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
