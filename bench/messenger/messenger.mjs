/** Section `messenger`: the messenger of an instance that `parley start` runs, in a real browser, and the service with many open panels. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnServer } from "../../packages/database/dist/testing.js";
import { startConsoleInstance } from "../console/account.mjs";
import { launch } from "../console/browser.mjs";
import { median } from "../median.mjs";
import { withCleanups } from "../platform/cleanups.mjs";
import { measurePanels } from "./panels.mjs";
import { sizesOf } from "./sizes.mjs";
import { measureMessages, measureOpening } from "./visits.mjs";

/** Targets. @units of the rows */
const TARGETS = { scriptKb: 8, panelKb: 45, openMs: 300, latencyMs: 150, memoryMb: 400 };
/** Openings a round; the first of all starts the browser's processes and is not counted. */
const OPENINGS = 3;

const quantile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
const rowOf = (name, ours, limit) => ({
  name,
  ours: Number(ours.toFixed(1)),
  limit,
  ratio: Number((ours / limit).toFixed(2)),
});

const measureSizes = async ({ origin }) => {
  const { script, panel } = await sizesOf(origin);
  return [
    rowOf("script of the site's page, kB, compressed", script / 1_000, TARGETS.scriptKb),
    rowOf("panel: page, scripts and styles, kB, compressed", panel / 1_000, TARGETS.panelKb),
  ];
};

const measureOpenings = async ({ shop, browser, rounds, progress }) => {
  await measureOpening(browser, { shop });
  const times = [];
  for (let index = 0; index < rounds * OPENINGS; index++) times.push(await measureOpening(browser, { shop }));
  progress(`messenger: opened in ${times.map((time) => Math.round(time)).join(", ")} ms`);
  return [
    rowOf("panel usable after the click, without cache, ms (median)", median(times), TARGETS.openMs),
    rowOf("panel usable after the click, without cache, ms (p95)", quantile(times, 0.95), TARGETS.openMs),
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

const measureOpenPanels = async (options) => {
  const [row] = await measurePanels(options);
  const { name, ours, without, baseline, idle, memory, ...times } = row;
  return [
    { name: `${name}, a second`, ours, limit: without, ratio: times.ratio, p50: times.p50, p99: times.p99 },
    rowOf("memory of the service after the posts without panels, MB", baseline, TARGETS.memoryMb),
    rowOf("memory of the service when these panels have opened, MB", idle, TARGETS.memoryMb),
    rowOf("memory of the service after the posts beside them, MB", memory, TARGETS.memoryMb),
  ];
};

/** Parts in a browser, on one instance. */
const IN_BROWSER = { sizes: measureSizes, open: measureOpenings, live: measureLatency };

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
    for (const [, measure] of parts) measured.push(...(await measure({ ...instance, ...options, browser })));
    return measured;
  });
  return only === undefined || only === "panels" ? [...rows, ...(await measureOpenPanels(options))] : rows;
};
