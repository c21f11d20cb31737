import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { APP_PRIORITY, lowerPriority, PLATFORM_PRIORITY } from "../../src/runtime/process/process-priority.ts";
import { hasProcessTimes, processTree } from "../../src/runtime/process/process-usage.ts";
import { poolFixture } from "../support/pool-fixture.ts";

/** Priorities of the processes of apps. */

const testOnLinux = hasProcessTimes ? test : test.skip;

const niceOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
};

testOnLinux("the process of an app has a lower priority than the platform's", async () => {
  const { app, launched, pool } = await poolFixture({});
  try {
    await app(`exports.h = () => {};`).call("a");
    const tree = launched.flatMap((pid) => [...processTree(pid).keys()]);
    expect(tree.length).toBeGreaterThan(1);
    expect(tree.map(niceOf)).toEqual(tree.map(() => APP_PRIORITY));
    expect(APP_PRIORITY).toBeGreaterThan(PLATFORM_PRIORITY);
  } finally {
    await pool.close();
  }
});

/** Only root may raise a priority. */
const testAsRoot = hasProcessTimes && process.geteuid?.() === 0 ? test : test.skip;

testAsRoot("a process that was being forked when the priority was lowered gets it, too", async () => {
  const { app, launched, pool } = await poolFixture({
    onLaunch: (pid) =>
      // A fork that is under way is in no list of children. Its child has the priority from before.
      setImmediate(() => [...processTree(pid).keys()].forEach((each) => setPriority(each, 0))),
  });
  try {
    await app(`exports.h = () => {};`).call("a");
    const tree = launched.flatMap((pid) => [...processTree(pid).keys()]);
    expect(tree.length).toBeGreaterThan(1);
    expect(tree.map(niceOf)).toEqual(tree.map(() => APP_PRIORITY));
  } finally {
    await pool.close();
  }
});

testOnLinux("the priority of a process is lowered with those that it has started already", async () => {
  const program = 'require("child_process").spawn("sleep", ["60"], { stdio: "ignore" }); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ["-e", program], { detached: true, stdio: "ignore" });
  const pid = child.pid ?? 0;
  try {
    await waitUntil(() => processTree(pid).size === 2);
    lowerPriority(pid);
    expect([...processTree(pid).keys()].map(niceOf)).toEqual([APP_PRIORITY, APP_PRIORITY]);
  } finally {
    process.kill(-pid, "SIGKILL");
  }
});
