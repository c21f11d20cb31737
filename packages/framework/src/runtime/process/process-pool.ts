import { NO_METRICS, type Log, type Metrics } from "@parley/telemetry";
import type { HostSettings } from "../../environment/settings.ts";
import { createCpuGovernor } from "./cpu-governor.ts";
import { createInstallationBudgets, type InstallationBudget } from "./installation-budget.ts";
import { createPooledProcess, type PooledProcess, type PooledState, type StartProcess } from "./pooled-process.ts";
import type { LaunchProgram } from "./process-link.ts";
import { lowerPriority } from "./process-priority.ts";
import { hasProcessTimes, residentBytes } from "./process-usage.ts";
import { createProcessReserve } from "./process-reserve.ts";

/** A start counts as under way until the app's code is loaded, and no longer than this, so that code that never finishes loading blocks nobody. @units milliseconds */
const START_DURATION_MS_MAX = 500;
/** If other installations wait, a process without a pause in its work is retired this long after its start. @units milliseconds */
const TURN_MS = 1_000;
/** Delay after a start until the reserve is filled again, so that starts for events come first. @units milliseconds */
const REFILL_DELAY_MS = 100;

export interface ProcessPoolOptions {
  readonly launch: LaunchProgram;
  /** Source text of the child's program. */
  readonly program: string;
  readonly settings: HostSettings;
  readonly metrics?: Metrics;
  readonly log: Log;
  /** Processes that are kept ready without an app. Default: the setting. */
  readonly reserveSize?: number;
  /** @units milliseconds */
  readonly startDurationMaxMs?: number;
}

/** Arguments of the pool for the start of a process. */
interface PoolResources {
  readonly launch: LaunchProgram;
  /** Limits of the installation that outlast its processes. */
  readonly budget: InstallationBudget;
  /** To be called whenever work begins or ends in the process. */
  readonly changed: () => void;
}

/** The processes of all installations of one process of the platform. */
export interface ProcessPool {
  /**
   * Opens a process of an installation, which is started by its first call or by `warm`.
   * @shape start: called at most once; onEnded: called when the process has ended and no process will start
   */
  open(
    installation: string,
    start: (resources: PoolResources) => ReturnType<StartProcess>,
    onEnded?: () => void,
  ): PooledProcess;
  /** Numbers of processes that exist, that have no work, and of installations that wait for a process. */
  counts(): { readonly processes: number; readonly idle: number; readonly waiting: number };
  /** Memory of the processes; undefined where the operating system does not tell. @units bytes */
  memoryBytes(): number | undefined;
  /** Ends every process. The next call starts a new process. */
  close(): Promise<void>;
}

/**
 * Starts the process of an installation with its first call, ends it when it has had no work for a while, and bounds the number of
 * processes and of simultaneous starts. At the maximum, the least recently used idle process is ended for a new process. If all are busy,
 * installations wait in the order of their first call, and the process that has worked the longest without a pause is retired: calls that
 * it gets later wait behind the others.
 */
