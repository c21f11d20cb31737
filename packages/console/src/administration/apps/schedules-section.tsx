import type { InstallationSchedule } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { formatDateTime } from "../../i18n/format.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { activityMessages as texts, repeatTexts } from "./activity-messages.ts";
import { schedulesQuery, type AppOfAccount } from "./activity-query.ts";
import styles from "./apps.module.css";

interface FailedRun {
  readonly id: string;
  readonly name: string;
  readonly due_time: string;
  readonly tries: number;
  readonly reason: string;
}

const COLUMNS: readonly Column<InstallationSchedule>[] = [
  { id: "name", label: texts.name, cell: ({ name }) => name },
  {
    id: "next",
    label: texts.next,
    cell: ({ next_time }) => (next_time === undefined ? texts.never : formatDateTime(next_time)),
  },
  {
    id: "repeat",
    label: texts.repeat,
    cell: ({ repeat }) => (repeat === undefined ? texts.once : repeatTexts[repeat.time_unit](repeat.frequency)),
  },
  { id: "data", label: texts.data, cell: ({ data }) => <code>{JSON.stringify(data)}</code> },
];

const FAILED_COLUMNS: readonly Column<FailedRun>[] = [
  { id: "name", label: texts.name, cell: ({ name }) => name },
  { id: "due", label: texts.due, cell: ({ due_time }) => formatDateTime(due_time) },
  { id: "error", label: texts.error, cell: ({ reason }) => reason },
  { id: "attempts", label: texts.attempts, cell: ({ tries }) => tries },
];

/** The times at which the app is called, and those at which it failed. */
export const SchedulesSection = ({ app }: { readonly app: AppOfAccount }) => {
  const query = useQuery(schedulesQuery(app));
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{texts.schedules}</h2>
      <LoadState query={query}>
        {({ schedules, failed }) => (
          <>
            {schedules.length === 0 ? (
              <p className={administration.muted}>{texts.noSchedules}</p>
            ) : (
              <>
                <p className={administration.muted}>{texts.schedulesIntro}</p>
                <div className={styles.more}>
                  <RecordTable
                    label={texts.schedules}
                    columns={COLUMNS}
                    records={schedules}
                    idOf={({ name }) => name}
                  />
                </div>
              </>
            )}
            {failed.length > 0 && (
              <>
                <h3 className={styles.partTitle}>{texts.failedRuns}</h3>
                <RecordTable label={texts.failedRuns} columns={FAILED_COLUMNS} records={failed} idOf={({ id }) => id} />
              </>
            )}
          </>
        )}
      </LoadState>
    </section>
  );
};
