import { afterAll, expect, test } from "@jest/globals";
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createCpuGovernor } from "../src/runtime/process/cpu-governor.ts";
import { APP_PRIORITY, BUSY_APP_PRIORITY } from "../src/runtime/process/process-priority.ts";

const running: ChildProcess[] = [];
afterAll(() => {
  for (const each of running) each.kill("SIGKILL");
});

/** A process with a session of its own, like those of apps. */
const start = (script: string) => {
  const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: "ignore" });
  running.push(child);
  const ended = new Promise<never>((_resolve) => undefined);
  return { pid: child.pid, isAlive: () => child.exitCode === null, ended };
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

const until = async (isReached: () => boolean): Promise<void> => {
  for (const end = performance.now() + 20_000; !isReached() && performance.now() < end;) await setTimeout(50);
};

test("a process that loops gives way to the others until it waits, one that waits does not", async () => {
  const governor = createCpuGovernor({ percent: 50, log: () => undefined });
  const busy = start("let end = Date.now() + 2500; setInterval(() => { while (Date.now() < end); }, 10)");
  const waiting = start("setInterval(() => undefined, 100)");
  governor.watch(busy, "busy", busy);
  governor.watch(waiting, "waiting", waiting);
  const before = { priority: priorityOf(waiting.pid), ...schedulingOf(waiting.pid) };
  expect({ priority: priorityOf(busy.pid), ...schedulingOf(busy.pid) }).toEqual(before);

  // Root may leave the policy of idle processes again; others get the longest time, which Linux has for a thread since 6.12.
  const isGivingWay = (): boolean => {
    const { policy, sliceMs } = schedulingOf(busy.pid);
    return process.geteuid?.() === 0 ? policy === 5 : Number.isNaN(before.sliceMs) || sliceMs === 100;
  };
  await until(() => priorityOf(busy.pid) !== before.priority && isGivingWay());
  expect({ priority: priorityOf(busy.pid), isGivingWay: isGivingWay() }).toEqual({
    priority: BUSY_APP_PRIORITY,
    isGivingWay: true,
  });

  const { policy, sliceMs } = before;
  const stateOf = () => ({ priority: priorityOf(busy.pid), ...schedulingOf(busy.pid) });
  await until(() => stateOf().policy === policy && Object.is(stateOf().sliceMs, sliceMs));
  await until(() => stateOf().priority === APP_PRIORITY);
  expect(stateOf()).toEqual({ priority: APP_PRIORITY, policy, sliceMs });
  expect({ priority: priorityOf(waiting.pid), ...schedulingOf(waiting.pid) }).toEqual(before);
  governor.forget(busy);
  governor.forget(waiting);
}, 60_000);
