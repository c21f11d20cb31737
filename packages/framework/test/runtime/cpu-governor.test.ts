import { once } from "node:events";
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { logText } from "@parley/telemetry";
import { campaignTest } from "../../../../test/support/campaign.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { createCpuGovernor, type GovernedMachine } from "../../src/runtime/process/cpu-governor.ts";
import { APP_PRIORITY, BUSY_APP_PRIORITY } from "../../src/runtime/process/process-priority.ts";
import { hasProcessTimes } from "../../src/runtime/process/process-usage.ts";

const describeOnLinux = hasProcessTimes ? describe : describe.skip;

/** A launcher, the watcher below it and the app's process below that one, by the id of the launcher. */
const treeOf = (pid: number): Map<number, number[]> =>
  new Map([pid, pid + 1, pid + 2].map((each) => [each, each === pid + 2 ? [] : [each + 1]]));
const appOf = (pid: number) => pid + 2;
const QUIET = 100;
const NOISY = 200;

describeOnLinux("decides by the measured processor time of the apps' processes:", () => {
  let now: number;
  let sample: (() => void) | undefined;
  let intervalMs: number;
  let isPriorityRefused: boolean;
  let events: string[];
  /** Processes without the usual descendants. */
  const trees = new Map<number, ReturnType<typeof treeOf>>();
  const times = new Map<number, number>();
  const machine: GovernedMachine = {
    treeOf: (pid) => trees.get(pid) ?? treeOf(pid),
    timeOf: (pid) => times.get(pid) ?? 0,
    setPriority(pids, priority) {
      if (!isPriorityRefused) events.push(`${pids.join()} has priority ${priority}`);
      return !isPriorityRefused;
    },
    scheduling: {
      giveWay: (pids) => void events.push(`${pids.join()} gives way`),
      restore: (pids) => void events.push(`${pids.join()} is restored`),
      end: () => undefined,
    },
    signal: (pid, name) => void events.push(`${pid} ${name}`),
    now: () => now,
    repeat(work, ms) {
      [sample, intervalMs] = [work, ms];
      return () => void (sample = undefined);
    },
  };
  let governor: ReturnType<typeof createCpuGovernor>;
  const keys = { quiet: {}, noisy: {} };
  const watch = (key: object, installation: string, pid: number) =>
    governor.watch(key, installation, { pid, isAlive: () => true, ended: new Promise<string>(() => undefined) });
  beforeEach(() => {
    [now, isPriorityRefused, events] = [1_000, false, []];
    times.clear();
    trees.clear();
    governor = createCpuGovernor({
      percent: 50,
      log: (...line) => void events.push(logText(...line).replace(/:.*/, "")),
      machine,
    });
    watch(keys.quiet, "quiet", QUIET);
    watch(keys.noisy, "noisy", NOISY);
  });
  /** Time passes in which the app's processes use these parts of a core. -> what the governor did */
  const pass = (seconds: number, parts: Readonly<Record<number, number>>): readonly string[] => {
    events = [];
    for (const end = now + seconds * 1_000; now < end && sample;) {
      now += intervalMs;
      for (const [pid, part] of Object.entries(parts))
        times.set(appOf(Number(pid)), (times.get(appOf(Number(pid))) ?? 0) + part * intervalMs);
      sample();
    }
    return events;
  };
  const LOWERED = ["202 gives way", `200,202 has priority ${BUSY_APP_PRIORITY}`];
  const RESTORED = ["202 is restored", `200,202 has priority ${APP_PRIORITY}`];

  test("a process within its share is left alone", () => {
    expect(pass(60, { [QUIET]: 0.49, [NOISY]: 0 })).toEqual([]);
  });

  test("a process beyond its share gives way within half a second, and the others don't", () => {
    expect(pass(0.5, { [NOISY]: 1 })).toEqual(LOWERED);
  });

  test("a process that its watcher had not started at the first measurement is measured, and gives way as soon as the others", () => {
    trees.set(
      300,
      new Map<number, number[]>([
        [300, [301]],
        [301, []],
      ]),
    );
    watch({}, "late", 300);
    pass(1, {});
    trees.clear();
    expect(pass(0.7, { 300: 1 })).toEqual(["302 gives way", `300,302 has priority ${BUSY_APP_PRIORITY}`]);
  });

  test("a process without a launcher is measured at any age", () => {
    const pid = appOf(400);
    trees.set(pid, new Map<number, number[]>([[pid, []]]));
    watch({}, "alone", pid);
    pass(60, {});
    expect(pass(0.7, { 400: 1 })).toEqual([`${pid} gives way`, `${pid} has priority ${BUSY_APP_PRIORITY}`]);
  });

  test("a process that gave way is restored when it has been within its share for two seconds", () => {
    pass(0.5, { [NOISY]: 1 });
    expect(pass(1.8, { [NOISY]: 0.4 })).toEqual([]);
    expect(pass(1, { [NOISY]: 0.4 })).toEqual(RESTORED);
    pass(0.5, { [NOISY]: 1 });
    // The two seconds begin with the last measurement beyond the share.
    expect(pass(1, { [NOISY]: 0 })).toEqual([]);
    expect(pass(0.6, { [NOISY]: 1 })).toEqual([]);
    expect(pass(1.5, { [NOISY]: 0 })).toEqual([]);
    expect(pass(1, { [NOISY]: 0 })).toEqual(RESTORED);
  });

  test("a priority that the system refuses for now is changed with a later measurement", () => {
    isPriorityRefused = true;
    expect(pass(1, { [NOISY]: 1 })).toEqual(["202 gives way"]);
    isPriorityRefused = false;
    expect(pass(0.5, { [NOISY]: 1 })).toEqual(LOWERED.slice(1));
  });

  test("only the app's process, not its launcher, is stopped when it exceeds its share of four seconds, and continued later", () => {
    pass(3, { [NOISY]: 1 });
    expect(pass(3, { [NOISY]: 1 })).toEqual(["warn", "202 SIGSTOP"].map((text) => expect.stringContaining(text)));
    const later = pass(30, { [NOISY]: 0 });
    expect(later).toEqual(expect.arrayContaining(["202 SIGCONT", ...RESTORED]));
    expect(later.join()).not.toMatch(/20[01] SIG/);
  });

  test("a process that is no longer watched is neither measured nor stopped, and the measurements end with the last one", () => {
    governor.forget(keys.noisy);
    expect(pass(10, { [NOISY]: 1 })).toEqual([]);
    expect(governor.pids()).toEqual([QUIET, QUIET + 1, QUIET + 2]);
    governor.forget(keys.quiet);
    pass(60, {});
    expect(sample).toBeUndefined();
  });
});

