import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { openCallRecording } from "../../src/runtime/process/call-recording.ts";
import { createCpuShare } from "../../src/runtime/process/cpu-share.ts";
import { createAnswerBudget, createMessageBudget } from "../../src/runtime/process/installation-budget.ts";
import { hasProcessTimes, processorTimeMs, processTree } from "../../src/runtime/process/process-usage.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { poolFixture, type PoolFixture, type PoolFixtureOptions } from "../support/pool-fixture.ts";

const opened: PoolFixture[] = [];
const open = async (options: PoolFixtureOptions = {}): Promise<PoolFixture> => {
  const fixture = await poolFixture(options);
  opened.push(fixture);
  return fixture;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ pool }) => pool.close()));
});

describe("lines of the log", () => {
  test("beyond the limit are counted inside the process: 10,000 lines cost the platform no more than the limit", async () => {
    const { app } = await open({ settings: { maxLogLinesPerSecond: 50 } });
    const written: string[] = [];
    const one = app(`exports.h = () => { for (let n = 0; n < 10_000; n++) console.log("line %d", n); };`, {
      onLine: (line) => written.push(line),
    });
    const recording = openCallRecording();
    expect(await one.call("a", {}, { recording })).toEqual({ ok: true });
    const dropped = written
      .filter((line) => line.endsWith("more lines were dropped"))
      .map((line) => parseInt(line, 10));
    const lines = written.filter((line) => line.startsWith("line "));
    expect(lines.length).toBeGreaterThanOrEqual(50);
    expect(lines.length).toBeLessThanOrEqual(150);
    expect(lines.length + dropped.reduce((sum, each) => sum + each, 0)).toBe(10_000);
    expect(recording.taken().lines.at(-1)?.text).toMatch(/^\d+ more lines or requests are not kept$/);
  });

  test("stay limited when the process is ended and started again", async () => {
    const { app } = await open({ settings: { maxLogLinesPerSecond: 20 } });
    const written: string[] = [];
    const code = `exports.h = () => { for (let n = 0; n < 20; n++) console.log("line"); };`;
    const one = app(code, { onLine: (line) => written.push(line) });
    const secondNow = () => Math.floor(performance.now() / 1_000);
    let second: number;
    let version = 1;
    await one.call("a");
    do {
      // At the beginning of a second of the platform's clock. On a busy computer the processes can outlast it: the lines are then not limited
      // together, so that they are counted again.
      await setTimeout(1_010 - (performance.now() % 1_000));
      second = secondNow();
      written.length = 0;
      await one.call("a");
      for (const end = version + 2; version < end;) {
        version += 1;
        one.update(`${code} // ${version}`);
        await one.call("a");
      }
    } while (secondNow() !== second);
    // Twice the limit: the seconds of a process begin with its first line.
    expect(written.filter((line) => line === "line")).toHaveLength(40);
    await one.call("b");
    expect(written.filter((line) => line === "line")).toHaveLength(60);
  });

  test.each([
    ["log lines", `{ t: "log", level: "info", text: "x" }`],
    ["log lines in another notation", `{ level: "info", text: "x", t: "log" }`],
    ["questions", `{ t: "ask", id: 1e6 + n++, question: { of: "db.get", key: "k" } }`],
    ["answers that nobody awaits", `{ t: "done", id: 1e6 + n++ }`],
  ])(
    "of a hostile process that floods its channel with %s are not read: neighbours are served",
    async (_title, message) => {
      const settings = { maxConcurrentCalls: 4, callTimeoutMs: 1_500 };
      const hostile = await open({ isEscaped: true, settings });
      const flood = hostile
        .app(
          `let n = 0; exports.h = () => {
          for (;;) try { rawFs.writeSync(4, Array.from({ length: 500 }, () => JSON.stringify(${message}) + "\\n").join("")); } catch {}
        };`,
          { answer: () => setTimeout(50, { value: {} }) },
        )
        .call("noisy");
      await setTimeout(300);
      // The time of the platform, which includes this test's neighbour.
      const before = process.cpuUsage();
      const neighbour = await open();
      const quiet = neighbour.app(`exports.h = () => $db.get("k");`);
      for (let n = 0; n < 10; n += 1) {
        expect(await quiet.call("quiet")).toEqual({ ok: true });
        await setTimeout(50);
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(400);
      expect(await flood).toMatchObject({ ok: false });
    },
  );

  test("beyond the limit end the process after ten seconds without a pause", () => {
    let now = 0;
    const budget = createMessageBudget(10, () => now);
    const flood = (ms: number) => {
      for (const end = now + ms; now < end;) {
        while (budget.pauseMs() === 0) budget.countExcess();
        now += budget.pauseMs();
      }
    };
    flood(5_000);
    expect(budget.isFlooding()).toBe(false);
    now += 1_000;
    flood(9_000);
    expect(budget.isFlooding()).toBe(false);
    flood(2_000);
    expect(budget.isFlooding()).toBe(true);
    // A process that starts later is not ended for it.
    now += 500;
    expect(budget.isFlooding()).toBe(false);
  });
});

describe("large answers", () => {
  test("are admitted in order within the bytes of the installation", async () => {
    const budget = createAnswerBudget(10);
    const admitted: number[] = [];
    const shares = [6, 6, 3, 12, 1].map((bytes, index) => {
      const share = budget.openShare();
      void share.take(bytes).then(() => admitted.push(index));
      return share;
    });
    await setTimeout(1);
    expect([admitted, budget.inFlight()]).toEqual([[0], 6]);
    shares[0]?.release();
    await setTimeout(1);
    expect([admitted, budget.inFlight()]).toEqual([[0, 1, 2], 9]);
    // One that waits and is given up does not hold back the others.
    shares[3]?.release();
    await setTimeout(1);
    expect([admitted, budget.inFlight()]).toEqual([[0, 1, 2, 3, 4], 10]);
    for (const share of shares) share.release();
    expect(budget.inFlight()).toBe(0);
  });

  test("larger than the whole budget are admitted alone", async () => {
    const budget = createAnswerBudget(10);
    const [large, small] = [budget.openShare(), budget.openShare()];
    await large.take(50);
    let isAdmitted = false;
    void small.take(1).then(() => (isAdmitted = true));
    await setTimeout(1);
    expect(isAdmitted).toBe(false);
    large.release();
    await setTimeout(1);
    expect(isAdmitted).toBe(true);
  });

  test("that are given back early count for the rest of the least time", async () => {
    const budget = createAnswerBudget(10, 200);
    const [first, second] = [budget.openShare(), budget.openShare()];
    await first.take(10);
    const begun = performance.now();
    first.release();
    await second.take(10);
    expect(performance.now() - begun).toBeGreaterThan(150);
    expect(budget.inFlight()).toBe(10);
  });

  test("that were read in vain count longer", async () => {
    const budget = createAnswerBudget(10, 0, 200);
    const [refused, whole, next] = [budget.openShare(), budget.openShare(), budget.openShare()];
    await Promise.all([refused.take(5), whole.take(5)]);
    const begun = performance.now();
    refused.release(true);
    whole.release();
    expect(budget.inFlight()).toBe(5);
    await next.take(10);
    expect(performance.now() - begun).toBeGreaterThan(150);
  });

  test("of 64 concurrent requests reach the app whole, within the budget", async () => {
    const budgetBytes = 4_000_000;
    const { app } = await open({ settings: { maxAnswerBytes: budgetBytes, callTimeoutMs: 60_000 } });
    // Pieces are cut anywhere: within escapes and within surrogate pairs.
    const text = `${"a".repeat(262_143)}😀${'"\n\\'.repeat(100_000)}${"é😀".repeat(200_000)}`;
    let [held, most] = [0, 0];
    /** Resolves when the budget is in use for the first time, however slowly the questions arrive. */
    let fill = () => {};
    const full = new Promise<void>((resolve) => (fill = resolve));
    const one = app(
      `exports.h = async () => {
        let sum = 0;
        await Promise.all(Array.from({ length: 64 }, async () => {
          const { response, status } = await $request.invokeTemplate("x", {});
          if (status === 200 && require("crypto").createHash("md5").update(response).digest("hex") === ${JSON.stringify(
            "",
          )} + md5) sum += 1;
        }));
        renderData(null, sum);
      };
      const md5 = "${(await import("node:crypto")).createHash("md5").update(text).digest("hex")}";`,
      {
        async answer(_question, _recording, share) {
          await share?.take(1_000_000);
          held += 1;
          most = Math.max(most, held);
          if (held === 4) fill();
          await full;
          await setTimeout(5);
          held -= 1;
          return { value: { status: 200, headers: {}, response: text, attempts: 1 } };
        },
      },
    );
    expect(await one.rendered("a")).toBe(64);
    expect(most).toBe(4);
  });
});

describe("processor time", () => {
  const SECONDS = (count: number) => Array.from({ length: count }, (_, index) => index);

  test("beyond the share of four seconds slows an installation down, until it has been within its share for ten seconds", () => {
    const share = createCpuShare(50);
    let now = 0;
    const log: (string | undefined)[] = [];
    const use = (seconds: number, usedMs: number) => {
      for (const _ of SECONDS(seconds)) log.push(share.add(usedMs, (now += 1_000)));
    };
    share.add(0, 0);
    use(3, 1_000);
    expect(share.isSlowed()).toBe(false);
    use(3, 1_000);
    expect(share.isSlowed()).toBe(true);
    // As fast as it may: it would use more.
    use(60, 250);
    expect(share.isSlowed()).toBe(true);
    use(9, 50);
    expect(share.isSlowed()).toBe(true);
    use(2, 50);
    expect(share.isSlowed()).toBe(false);
    expect(log.filter(Boolean)).toEqual(["slowed", "restored"]);
  });

  test("is in the log at most once a minute", () => {
    const share = createCpuShare(50);
    const lines: string[] = [];
    share.add(0, 0);
    for (let second = 1; second <= 110; second += 1) {
      // Alternates between too much and nothing.
      const line = share.add(Math.floor(second / 20) % 2 === 0 ? 1_000 : 0, second * 1_000);
      if (line) lines.push(line);
    }
    expect(lines.length).toBeLessThanOrEqual(2);
  });

  test("within the share is not limited", () => {
    const share = createCpuShare(50);
    for (const second of SECONDS(100)) expect(share.add(480, second * 1_000)).toBeUndefined();
    expect(share.isSlowed()).toBe(false);
  });

  (hasProcessTimes ? test : test.skip)(
    "of a handler in an endless loop is cut to its share, and its time limit still ends it",
    async () => {
      const { app, launched, lines } = await open({ settings: { cpuPercent: 2, callTimeoutMs: 6_000 } });
      const call = app(`exports.h = () => { for (;;); };`).call("noisy");
      const begun = performance.now();
      const usedMs = () =>
        launched.flatMap((pid) => [...processTree(pid).keys()]).reduce((sum, pid) => sum + processorTimeMs(pid), 0);
      // The start of the process and the first samples take longer on a busy machine.
      await waitUntil(() => lines.length > 0);
      const atStart = usedMs();
      await setTimeout(2_500);
      // A loop at full speed would use 2,500 ms.
      expect(usedMs() - atStart).toBeLessThan(400);
      expect(await call).toMatchObject({ ok: false, error: expect.stringContaining("h took more than 6 s") });
      expect(performance.now() - begun).toBeLessThan(15_000);
      expect(lines[0]).toContain("The app of installation noisy is slowed down");
    },
    60_000,
  );
});
