import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { createNames, useWorkspace } from "../../workspace/workspace.ts";
import styles from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { Section } from "../section.tsx";
import { FigureCard } from "./figure-card.tsx";
import { figuresOf, isEmptyFigure } from "./figures.ts";
import { LiveValues } from "./live-values.tsx";
import { reportMessages as texts } from "./messages.ts";
import { ReportFilters } from "./report-filters.tsx";
import { REPORT_KEY, reportQuery } from "./report-queries.ts";
import {
  addressOfView,
  rangeOf,
  spanProblem,
  viewOfAddress,
  type ReportRange,
  type ReportView,
} from "./report-view.ts";
import { reportZone, type ReportZone } from "./time-zone.ts";
import own from "./reports.module.css";

interface FiguresProps {
  readonly view: ReportView;
  readonly range: ReportRange;
  readonly zone: ReportZone;
}

const Figures = ({ view, range, zone }: FiguresProps) => {
  const names = createNames(useWorkspace());
  const query = useQuery(reportQuery(view, range, zone.name));
  return (
    <LoadState query={query}>
      {(report) => {
        const figures = figuresOf(report, view.grouping !== "none", names, zone);
        return (
          <>
            {report.isBehind && (
              <p role="status" className={styles.notice}>
                {texts.behind}
              </p>
            )}
            {figures.every(isEmptyFigure) ? (
              <EmptyState icon="chart" title={texts.empty} text={texts.emptyText} />
            ) : (
              <div className={own.cards}>
                {figures.map((figure) => (
                  <FigureCard key={figure.id} figure={figure} interval={view.interval} span={range} />
                ))}
              </div>
            )}
          </>
        );
      }}
    </LoadState>
  );
};

const Reports = () => {
  const view = viewOfAddress(useSearch({ strict: false }));
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** The end of the spans that end now: the time of the last refresh. */
  const [now, setNow] = useState(() => Date.now());
  const { timezone } = useWorkspace().account;
  const zone = useMemo(() => reportZone(timezone), [timezone]);
  const range = rangeOf(view, zone, now);
  const refresh = (): void => {
    if (view.span === "custom") void queries.invalidateQueries({ queryKey: REPORT_KEY });
    else setNow(Date.now());
  };
  return (
    <>
      <LiveValues view={view} />
      <Section title={texts.overTime}>
        <ReportFilters
          view={view}
          zone={zone}
          problem={spanProblem(view)}
          onChange={(next) => void navigate({ to: "/admin/reports", search: addressOfView(next), replace: true })}
          onRefresh={refresh}
        />
        <p className={styles.muted}>{texts.zone(zone.name)}</p>
        {range && <Figures view={view} range={range} zone={zone} />}
      </Section>
    </>
  );
};

/** Metrics of the API as charts, tables and files, and the present values. */
export const ReportsPage = () => {
  const { scope } = useWorkspace().agent;
  return (
    <div className={styles.page}>
      <PageHeader title={administrationMessages.reports} intro={administrationMessages.reportsIntro} />
      {scope === "Global" ? (
        <Reports />
      ) : (
        <EmptyState icon="eye" title={texts.needsGlobal} text={texts.needsGlobalText} />
      )}
    </div>
  );
};