const running: ChildProcess[] = [];
afterAll(() => {
  for (const each of running) each.kill("SIGKILL");
});

/** A process with a session of its own, like those of apps. It works in turns of 50 ms until it reads something. */
const start = async (isBusy: boolean) => {
  const turn = `const end = Date.now() + ${isBusy ? 50 : 0}; while (Date.now() < end);`;
  const script = `const timer = setInterval(() => { ${turn} }, ${isBusy ? 1 : 100}); process.stdin.on("data", () => { clearInterval(timer); }); console.log("ready");`;
  const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  running.push(child);
  await once(child.stdout, "data");
  const ended = new Promise<never>(() => undefined);
  return { pid: child.pid, isAlive: () => child.exitCode === null, ended, rest: () => child.stdin.write("rest") };
};
/** Priority of the session, which every user may lower. */
const priorityOf = (pid: number | undefined): number =>
  Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8"))?.[1]);

/** The scheduling policy of a process by its number in Linux, and the time for which it may run. @units milliseconds */
const schedulingOf = (pid: number | undefined) => {
  const text = readFileSync(`/proc/${pid}/sched`, "utf8");
  const valueOf = (name: string) => Number(new RegExp(`^${name}\\s*:\\s*([\\d.]+)`, "m").exec(text)?.[1]);
  return { policy: valueOf("policy"), sliceMs: valueOf("se.slice") / 1e6 };
};

campaignTest("a process that loops gives way to the others until it waits, one that waits does not", async () => {
  const governor = createCpuGovernor({ percent: 25, log: () => undefined });
  const [busy, waiting] = [await start(true), await start(false)];
  const stateOf = ({ pid }: { readonly pid: number | undefined }) => ({
    priority: priorityOf(pid),
    ...schedulingOf(pid),
  });
  const before = stateOf(waiting);
  expect(stateOf(busy)).toEqual(before);
  governor.watch(busy, "busy", busy);
  governor.watch(waiting, "waiting", waiting);

  // Root may leave the policy of idle processes again; others get the longest time, which Linux has for a thread since 6.12.
  await waitUntil(() => {
    const { priority, policy, sliceMs } = stateOf(busy);
    const isGivingWay = process.geteuid?.() === 0 ? policy === 5 : Number.isNaN(before.sliceMs) || sliceMs === 100;
    return priority === BUSY_APP_PRIORITY && isGivingWay;
  });
  busy.rest();
  const restored = JSON.stringify({ ...before, priority: APP_PRIORITY });
  await waitUntil(() => JSON.stringify(stateOf(busy)) === restored, { details: () => JSON.stringify(stateOf(busy)) });
  expect(stateOf(waiting)).toEqual(before);
  governor.forget(busy);
  governor.forget(waiting);
});
