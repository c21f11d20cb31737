/** Section `messenger`: the messenger of an instance that `parley start` runs, in a real browser, and the service with many open panels. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnServer } from "../../packages/database/dist/testing.js";
import { startConsoleInstance } from "../console/account.mjs";
import { launch } from "../console/browser.mjs";
import { median } from "../median.mjs";
import { withOwnServer } from "../own-server.mjs";
import { withCleanups } from "../platform/cleanups.mjs";
import { measurePage } from "./page.mjs";
import { measurePanels } from "./panels.mjs";
import { measureSilentVisits } from "./silent.mjs";
import { sizesOf } from "./sizes.mjs";
import { measureMessages, measureOpening } from "./visits.mjs";

/** Targets. @units of the rows */
const TARGETS = {
  ...{ scriptKb: 8, panelKb: 45, openMs: 300, warmOpenMs: 100, latencyMs: 150, memoryMb: 400 },
  ...{ scoreDifference: 1, layoutShift: 0, writtenRows: 0, cpuRatio: 1.05 },
};
/** Openings a round; the first of all starts the browser's processes and is not counted. */
const OPENINGS = 3;

const quantile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
const rowOf = (name, ours, limit) => ({
  name,
  ours: Number(ours.toFixed(1)),
  limit,
  // A limit of 0 has no ratio.
  ...(limit > 0 && { ratio: Number((ours / limit).toFixed(2)) }),
});

const measureSizes = async ({ origin }) => {
  const { script, panel } = await sizesOf(origin);
  return [
    rowOf("script of the site's page, kB, compressed", script / 1_000, TARGETS.scriptKb),
    rowOf("panel: page, scripts and styles, kB, compressed", panel / 1_000, TARGETS.panelKb),
  ];
};

const measureOpenings = async ({ shop, browser, rounds, progress }) => {
  await measureOpening(browser, { shop, preparation: "cold" });
  const times = { cold: [], cached: [], approached: [] };
  for (let index = 0; index < rounds * OPENINGS; index++)
    for (const [preparation, measured] of Object.entries(times))
      measured.push(await measureOpening(browser, { shop, preparation }));
  for (const [preparation, measured] of Object.entries(times))
    progress(`messenger: ${preparation}, opened in ${measured.map((time) => Math.round(time)).join(", ")} ms`);
  const { cold, cached, approached } = times;
  return [
    rowOf("panel usable after the click, without cache, ms (median)", median(cold), TARGETS.openMs),
    rowOf("panel usable after the click, without cache, ms (p95)", quantile(cold, 0.95), TARGETS.openMs),
    rowOf("the same, files in the cache, ms (median)", median(cached), TARGETS.warmOpenMs),
    rowOf("the same, files in the cache, ms (p95)", quantile(cached, 0.95), TARGETS.openMs),
    rowOf("the same, pointer on the button before, ms (median)", median(approached), TARGETS.warmOpenMs),
    rowOf("the same, pointer on the button before, ms (p95)", quantile(approached, 0.95), TARGETS.openMs),
  ];
};

const measureLatency = async ({ rounds, progress, browser, ...instance }) => {
  const all = { there: [], back: [] };
  for (let round = 0; round < rounds; round++) {
    const { there, back } = await measureMessages(browser, { ...instance, round });
    all.there.push(...there);
    all.back.push(...back);
    progress(
      `messenger: round ${round + 1}, p50 ${Math.round(median(there))} ms there, ${Math.round(median(back))} ms back`,
    );
  }
  return [
    rowOf("visitor's message to the agent's screen, ms (p95)", quantile(all.there, 0.95), TARGETS.latencyMs),
    rowOf("visitor's message to the agent's screen, ms (p50)", median(all.there), TARGETS.latencyMs),
    rowOf("agent's message to the visitor's panel, ms (p95)", quantile(all.back, 0.95), TARGETS.latencyMs),
    rowOf("agent's message to the visitor's panel, ms (p50)", median(all.back), TARGETS.latencyMs),
  ];
};

const measureScore = async (options) => {
  const { score, difference, shift } = await measurePage(options);
  return [
    { name: "Lighthouse's score of a page with the messenger; limit: without", ours: score.with, limit: score.without },
    rowOf("difference of the scores, points", difference, TARGETS.scoreDifference),
    rowOf("largest layout shift with the messenger", shift, TARGETS.layoutShift),
  ];
};

const measureVisitors = async (options) => {
  const { visitors, rate, visits, idle, inBrowser, memory } = await measureSilentVisits(options);
  const asLong = "limit: of an idle service as long";
  return [
    rowOf(`rows written by ${visitors} visitors who never open the panel`, visits.rows, TARGETS.writtenRows),
    rowOf("rows written by a browser that has loaded the panel", inBrowser.rows, TARGETS.writtenRows),
    { name: `write-ahead log during the visits, bytes; ${asLong}`, ours: visits.wal, limit: idle.wal },
    { name: `transactions during the visits; ${asLong}`, ours: visits.transactions, limit: idle.transactions },
    { name: "requests of the visitors, a second", ours: Math.round(rate) },
    { name: "memory of the service after the visits, MB; limit: before", ours: memory.after, limit: memory.before },
  ];
};

const measureOpenPanels = async (options) => {
  const [row] = await measurePanels(options);
  const { name, ours, without, baseline, idle, memory, cpuMs, cpuMsWithout, ...times } = row;
  return [
    rowOf(
      "processor time of the service for a POST beside the panels, to that without",
      cpuMs / cpuMsWithout,
      TARGETS.cpuRatio,
    ),
    { name: `${name}, a second`, ours, limit: without, ratio: times.ratio, p50: times.p50, p99: times.p99 },
    rowOf("memory of the service after the posts without panels, MB", baseline, TARGETS.memoryMb),
    rowOf("memory of the service when these panels have opened, MB", idle, TARGETS.memoryMb),
    rowOf("memory of the service after the posts beside them, MB", memory, TARGETS.memoryMb),
  ];
};

/** Parts in a browser, on one instance. */
const IN_BROWSER = { sizes: measureSizes, page: measureScore, open: measureOpenings, live: measureLatency };

/** @shape `[{ name, ours, limit, ratio }]`; limit: the target, or the rate without panels */
export const measureMessenger = async ({ only, ...options }) => {
  const parts = Object.entries(IN_BROWSER).filter(([name]) => only === undefined || only === name);
  const rows = await withCleanups(async (ended) => {
    if (parts.length === 0) return [];
    const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
    ended(() => rm(folder, { recursive: true, force: true }));
    const server = await startOwnServer({ dataFolder: join(folder, "server"), log: options.progress });
    ended(() => server.close());
    const instance = await startConsoleInstance({ folder, url: await server.createDatabase("messenger"), ended });
    const browser = await launch();
    ended(() => browser.close());
    const measured = [];
    for (const [, measure] of parts) measured.push(...(await measure({ ...instance, ...options, browser, ended })));
    return measured;
  });
  if (only === undefined || only === "visitors")
    rows.push(
      ...(await withOwnServer(options.progress, (server) =>
        withCleanups((ended) => measureVisitors({ ...options, server, ended })),
      )),
    );
  return only === undefined || only === "panels" ? [...rows, ...(await measureOpenPanels(options))] : rows;
};