export const createProcessPool = ({
  launch,
  program,
  settings,
  metrics = NO_METRICS,
  log,
  reserveSize,
  startDurationMaxMs = START_DURATION_MS_MAX,
}: ProcessPoolOptions): ProcessPool => {
  const reportStart = metrics.counter("parley_app_process_starts_total");
  /** Processes of the operating system that exist, in the order of their last use. */
  const existing = new Map<PooledProcess, { readonly startedAt: number; idleTimer?: NodeJS.Timeout }>();
  const waiting = new Set<PooledProcess>();
  const reserve = createProcessReserve({
    launch(script, limits) {
      const child = launch(script, limits);
      if (child.pid !== undefined) lowerPriority(child.pid);
      return child;
    },
    program,
    limits: settings,
    size: reserveSize ?? settings.reserveProcesses,
  });
  const budgets = createInstallationBudgets(settings);
  const governor = createCpuGovernor({ percent: settings.cpuPercent, log });
  let starts = 0;
  let isPumping = false;
  let turnTimer: NodeJS.Timeout | undefined;
  let refillTimer: NodeJS.Timeout | undefined;
  let isReserveUsed = false;

  const refillLater = () => {
    clearTimeout(refillTimer);
    refillTimer = setTimeout(() => {
      if (!isReserveUsed) return;
      // One process at a time, and no process while installations are being started.
      if (starts > 0 || waiting.size > 0 || reserve.fill()) refillLater();
    }, REFILL_DELAY_MS).unref();
  };
  const pump = () => {
    if (isPumping) return;
    isPumping = true;
    // One start in each turn of the event loop: a start takes some milliseconds of it.
    setImmediate(() => {
      isPumping = false;
      startNext();
    });
  };
  const countStart = (process: PooledProcess) => {
    starts += 1;
    const started = process.process();
    let isCounted = true;
    const finish = () => {
      if (isCounted) {
        starts -= 1;
        // A process that was being forked when the priority was lowered is not found then, and has that of its parent before.
        if (started?.pid !== undefined && started.isAlive()) lowerPriority(started.pid);
      }
      isCounted = false;
      clearTimeout(timer);
      pump();
    };
    const timer = setTimeout(finish, startDurationMaxMs);
    started?.handlers.then(finish, finish);
  };
  /** Ends an idle process, or retires a busy one whose turn is over, for each installation that waits. */
  const makeRoom = () => {
    const needed = [...waiting].filter((process) => process.hasCalls()).length;
    const leaving = [...existing.keys()].filter((process) => process.state() === "retiring").length;
    let missing = needed - leaving - Math.max(0, settings.maxProcesses - existing.size);
    for (const process of existing.keys()) {
      if (missing <= 0) return;
      if (process.state() !== "idle") continue;
      missing -= 1;
      void process.end("another installation needs its place");
    }
    const now = performance.now();
    const busy = [...existing].filter(([process]) => process.state() === "busy");
    for (const [process, { startedAt }] of busy.sort(([, one], [, other]) => one.startedAt - other.startedAt)) {
      if (missing <= 0) return;
      const remaining = startedAt + TURN_MS - now;
      if (remaining > 0) {
        clearTimeout(turnTimer);
        turnTimer = setTimeout(pump, remaining).unref();
        return;
      }
      missing -= 1;
      process.retire();
    }
  };
  const startNext = () => {
    const [next] = waiting;
    if (!next) return;
    if (existing.size >= settings.maxProcesses) {
      // A process that nobody waits for yet is not worth the end of another process.
      for (const process of waiting) if (!process.hasCalls()) void process.end("there is no free place for it");
      return makeRoom();
    }
    if (starts >= settings.maxConcurrentStarts) return undefined;
    waiting.delete(next);
    existing.set(next, { startedAt: performance.now() });
    isReserveUsed = true;
    reportStart({});
    next.start();
    countStart(next);
    refillLater();
    return pump();
  };
  const endWhenIdle = (process: PooledProcess) => {
    const entry = existing.get(process);
    if (!entry) return;
    clearTimeout(entry.idleTimer);
    // Moves to the end of the order of use.
    existing.delete(process);
    existing.set(process, entry);
    entry.idleTimer = setTimeout(() => void process.end("it had no work"), settings.idleProcessMs).unref();
  };
  const hooks = {
    enqueue(process: PooledProcess) {
      waiting.add(process);
      pump();
    },
    changed(process: PooledProcess, from: PooledState) {
      const state = process.state();
      if (from === "idle") clearTimeout(existing.get(process)?.idleTimer);
      if (state === "idle") endWhenIdle(process);
      if (state === "ended") {
        waiting.delete(process);
        existing.delete(process);
        governor.forget(process);
      }
      if (waiting.size > 0 && (state === "idle" || state === "ended")) pump();
    },
  };

  return {
    open(installation, start, onEnded) {
      const process: PooledProcess = createPooledProcess(
        installation,
        (changed) => {
          const started = start({ launch: reserve.launch, budget: budgets.of(installation), changed });
          governor.watch(process, installation, started);
          return started;
        },
        {
          ...hooks,
          changed(changed, from) {
            hooks.changed(changed, from);
            if (changed.state() === "ended") onEnded?.();
          },
        },
      );
      return process;
    },
    counts: () => ({
      processes: existing.size,
      idle: [...existing.keys()].filter((process) => process.state() === "idle").length,
      waiting: waiting.size,
    }),
    memoryBytes: () =>
      hasProcessTimes ? governor.pids().reduce((sum, pid) => sum + residentBytes(pid), 0) : undefined,
    async close() {
      isReserveUsed = false;
      clearTimeout(refillTimer);
      clearTimeout(turnTimer);
      await Promise.all([
        reserve.close(),
        ...[...waiting, ...existing.keys()].map((process) => process.end("the host stops")),
      ]);
    },
  };
};
