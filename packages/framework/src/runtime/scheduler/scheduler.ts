import { setTimeout as wait } from "node:timers/promises";
import type { Installation, Installations } from "../../installation/installations.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import { scheduledPayload } from "../payloads/payload.ts";
import type { Project } from "../../package/model/project.ts";
import type { HostSettings } from "../../environment/settings.ts";
import type { RecordOwner } from "../records/store.ts";
import { nextAfter } from "../schedules/schedules.ts";
import type { FailureStore, ScheduleRow, ScheduleStore } from "../schedules/store.ts";

interface SchedulerDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: ScheduleStore;
  readonly installations: Pick<Installations, "find">;
  readonly calls: Pick<AppCalls, "occur">;
  readonly project: () => Project;
  /** Runs the work of an id unless it ended well before. */
  readonly once: (id: string, work: () => Promise<boolean>) => Promise<boolean>;
  readonly failures: Pick<FailureStore, "add">;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly onJump?: ((listener: () => void) => () => void) | undefined;
  readonly log: (line: string) => void;
  readonly settings: Pick<HostSettings, "scheduleRetryDelaysMs" | "scheduleRetryWindowMs">;
}

/** Fires what is due. */
interface Scheduler {
  /** Begins, or goes on. */
  start(): void;
  /** Looks again at what is due next. */
  wake(): void;
  /** Fires nothing more, and resolves when nothing that was fired is at work. */
  stop(): Promise<void>;
}

/** Others may make schedules on the same database and end before these are due. @units milliseconds */
const maxSleepMs = 15_000;
/** What is due and not ours is in the hands of another process, which may end. @units milliseconds */
const IN_HAND = 500;
/** Fired at once: each holds a connection. */
const ABREAST = 3;
/** Of what a handler failed with. @units characters */
const maxReasonCharacters = 1_000;

/** An app's words may hold what no text of the database may. */
const reasonOf = (error: string): string => error.replaceAll("\0", "").slice(0, maxReasonCharacters);

export const createScheduler = (deps: SchedulerDeps): Scheduler => {
  const { store, now, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** By name. */
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
      `error: The schedule '${name}' failed too often and is given up for this time: 'parley event failed' shows it.`,
    );
  };

  /** @errors what the database refuses: it is fired again then */
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
      // Its process was ended under it: it is fired again when the host goes on.
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

  /** -> whether it was ours to fire. */
  const fire = async (
    row: ScheduleRow,
    owner: RecordOwner,
    to: Installation,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { name, created_time, due_time } = row;
    // The same over all tries and hosts: what was done before a host was killed isn't done again.
    const id = ["schedule", owner.account, name, created_time.getTime(), due_time?.getTime()].join("/");
    return store.fire(owner, row, async () => {
      // What comes due while this one is at work is not missed.
      const fired = now();
      await deps.once(id, () => attempts(row, id, to, signal));
      return nextAfter(fired, row);
    });
  };

  /** Fires what is due in the places that are free: one that takes long holds up none but itself. */
  const fill = async (owner: RecordOwner, to: Installation, signal: AbortSignal) => {
    // Those at work are due still.
    const due = await store.due(owner, now(), ABREAST + atWork.size);
    const waiting = due.filter(({ name }) => !atWork.has(name));
    for (const row of waiting.slice(0, ABREAST - atWork.size)) {
      const work = fire(row, owner, to, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) log(`error: The schedule '${row.name}' could not be fired: ${String(error)}`);
          return false;
        })
        .then((isOurs) => {
          atWork.delete(row.name);
          // What is in another process's hands, or could not be fired, is looked at again in a while.
          if (isOurs) wake();
        });
      atWork.set(row.name, work);
    }
  };

  const sleep = async (owner: RecordOwner | undefined) => {
    const next = owner && (await store.next(owner));
    const ms = next ? next.getTime() - now().getTime() : maxSleepMs;
    clearTimeout(timer);
    timer = setTimeout(wake, ms <= 0 ? IN_HAND : Math.min(ms + 1, maxSleepMs)).unref();
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
        log(`error: Schedules can't be looked at: ${String(error)}`);
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
