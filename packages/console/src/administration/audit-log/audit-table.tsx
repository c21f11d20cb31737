import type { AuditEntry } from "@parley/contract";
import { formatDateTime } from "../../i18n/format.ts";
import { administrationMessages } from "../messages.ts";
import { RecordTable, type Column } from "../record-table.tsx";
import styles from "./audit-log.module.css";
import { actionText, actorText, detailLines, subjectText, type KnownNames } from "./entry-texts.ts";
import { auditMessages as texts } from "./messages.ts";

/** More details are shown on request. */
const SHOWN_LINES_MAX = 3;

const Details = ({ lines }: { readonly lines: readonly string[] }) => {
  if (lines.length === 0) return null;
  const list = (
    <ul className={styles.details}>
      {[...new Set(lines)].map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
  if (lines.length <= SHOWN_LINES_MAX) return list;
  return (
    <details className={styles.details}>
      <summary>{texts.detailCount(lines.length)}</summary>
      {list}
    </details>
  );
};

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly known: KnownNames;
}

/** Entries in sentences. */
export const AuditTable = ({ entries, known }: AuditTableProps) => {
  const columns: readonly Column<AuditEntry>[] = [
    { id: "what", label: texts.what, cell: (entry) => <span className={styles.what}>{actionText(entry)}</span> },
    {
      id: "about",
      label: texts.about,
      cell: (entry) => (
        <>
          <span className={styles.subject}>{subjectText(entry, known)}</span>
          <Details lines={detailLines(entry, known)} />
        </>
      ),
    },
    {
      id: "who",
      label: texts.who,
      cell: (entry) => <span className={styles.who}>{actorText(entry, known)}</span>,
    },
    { id: "time", label: texts.time, cell: ({ time }) => <span className={styles.time}>{formatDateTime(time)}</span> },
    { id: "where", label: texts.where, cell: ({ address }) => address ?? "–" },
  ];
  return (
    <RecordTable label={administrationMessages.auditLog} columns={columns} records={entries} idOf={({ id }) => id} />
  );
};
