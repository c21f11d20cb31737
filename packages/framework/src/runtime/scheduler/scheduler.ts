import { setTimeout as wait } from "node:timers/promises";
import type { Installation, Installations } from "../../installation/installations.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import { scheduledPayload } from "../payloads/payload.ts";
import type { Project } from "../../package/model/project.ts";
import type { HostSettings } from "../../environment/settings.ts";
import type { RecordOwner } from "../records/store.ts";
import { nextAfter } from "../schedules/schedules.ts";
import type { FailureStore, ScheduleRow, ScheduleStore, FailureRow } from "../schedules/store.ts";
import type { FailedSchedule } from "@parley/contract";

interface SchedulerDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: ScheduleStore;
  readonly installations: Pick<Installations, "find">;
  readonly calls: Pick<AppCalls, "occur">;
  readonly project: () => Project;
  /** Runs the work of an id unless it has already succeeded. */
  readonly once: (id: string, work: () => Promise<boolean>) => Promise<boolean>;
  readonly failures: Pick<FailureStore, "add">;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly onJump?: ((listener: () => void) => () => void) | undefined;
  readonly log: (line: string) => void;
  readonly settings: Pick<HostSettings, "scheduleRetryDelaysMs" | "scheduleRetryWindowMs">;
}

/** Fires due schedules. */
interface Scheduler {
  /** Starts or resumes. */
  start(): void;
  /** Checks again when the next schedule is due. */
  wake(): void;
  /** Fires nothing more. Resolves when no fired schedule is running. */
  stop(): Promise<void>;
}

/** Maximum pause: another host may create schedules in the same database and end before they are due. @units milliseconds */
const maxSleepMs = 15_000;
/** Pause before a schedule that another process is running is checked again, because that process may end. @units milliseconds */
const RECHECK_DELAY_MS = 500;
/** Maximum number of schedules that run at the same time: each holds a connection. */
const CONCURRENT_SCHEDULES_MAX = 3;
/** Maximum length of the reason of a failure. @units characters */
const maxReasonCharacters = 1_000;

/** An app's text may contain a character that PostgreSQL does not store. */
const reasonOf = (error: string): string => error.replaceAll("\0", "").slice(0, maxReasonCharacters);

export const createScheduler = (deps: SchedulerDeps): Scheduler => {
  const { store, now, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Running schedules by name. */
  const atWork = new Map<string, Promise<void>>();
  let again = false;
  let stopping: AbortController | undefined;
  let leaveJumps: (() => void) | undefined;

  const giveUp = async (row: ScheduleRow, source: string, to: Installation, tries: number, reason: string) => {
    const { name, data, due_time } = row;
    const failed_time = now();
    const failure = { id: deps.newId(), name, data, due_time: due_time ?? failed_time, tries, reason, failed_time };
    await deps.failures.add({ project: deps.app, account: to.account }, source, failure);
    log(
      `error: The schedule '${name}' failed too often and is given up for this time: 'npx parley event failed' shows it.`,
    );
  };

  /** @errors errors of the database: the schedule is fired again */
  const attempts = async (row: ScheduleRow, id: string, to: Installation, signal: AbortSignal): Promise<true> => {
    const { scheduleRetryDelaysMs, scheduleRetryWindowMs } = deps.settings;
    const payload = scheduledPayload(row, deps.project().manifest, to, now());
    const began = performance.now();
    for (let tries = 1; ; tries += 1) {
      const outcome = await deps.calls.occur("onScheduledEvent", { payload, source: id }, to);
      if (!outcome) {
        log(`warn: The schedule '${row.name}' was due, and the app has no handler of onScheduledEvent.`);
        return true;
      }
      if (outcome.ok) return true;
      // The handler's process was stopped: the schedule is fired again when the host resumes.
      signal.throwIfAborted();
      log(`error: onScheduledEvent failed for the schedule '${row.name}': ${outcome.stack ?? outcome.error}`);
      const pause = scheduleRetryDelaysMs[tries - 1];
      if (pause === undefined || performance.now() - began + pause >= scheduleRetryWindowMs) {
        await giveUp(row, id, to, tries, reasonOf(outcome.error));
        return true;
      }
      await wait(pause, undefined, { signal });
    }
  };

  /** -> whether this process fired the schedule */
  const fire = async (
    row: ScheduleRow,
    owner: RecordOwner,
    to: Installation,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { name, created_time, due_time } = row;
    // Identical for all attempts and hosts: work that was completed before a host was killed is not repeated.
    const id = ["schedule", owner.account, name, created_time.getTime(), due_time?.getTime()].join("/");
    return store.fire(owner, row, async () => {
      // Taken before the handler runs: a time that becomes due meanwhile is not missed.
      const fired = now();
      await deps.once(id, () => attempts(row, id, to, signal));
      return nextAfter(fired, row);
    });
  };

  /** Fires due schedules while fewer than the maximum run, so that a slow one delays no other. */
  const fill = async (owner: RecordOwner, to: Installation, signal: AbortSignal) => {
    // Running schedules are still due in the database.
    const due = await store.due(owner, now(), CONCURRENT_SCHEDULES_MAX + atWork.size);
    const waiting = due.filter(({ name }) => !atWork.has(name));
    for (const row of waiting.slice(0, CONCURRENT_SCHEDULES_MAX - atWork.size)) {
      const work = fire(row, owner, to, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) log(`error: The schedule '${row.name}' could not be fired: ${String(error)}`);
          return false;
        })
        .then((isOurs) => {
          atWork.delete(row.name);
          // A schedule that another process runs, or that could not be fired, is checked again after a pause.
          if (isOurs) wake();
        });
      atWork.set(row.name, work);
    }
  };

  const sleep = async (owner: RecordOwner | undefined) => {
    const next = owner && (await store.next(owner));
    const ms = next ? next.getTime() - now().getTime() : maxSleepMs;
    clearTimeout(timer);
    timer = setTimeout(wake, ms <= 0 ? RECHECK_DELAY_MS : Math.min(ms + 1, maxSleepMs)).unref();
  };

  const run = async (signal: AbortSignal) => {
    do {
      again = false;
      const to = await deps.installations.find();
      const owner = to && { project: deps.app, account: to.account };
      if (to && owner && !signal.aborted) await fill(owner, to, signal);
      if (!signal.aborted) await sleep(owner);
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
        log(`error: Due schedules could not be read: ${String(error)}`);
        clearTimeout(timer);
        timer = setTimeout(wake, maxSleepMs).unref();
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

/** Operations of an app's author on failed schedules, on the account where the app is installed. */
export interface ScheduleFailures {
  /** Newest last. */
  list(): Promise<FailedSchedule[]>;
  find(id: string): Promise<FailureRow | undefined>;
  remove(id: string): Promise<void>;
}

interface ScheduleFailuresDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: FailureStore;
  readonly installations: Pick<Installations, "find">;
}

const asFailed = ({ data, due_time, failed_time, ...row }: FailureRow): FailedSchedule => ({
  ...row,
  data: JSON.parse(data) as FailedSchedule["data"],
  due_time: due_time.toISOString(),
  failed_time: failed_time.toISOString(),
});

export const scheduleFailures = ({ app, store, installations }: ScheduleFailuresDeps): ScheduleFailures => {
  const owner = async () => {
    const installation = await installations.find();
    return installation && { project: app, account: installation.account };
  };
  return {
    async list() {
      const own = await owner();
      return own ? (await store.list(own)).map(asFailed) : [];
    },
    async find(id) {
      const own = await owner();
      return own && store.find(own, id);
    },
    async remove(id) {
      const own = await owner();
      if (own) await store.remove(own, id);
    },
  };
};
