import type { ReportRequest, ReportRules } from "@parley/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import styles from "../administration.module.css";
import { LoadState, MoreButton } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { reportMessages } from "../reports/messages.ts";
import { FilesDialog } from "./files-dialog.tsx";
import { rawReportMessages as texts } from "./messages.ts";
import { reportRequestsQuery } from "./report-requests-query.ts";
import { RequestDialog } from "./request-dialog.tsx";
import { spanText } from "./request-values.ts";
import { REPORT_STATE_TONES } from "./state-tones.ts";
import { utcTime } from "./utc-time.ts";

const DAY_S = 86_400;

const spanOf = ({ start, end }: ReportRequest): string => texts.spanOf(utcTime(start), utcTime(end));

const COLUMNS: readonly Column<ReportRequest>[] = [
  {
    id: "event",
    label: texts.event,
    cell: ({ event, excludes_pii }) => (
      <>
        {texts[event]}
        <span className={styles.detail}>
          {event}
          {excludes_pii && ` · ${texts.withoutPii}`}
        </span>
      </>
    ),
  },
  { id: "span", label: texts.span, cell: spanOf },
  { id: "requested", label: texts.requested, cell: ({ created_time }) => formatDateTime(created_time) },
  {
    id: "state",
    label: texts.state,
    cell: ({ status }) => <Badge tone={REPORT_STATE_TONES[status]}>{texts[status]}</Badge>,
  },
  { id: "kept", label: texts.removedOn, cell: ({ expires_time }) => formatDateTime(expires_time) },
];

interface RequestsProps {
  readonly reports: readonly ReportRequest[];
  readonly rules: ReportRules;
}

const Requests = ({ reports, rules }: RequestsProps) => {
  const [opened, setOpened] = useState<ReportRequest>();
  return (
    <>
      <p className={styles.notice}>
        {texts.rules(rules.per_minute, rules.per_day)}{" "}
        {texts.kept(spanText(rules.kept_days * DAY_S), spanText(rules.link_seconds))}
      </p>
      <RecordTable
        label={administrationMessages.rawReports}
        columns={COLUMNS}
        records={reports}
        idOf={({ id }) => id}
        actions={(report) => (
          <Button
            isSmall
            aria-label={texts.filesOf(texts[report.event], spanOf(report))}
            onPress={() => setOpened(report)}
          >
            {texts.files}
          </Button>
        )}
        empty={<EmptyState icon="file" title={texts.none} text={texts.noneText} />}
      />
      {opened && <FilesDialog report={opened} rules={rules} onClose={() => setOpened(undefined)} />}
    </>
  );
};

const RawReports = () => {
  const query = useInfiniteQuery(reportRequestsQuery);
  const [isRequesting, setRequesting] = useState(false);
  const rules = query.data?.pages[0]?.rules;
  return (
    <>
      <PageHeader title={administrationMessages.rawReports} intro={administrationMessages.rawReportsIntro}>
        {rules && (
          <Button variant="primary" icon="plus" onPress={() => setRequesting(true)}>
            {texts.request}
          </Button>
        )}
      </PageHeader>
      <LoadState query={query}>
        {({ pages }) =>
          rules && (
            <>
              <Requests reports={pages.flatMap(({ reports }) => reports)} rules={rules} />
              <MoreButton query={query} label={texts.showMore} />
            </>
          )
        }
      </LoadState>
      {isRequesting && rules && <RequestDialog rules={rules} onClose={() => setRequesting(false)} />}
    </>
  );
};

/** Raw reports: their requests, their states and their files. */
export const RawReportsPage = () => {
  const { scope } = useWorkspace().agent;
  return (
    <div className={styles.page}>
      {scope === "Global" ? (
        <RawReports />
      ) : (
        <>
          <PageHeader title={administrationMessages.rawReports} intro={administrationMessages.rawReportsIntro} />
          <EmptyState icon="eye" title={reportMessages.needsGlobal} text={reportMessages.needsGlobalText} />
        </>
      )}
    </div>
  );
};
