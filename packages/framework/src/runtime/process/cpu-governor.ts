import type { Log } from "@parley/telemetry";
import type { AppProcess } from "./app-process.ts";
import { createCpuShare, SPAN_MS, type CpuShare, type SpeedChange } from "./cpu-share.ts";
import { APP_PRIORITY, BUSY_APP_PRIORITY, changeProcessPriority } from "./process-priority.ts";
import { createProcessorScheduling, type ProcessorScheduling } from "./processor-scheduling.ts";
import { hasProcessTimes, processorTimeMs, processTree } from "./process-usage.ts";

/** Each process is measured once in this time. Until then, a process that begins to loop delays the others. @units milliseconds */
const SAMPLE_MS = 300;
/** The processes are measured in this many parts, so that no turn of the event loop measures all. */
const SAMPLE_PARTS = 3;
/** A shorter time says too little: a process uses a whole core while it loads its code. @units milliseconds */
const SAMPLE_MS_MIN = 200;
/** Time within the share after which a process no longer gives way. @units milliseconds */
const RESTORE_MS = 2_000;
/** Duration of one cycle of running and standing still. Each of them wakes all threads of the process. @units milliseconds */
const CYCLE_MS = 200;
/** The descendants are read again after this many measurements. */
const TREE_SAMPLES = 30;
/** First measurements that each read the descendants: the launcher and the watcher may not have started the app's process yet. */
const STARTING_SAMPLES = 10;

interface WatchedProcess {
  readonly pid: number;
  readonly installation: string;
  readonly isAlive: () => boolean;
  tree: ReadonlyMap<number, readonly number[]>;
  samples: number;
  /** Time of the last measurement. @units milliseconds of the monotonic clock */
  measuredAt: number;
  priority: number;
  /** Last measurement above the share, while the process gives way. @units milliseconds of the monotonic clock */
  gaveWayAt?: number | undefined;
  /** Processor time at the last measurement, by process. @units milliseconds */
  readonly times: Map<number, number>;
  /** Runs while the process is slowed down. */
  cycle?: NodeJS.Timeout | undefined;
}

/** Access of the governor to the processes of this machine. */
export interface GovernedMachine {
  /** -> a process and its descendants, each with its children */
  readonly treeOf: (pid: number) => ReadonlyMap<number, readonly number[]>;
  /** Processor time of a process. @units milliseconds */
  readonly timeOf: (pid: number) => number;
  /** -> false when it has to be tried again */
  readonly setPriority: (pids: readonly number[], priority: number) => boolean;
  readonly scheduling: ProcessorScheduling;
  readonly signal: (pid: number, name: "SIGSTOP" | "SIGCONT") => void;
  /** @units milliseconds of the monotonic clock */
  readonly now: () => number;
  /** Repeats the work. -> ends the repetition @units milliseconds */
  readonly repeat: (work: () => void, intervalMs: number) => () => void;
}

const thisMachine = (): GovernedMachine => ({
  treeOf: processTree,
  timeOf: processorTimeMs,
  setPriority: changeProcessPriority,
  scheduling: createProcessorScheduling(),
  signal(pid, name) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended.
    }
  },
  now: () => performance.now(),
  repeat(work, intervalMs) {
    const timer = setInterval(work, intervalMs).unref();
    return () => clearInterval(timer);
  },
});

/** Processes without children: the app's code. The launcher and the watcher above it must keep running, because they end the app's process. */
const leavesOf = ({ tree, pid }: WatchedProcess): number[] =>
  [...tree].filter(([each, children]) => each !== pid && children.length === 0).map(([each]) => each);

/** The processes that run the app's code: the process itself if it was started without a launcher and a watcher. */
const appPids = (entry: WatchedProcess): number[] => (entry.tree.size > 1 ? leavesOf(entry) : [entry.pid]);

/** @shape percent: of one processor core */
interface CpuGovernorOptions {
  readonly percent: number;
  readonly log: Log;
  readonly machine?: GovernedMachine;
}

/**
 * Measures the processor time of installations. One that uses more than its share gets a lower priority at once and gives way to all others; one that exceeds it
 * over `SPAN_MS` is slowed down, by stopping and continuing its processes.
 * Only the time limit of calls applies where the operating system has no `/proc`.
 */
