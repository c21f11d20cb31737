import { failureText, type Log } from "@parley/telemetry";
import { setTimeout as wait } from "node:timers/promises";
import type { HostSettings } from "../../environment/settings.ts";
import type { Installation } from "../../state/installations.ts";
import type { Project } from "../../model/project.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import { scheduledPayload } from "../calls/payload.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import { nextAfter } from "../host-api/schedules.ts";
import type { DueSchedule, FailureStore, ScheduleStore, ServedApps } from "../../state/schedules.sql.ts";

/** An installation whose schedules fire in this process. */
export interface ScheduledInstallation {
  readonly installation: Installation;
  readonly project: () => Project;
  readonly calls: Pick<AppCalls, "occur">;
  /** Runs the work of an id unless it has already succeeded. */
  readonly once: (id: string, work: () => Promise<boolean>) => Promise<boolean>;
  readonly failures: Pick<FailureStore, "add">;
}

interface SchedulerDeps {
  readonly store: Pick<ScheduleStore, "due" | "nextOfAll" | "isUnchanged" | "move">;
  /** The apps whose schedules this process fires. */
  readonly served: () => ServedApps;
  /** Runs the work while this process holds the installation. -> undefined when there is no such installation */
  readonly withInstallation: <T>(
    owner: RecordOwner,
    work: (installation: ScheduledInstallation) => Promise<T>,
  ) => Promise<T | undefined>;
  /** Whether the error says that another process holds the installation. */
  readonly isHeldElsewhere: (error: unknown) => boolean;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly onJump?: ((listener: () => void) => () => void) | undefined;
  readonly log: Log;
  readonly settings: Pick<HostSettings, "scheduleRetryDelaysMs" | "scheduleRetryWindowMs" | "maxConcurrentSchedules">;
}

/** Fires the due schedules of all installations that this process may hold. */
export interface Scheduler {
  /** Starts or resumes. */
  start(): void;
  /** Checks again when the next schedule is due. */
  wake(): void;
  /** Fires nothing more. Resolves when no fired schedule is running. */
  stop(): Promise<void>;
}

/** Maximum pause: another process may create schedules, or end and leave its installations to this process. @units milliseconds */
const SLEEP_MS_MAX = 3_000;
/** Pause before a schedule that could not be fired is checked again. @units milliseconds */
const RECHECK_DELAY_MS = 500;
/** Maximum length of the reason of a failure. @units characters */
const REASON_CHARACTERS_MAX = 1_000;

/** An app's text may contain a character that PostgreSQL does not store. */
const reasonOf = (error: string): string => error.replaceAll("\0", "").slice(0, REASON_CHARACTERS_MAX);

const keyOf = ({ project, account, name }: DueSchedule): string => [project, account, name].join("/");

