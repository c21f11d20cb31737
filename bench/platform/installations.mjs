/** Many installations: latency of the busy installations, memory and processes, and the first event of an idle installation. */
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { median } from "../median.mjs";
import { writeApp } from "./apps.mjs";
import { startInstance } from "./instance.mjs";
import { createEventMeter, quantilesOf } from "./pace.mjs";
import { appProcessesOf, residentOf } from "./proc.mjs";

const APPS = 10;
const BUSY = 50;
const PACE = { perSecond: 10, seconds: 20 };
/** A single wake-up finds the reserve of processes filled. @units milliseconds */
const SLEEPING_PAUSE_MS = 1_000;
/** Longer than the pause of a busy installation, which is 5 s. */
const IDLE_SECONDS = 10;
/** Processes without an app that a platform process keeps ready. */
const RESERVE = 2;
const INSTALLING = 4;

/** Runs the work for all, some at a time. */
const forAll = async (all, atOnce, work) => {
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

const startSide = async ({ server, folder, ended, progress }, name, accounts, apps) => {
  const meter = createEventMeter();
  const instance = await startInstance({
    command: ["serve"],
    dataFolder: `${folder}/${name}`,
    url: await server.createDatabase(`installations_${name}`),
    ended,
    environment: { PARLEY_APP_IDLE_SECONDS: String(IDLE_SECONDS) },
    onFront: meter.onFront,
  });
  const names = Array.from({ length: apps }, (_, index) => `app-${index}`);
  for (const [index, app] of names.entries()) {
    await instance.publish(await writeApp(`${folder}/${name}-apps`, app, index === 0 ? "renaming" : "idle"));
    progress(`installations, ${name}: published ${app}`);
  }
  const created = [];
  await forAll(
    Array.from({ length: accounts }, (_, index) => index),
    INSTALLING,
    async (index) => {
      created[index] = await instance.createAccount(`account-${index}`);
    },
  );
  // Begun before the apps are installed, so that only the measured messages are events.
  const perAccount = accounts === 1 ? BUSY : 1;
  const conversations = [];
  for (const account of created)
    for (let index = 0; index < perAccount; index++) conversations.push(await instance.beginConversation(account));
  const times = [];
  await forAll(
    created.flatMap((account) => names.map((app) => ({ account, app }))),
    INSTALLING,
    async ({ account, app }) => {
      const begun = performance.now();
      await instance.install(account.name, app);
      times.push(performance.now() - begun);
      if (times.length % 100 === 0)
        progress(
          `installations, ${name}: ${times.length} installed; platform ${Math.round(residentOf(instance.appWorkers[0]))} MB, ` +
            `${appProcessesOf(instance.appWorkers[0]).length} processes`,
        );
    },
  );
  return { name, instance, meter, conversations, installing: quantilesOf(times), rounds: [] };
};

/** Waits until no installation has a process. -> the number of those that remained after three idle times */
const untilAsleep = async ({ instance }) => {
  const [platform] = instance.appWorkers;
  for (const end = performance.now() + IDLE_SECONDS * 3_000; performance.now() < end; await wait(500))
    if (appProcessesOf(platform).length <= RESERVE) break;
  return Math.max(0, appProcessesOf(platform).length - RESERVE);
};

const rounded = (value, digits = 1) => Number(value.toFixed(digits));
const row = (name, ours, more = {}) => ({
  name,
  ours: rounded(ours),
  limit: null,
  ratio: null,
  p50: null,
  p99: null,
  ...more,
});
const times = ({ p50, p99 }) => ({ p50: rounded(p50), p99: rounded(p99) });

/** @shape `[{ name, ours, limit, ratio, p50, p99 }]`; limit: the same with one installation; ratio: of the p99 @units milliseconds, megabytes */
export const measureInstallations = async (options) => {
  const { rounds, progress } = options;
  const wanted = Math.max(1, Math.round(options.installations / APPS));
  const one = await startSide(options, "one", 1, 1);
  const many = await startSide(options, "many", wanted, APPS);
  const [platform] = many.instance.appWorkers;
  const installed = wanted * APPS;

  const remaining = await untilAsleep(many);
  const idleMemory = residentOf(platform);
  progress(`installations: ${remaining} processes of idle installations, platform ${Math.round(idleMemory)} MB`);

  const firstEvents = async (conversations, pauseMs) => {
    const latencies = [];
    for (const conversation of conversations) {
      latencies.push(await many.meter.once(many.instance, conversation));
      await wait(pauseMs);
    }
    const result = quantilesOf(latencies);
    progress(
      `installations: first events ${pauseMs} ms apart, p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms`,
    );
    return result;
  };
  const half = Math.floor(many.conversations.length / 2);
  const single = await firstEvents(many.conversations.slice(0, half), SLEEPING_PAUSE_MS);
  const successive = await firstEvents(many.conversations.slice(half), 0);
  await untilAsleep(many);

  const pace = { ...PACE, seconds: Math.max(PACE.seconds, options.seconds) };
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++)
    for (const side of round % 2 ? [many, one] : [one, many]) {
      const busy = side.conversations.slice(0, BUSY);
      // One event each: their processes sleep while the other side is measured.
      await side.meter.run(side.instance, busy, { ...PACE, seconds: busy.length / PACE.perSecond });
      const latencies = await side.meter.run(side.instance, busy, pace);
      const result = quantilesOf(latencies);
      progress(
        `installations, round ${round}, ${side.name}: p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`,
      );
      if (round > 0)
        side.rounds.push({
          ...result,
          latencies,
          platform: residentOf(side.instance.appWorkers[0]),
          processes: appProcessesOf(side.instance.appWorkers[0]),
        });
    }
  // Those of the reserve have no app and are smaller.
  const { processes } = many.rounds.at(-1);
  const ratios = many.rounds.map(({ p99 }, round) => p99 / one.rounds[round].p99);
  const all = (side) => quantilesOf(side.rounds.flatMap(({ latencies }) => latencies));
  const middle = (key) => median(processes.map((each) => each[key]));

  return [
    row(
      `event to the handler's call, ${Math.min(BUSY, wanted)} busy of ${installed} installations (limit: one; ratio of p99)`,
      all(many).p99,
      {
        limit: rounded(all(one).p99),
        ratio: rounded(median(ratios), 2),
        ...times(all(many)),
      },
    ),
    row("event to the handler's call, one installation", all(one).p99, times(all(one))),
    row("first event of a sleeping installation (ms)", single.p50, times(single)),
    row("the same, installations one after the other without a pause (ms)", successive.p50, times(successive)),
    row("installing an app (ms)", many.installing.p50, times(many.installing)),
    row(`processes of idle installations after ${IDLE_SECONDS} s`, remaining),
    row(`memory of the platform process, ${installed} idle installations (MB, resident)`, idleMemory),
    row(
      "memory of the platform process, busy (MB, resident)",
      Math.max(...many.rounds.map(({ platform: megabytes }) => megabytes)),
    ),
    row("processes of busy installations, with the reserve", processes.length),
    row("memory of a process of an app (MB, proportional)", middle("pss")),
    row("memory of a process of an app (MB, resident)", middle("rss")),
  ];
};