export const createCpuGovernor = ({ percent, log, machine = thisMachine() }: CpuGovernorOptions) => {
  const { scheduling, signal, now: clock } = machine;
  const watched = new Map<object, WatchedProcess>();
  const shares = new Map<string, CpuShare>();
  let stopSampling: (() => void) | undefined;
  let part = 0;

  const logChange: Readonly<Record<SpeedChange, (installation: string) => void>> = {
    slowed: (installation) =>
      log(
        `The app of installation ${installation} is slowed down: it used more than ${percent} % of a processor core over ${SPAN_MS / 1_000} seconds. Raise PARLEY_APP_CPU_PERCENT if it needs more.`,
        { level: "warn" },
      ),
    restored: (installation) => log(`The app of installation ${installation} runs at full speed again.`),
  };

  const endCycle = (entry: WatchedProcess) => {
    if (entry.cycle === undefined) return;
    clearTimeout(entry.cycle);
    entry.cycle = undefined;
    for (const pid of leavesOf(entry)) signal(pid, "SIGCONT");
  };
  const beginCycle = (entry: WatchedProcess, runningPart: number) => {
    if (entry.cycle !== undefined) return;
    const stand = () => {
      for (const pid of leavesOf(entry)) signal(pid, "SIGSTOP");
      entry.cycle = setTimeout(run, CYCLE_MS * (1 - runningPart)).unref();
    };
    const run = () => {
      for (const pid of leavesOf(entry)) signal(pid, "SIGCONT");
      entry.cycle = setTimeout(stand, CYCLE_MS * runningPart).unref();
    };
    stand();
  };
  const measure = (entry: WatchedProcess, now: number): number => {
    entry.measuredAt = now;
    // The launcher and the watcher use next to nothing, so their time is read with the descendants only.
    const isWhole = entry.samples < STARTING_SAMPLES || entry.samples % TREE_SAMPLES === 0 || entry.tree.size < 2;
    if (isWhole) entry.tree = machine.treeOf(entry.pid);
    entry.samples += 1;
    let used = 0;
    for (const pid of isWhole ? entry.tree.keys() : leavesOf(entry)) {
      const time = machine.timeOf(pid);
      used += Math.max(0, time - (entry.times.get(pid) ?? 0));
      entry.times.set(pid, time);
    }
    return used;
  };
  const schedule = (entry: WatchedProcess, isOver: boolean): void => {
    // The launcher and the watcher have very little work, which must be done at once.
    if (isOver) {
      if (entry.gaveWayAt === undefined) scheduling.giveWay(appPids(entry));
      entry.gaveWayAt = entry.measuredAt;
    } else if (entry.gaveWayAt !== undefined && entry.measuredAt - entry.gaveWayAt >= RESTORE_MS) {
      entry.gaveWayAt = undefined;
      scheduling.restore(appPids(entry));
    }
    const priority = entry.gaveWayAt === undefined ? APP_PRIORITY : BUSY_APP_PRIORITY;
    if (priority !== entry.priority && machine.setPriority([entry.pid, ...leavesOf(entry)], priority))
      entry.priority = priority;
  };
  const addTime = (share: CpuShare, { installation, measuredAt }: WatchedProcess, usedMs: number): void => {
    const change = share.add(usedMs, measuredAt);
    if (change !== undefined) logChange[change](installation);
  };
  const sample = () => {
    part = (part + 1) % SAMPLE_PARTS;
    const now = clock();
    let index = 0;
    for (const entry of watched.values()) {
      index += 1;
      if (index % SAMPLE_PARTS !== part || now - entry.measuredAt < SAMPLE_MS_MIN || !entry.isAlive()) continue;
      const share = shares.get(entry.installation);
      if (!share) continue;
      addTime(share, entry, measure(entry, now));
      schedule(entry, share.isOver());
      if (share.isSlowed()) beginCycle(entry, share.runningPart);
      else endCycle(entry);
    }
    // A share is forgotten when it has no process and nothing to remember.
    if (part === 0) {
      const inUse = new Set([...watched.values()].map(({ installation }) => installation));
      for (const [name, share] of shares) if (!inUse.has(name) && share.isFull(now)) shares.delete(name);
    }
    if (watched.size === 0 && shares.size === 0) {
      stopSampling?.();
      stopSampling = undefined;
    }
  };

  return {
    /** @shape key: the same for `forget` */
    watch(key: object, installation: string, { pid, isAlive, ended }: Pick<AppProcess, "pid" | "isAlive" | "ended">) {
      if (pid === undefined) return;
      if (!hasProcessTimes) return;
      const entry: WatchedProcess = {
        ...{ pid, installation, isAlive, samples: 0, measuredAt: 0, priority: APP_PRIORITY },
        ...{ tree: new Map(), times: new Map() },
      };
      watched.set(key, entry);
      const share = shares.get(installation) ?? createCpuShare(percent);
      shares.set(installation, share);
      // The time counts from here on: a process of the reserve has already used some, and an endless loop should not run a second longer
      // until there is a measurement to compare with.
      measure(entry, clock());
      addTime(share, entry, 0);
      stopSampling ??= machine.repeat(sample, SAMPLE_MS / SAMPLE_PARTS);
      void ended.then(() => clearTimeout(entry.cycle));
    },
    /** Ids of the processes of apps' code, with those that start and watch them. */
    pids: () => [...watched.values()].flatMap(({ pid, tree }) => [...new Set([pid, ...tree.keys()])]),
    forget(key: object) {
      const entry = watched.get(key);
      watched.delete(key);
      clearTimeout(entry?.cycle);
      if (watched.size === 0) scheduling.end();
    },
  };
};
