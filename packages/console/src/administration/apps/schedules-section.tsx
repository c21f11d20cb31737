import type { FailedScheduleRun, InstallationSchedule, InvocationDetails } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { platformCalls } from "../admin-client.ts";
import administration from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { Section } from "../section.tsx";
import { activityMessages as texts, repeatTexts } from "./activity-messages.ts";
import { activityKey, schedulesQuery, type AppOfAccount } from "./activity-query.ts";
import styles from "./apps.module.css";
import { ExactTime, formatExactTime } from "./exact-time.tsx";
import { CallDialog } from "./call-dialog.tsx";

const COLUMNS: readonly Column<InstallationSchedule>[] = [
  { id: "name", label: texts.name, cell: ({ name }) => name },
  {
    id: "next",
    label: texts.next,
    cell: ({ next_time }) => (next_time === undefined ? texts.never : <ExactTime time={next_time} />),
  },
  {
    id: "repeat",
    label: texts.repeat,
    cell: ({ repeat }) => (repeat === undefined ? texts.once : repeatTexts[repeat.time_unit](repeat.frequency)),
  },
  { id: "data", label: texts.data, cell: ({ data }) => <code>{JSON.stringify(data)}</code> },
];

const FAILED_COLUMNS: readonly Column<FailedScheduleRun>[] = [
  { id: "name", label: texts.name, cell: ({ name }) => name },
  { id: "due", label: texts.due, cell: ({ due_time }) => <ExactTime time={due_time} /> },
  { id: "error", label: texts.error, cell: ({ reason }) => reason },
  { id: "attempts", label: texts.attempts, cell: ({ tries }) => tries },
];

interface SchedulesProps {
  readonly app: AppOfAccount;
  readonly schedules: readonly InstallationSchedule[];
}

const Schedules = ({ app, schedules }: SchedulesProps) => {
  const queries = useQueryClient();
  const [deleted, setDeleted] = useState<string>();
  if (schedules.length === 0) return <p className={administration.muted}>{texts.noSchedules}</p>;
  const remove = async (schedule: string): Promise<void> => {
    await platformCalls.deleteSchedule({ params: app, query: { schedule } });
    showToast(texts.scheduleDeleted(schedule));
    await queries.invalidateQueries({ queryKey: activityKey(app) });
  };
  return (
    <>
      <p className={administration.muted}>{texts.schedulesIntro}</p>
      <RecordTable
        label={texts.schedules}
        columns={COLUMNS}
        records={schedules}
        idOf={({ name }) => name}
        actions={({ name }) => (
          <Button
            isSmall
            variant="danger"
            aria-label={texts.deleteScheduleNamed(name)}
            onPress={() => setDeleted(name)}
          >
            {texts.deleteSchedule}
          </Button>
        )}
      />
      {deleted !== undefined && (
        <ConfirmDialog
          title={texts.deleteScheduleTitle(deleted)}
          text={texts.deleteScheduleText}
          action={texts.deleteSchedule}
          run={() => remove(deleted)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
};

interface FailedRunsProps {
  readonly app: AppOfAccount;
  readonly failed: readonly FailedScheduleRun[];
}

/** Runs that failed at every attempt. A repeated run that fails again shows its call. */
const FailedRuns = ({ app, failed }: FailedRunsProps) => {
  const queries = useQueryClient();
  const [running, setRunning] = useState<string>();
  const [shown, setShown] = useState<InvocationDetails>();
  const repeat = async ({ id, name }: FailedScheduleRun): Promise<void> => {
    setRunning(id);
    try {
      const call = await platformCalls.replayFailedRun({ params: { ...app, run_id: id } });
      if (call.ok) showToast(texts.runSucceeded(name));
      else setShown(call);
    } catch (error) {
      showError(error);
    } finally {
      setRunning(undefined);
      await queries.invalidateQueries({ queryKey: activityKey(app) });
    }
  };
  return (
    <>
      {failed.length > 0 && (
        <>
          <h3 className={styles.partTitle}>{texts.failedRuns}</h3>
          <p className={administration.muted}>{texts.failedRunsIntro}</p>
          <RecordTable
            label={texts.failedRuns}
            columns={FAILED_COLUMNS}
            records={failed}
            idOf={({ id }) => id}
            actions={(run) => (
              <Button
                isSmall
                isDisabled={running !== undefined}
                aria-label={texts.repeatRunNamed(run.name, formatExactTime(run.due_time))}
                onPress={() => void repeat(run)}
              >
                {texts.repeatRun}
              </Button>
            )}
          />
        </>
      )}
      {shown && <CallDialog app={app} call={shown} onClose={() => setShown(undefined)} />}
    </>
  );
};

/** The times at which the app is called, and those at which it failed. */
export const SchedulesSection = ({ app }: { readonly app: AppOfAccount }) => {
  const query = useQuery(schedulesQuery(app));
  return (
    <Section title={texts.schedules}>
      <LoadState query={query}>
        {({ schedules, failed }) => (
          <>
            <Schedules app={app} schedules={schedules} />
            <FailedRuns app={app} failed={failed} />
          </>
        )}
      </LoadState>
    </Section>
  );
};