export const createScheduler = (deps: SchedulerDeps): Scheduler => {
  const { store, now, log } = deps;
  const { maxConcurrentSchedules } = deps.settings;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Running schedules by key. */
  const atWork = new Map<string, Promise<void>>();
  let again = false;
  let stopping: AbortController | undefined;
  let leaveJumps: (() => void) | undefined;

  const giveUp = async (
    { name, data, due_time, project, account }: DueSchedule,
    to: ScheduledInstallation,
    source: string,
    { tries, reason }: { readonly tries: number; readonly reason: string },
  ) => {
    const failed_time = now();
    const failure = { id: deps.newId(), name, data, due_time: due_time ?? failed_time, tries, reason, failed_time };
    await to.failures.add({ project, account }, source, failure);
    log(`The schedule '${name}' failed too often and is given up for this time: 'npx parley event failed' shows it.`, {
      level: "error",
    });
  };

  /** @errors errors of the database, or InstallationHeldElsewhere: the schedule is fired again */
  const attempts = async (
    row: DueSchedule,
    id: string,
    to: ScheduledInstallation,
    signal: AbortSignal,
  ): Promise<true> => {
    const { scheduleRetryDelaysMs, scheduleRetryWindowMs } = deps.settings;
    const payload = scheduledPayload(row, to.project().manifest, to.installation, now());
    const began = performance.now();
    for (let tries = 1; ; tries += 1) {
      const outcome = await to.calls.occur("onScheduledEvent", { payload, source: id }, to.installation);
      if (!outcome) {
        log(`The schedule '${row.name}' was due, and the app has no handler of onScheduledEvent.`, { level: "warn" });
        return true;
      }
      if (outcome.ok) return true;
      // The handler's process was stopped: the schedule is fired again when the platform resumes.
      signal.throwIfAborted();
      log(`onScheduledEvent failed for the schedule '${row.name}': ${outcome.stack ?? outcome.error}`, {
        level: "error",
      });
      const pause = scheduleRetryDelaysMs[tries - 1];
      if (pause === undefined || performance.now() - began + pause >= scheduleRetryWindowMs) {
        await giveUp(row, to, id, { tries, reason: reasonOf(outcome.error) });
        return true;
      }
      await wait(pause, undefined, { signal });
    }
  };

  const fire = async (row: DueSchedule, signal: AbortSignal): Promise<boolean> => {
    const { project, account, name, created_time, due_time } = row;
    // Identical for all attempts and processes: work that was completed before a process was killed is not repeated.
    const id = ["schedule", account, name, created_time.getTime(), due_time?.getTime()].join("/");
    const fired = await deps.withInstallation({ project, account }, async (to) => {
      // Taken before the handler runs: a time that becomes due meanwhile is not missed.
      const start = now();
      if (!(await store.isUnchanged(row))) return false;
      await to.once(id, () => attempts(row, id, to, signal));
      await store.move(row, nextAfter(start, row));
      return true;
    });
    return fired ?? false;
  };

  /** Fires due schedules while fewer than the maximum run, so that a slow one delays no other. */
  const fill = async (signal: AbortSignal) => {
    // Running schedules are still due in the database.
    const due = await store.due(deps.served(), now(), maxConcurrentSchedules + atWork.size);
    const waiting = due.filter((row) => !atWork.has(keyOf(row)));
    for (const row of waiting.slice(0, maxConcurrentSchedules - atWork.size)) {
      const key = keyOf(row);
      const work = fire(row, signal)
        .catch((error: unknown) => {
          if (!signal.aborted && !deps.isHeldElsewhere(error))
            log(`The schedule '${row.name}' could not be fired: ${failureText(error)}`, { level: "error" });
          return false;
        })
        .then((isFired) => {
          atWork.delete(key);
          // A schedule that could not be fired is checked again after a pause.
          if (isFired) wake();
        });
      atWork.set(key, work);
    }
  };

  const sleep = async () => {
    const next = await store.nextOfAll(deps.served());
    const ms = next ? next.getTime() - now().getTime() : SLEEP_MS_MAX;
    clearTimeout(timer);
    timer = setTimeout(wake, ms <= 0 ? RECHECK_DELAY_MS : Math.min(ms + 1, SLEEP_MS_MAX)).unref();
  };

  const run = async (signal: AbortSignal) => {
    do {
      again = false;
      if (!signal.aborted) await fill(signal);
      if (!signal.aborted) await sleep();
    } while (again && !signal.aborted);
  };

  const wake = () => {
    again = true;
    const { signal } = stopping ?? {};
    if (!signal || signal.aborted || running) return;
    running = run(signal)
      .catch((error: unknown) => {
        again = false;
        if (signal.aborted) return;
        log(`Due schedules could not be read: ${failureText(error)}`, { level: "error" });
        clearTimeout(timer);
        timer = setTimeout(wake, SLEEP_MS_MAX).unref();
      })
      .finally(() => {
        running = undefined;
        if (again) wake();
      });
  };

  return {
    start() {
      if (!stopping || stopping.signal.aborted) stopping = new AbortController();
      leaveJumps ??= deps.onJump?.(wake);
      wake();
    },
    wake,
    async stop() {
      stopping?.abort();
      leaveJumps?.();
      leaveJumps = undefined;
      clearTimeout(timer);
      await running;
      await Promise.all(atWork.values());
    },
  };
};
