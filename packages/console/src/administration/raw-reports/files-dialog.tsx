import type { Report, ReportRequest, ReportRules } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import styles from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { rawReportMessages as texts } from "./messages.ts";
import { reportFilesQuery } from "./report-requests-query.ts";
import { REPORT_STATE_TONES } from "./state-tones.ts";
import { utcTime } from "./utc-time.ts";

type ReportFile = Report["links"][number];

const spanOf = ({ from, to }: ReportFile): string => texts.spanOf(utcTime(from), utcTime(to));

const COLUMNS: readonly Column<ReportFile>[] = [
  { id: "span", label: texts.span, cell: spanOf },
  {
    id: "state",
    label: texts.state,
    cell: ({ status }) => <Badge tone={REPORT_STATE_TONES[status]}>{texts[status]}</Badge>,
  },
];

const downloadLink = (file: ReportFile) =>
  file.link && (
    <a href={file.link.href} download aria-label={texts.downloadOf(spanOf(file))}>
      {texts.download}
    </a>
  );

interface FilesDialogProps {
  readonly report: ReportRequest;
  readonly rules: ReportRules;
  readonly onClose: () => void;
}

/** The files of a report with their links, which are made when the dialog opens. */
export const FilesDialog = ({ report: { id, event }, rules, onClose }: FilesDialogProps) => {
  const query = useQuery(reportFilesQuery(id));
  return (
    <Dialog
      title={texts.filesTitle(texts[event])}
      isOpen
      isWide
      onClose={onClose}
      actions={<Button onPress={onClose}>{uiMessages.close}</Button>}
    >
      <LoadState query={query}>
        {({ links, status, readTime }) => (
          <div className={styles.form}>
            {status === "FAILED" && <p>{texts.failedHelp}</p>}
            {links.some(({ link }) => link) && (
              <p>{texts.linksUntil(formatDateTime(new Date(readTime + rules.link_seconds * 1_000).toISOString()))}</p>
            )}
            <RecordTable
              label={texts.files}
              columns={COLUMNS}
              records={links}
              idOf={({ from }) => from}
              actions={downloadLink}
            />
            <p className={styles.muted}>{texts.apiId(id)}</p>
          </div>
        )}
      </LoadState>
    </Dialog>
  );
};
