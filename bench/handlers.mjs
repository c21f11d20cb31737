/** Section `handlers`: calls of an app's warm handler compared with the functions emulator; cold starts, reloads, validate and pack. */
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { startRunner } from "../packages/framework/dist/index.js";
import { median } from "./median.mjs";
import { ensurePeers } from "./peers.mjs";
import { startLoad, startServer } from "./processes.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIN = join(ROOT, "packages/parley/bin/parley.mjs");
const APP = fileURLToPath(new URL("handler-app", import.meta.url));
const BODY = { text: "Hello, my order has not come yet. Could you tell me where it is?" };
const CONNECTIONS = 64;

/** Keeps `CONNECTIONS` calls in progress. -> `{ rate, p50, p99 }` @units seconds; a second; milliseconds */
const keepCalling = async (call, { warmup, seconds }) => {
  const times = [];
  const from = performance.now() + warmup * 1_000;
  const to = from + seconds * 1_000;
  const worker = async () => {
    for (let now = performance.now(); now < to;) {
      await call();
      const end = performance.now();
      if (end >= from && end < to) times.push(end - now);
      now = end;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)];
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
};

const ratesOf = async ({ rounds, seconds, progress }) => {
  const peer = await startServer("functions-peer.mjs");
  const host = await startServer("functions-ours.mjs", APP);
  const load = startLoad();
  const runner = await startRunner({ folder: APP });
  const overHttp = ({ port, path = "/", headers = {} }, body = BODY) =>
    load.run({
      port,
      requests: [{ method: "POST", path, headers, body: JSON.stringify(body) }],
      connections: CONNECTIONS,
      warmup: 1,
      seconds,
    });
  const sides = {
    process: () => keepCalling(() => runner.call("answer", BODY), { warmup: 1, seconds }),
    http: () => overHttp(host, { question: { of: "request.invoke", name: "answer", args: BODY } }),
    peer: () => overHttp(peer),
  };
  const results = { process: [], http: [], peer: [] };
  try {
    for (let round = 0; round < rounds; round++)
      for (const [side, run] of Object.entries(sides)) {
        const result = await run();
        if (result.failed > 0) throw new Error(`${result.failed} responses of ${side} were not 200`);
        results[side].push(result);
        progress(
          `handlers, round ${round + 1}, ${side}: ${Math.round(result.rate)}/s, p99 ${result.p99.toFixed(1)} ms`,
        );
      }
  } finally {
    load.stop();
    await Promise.all([runner.close(), peer.stop(), host.stop()]);
  }
  const middle = (side, key) => median(results[side].map((each) => each[key]));
  const row = (name, side) => ({
    name,
    ours: Math.round(middle(side, "rate")),
    limit: Math.round(middle("peer", "rate")),
    ratio: Number(median(results[side].map(({ rate }, round) => rate / results.peer[round].rate)).toFixed(2)),
    p50: Number(middle(side, "p50").toFixed(2)),
    p99: Number(middle(side, "p99").toFixed(2)),
  });
  return [
    row("warm handler calls, host to process and back (limit: emulator)", "process"),
    row("function over HTTP (limit: emulator)", "http"),
  ];
};

/** Median duration of `work`. @units milliseconds */
const middleOf = async (times, work) => {
  const taken = [];
  for (let time = 0; time < times; time++) {
    const begun = performance.now();
    await work(time);
    taken.push(performance.now() - begun);
  }
  return Math.round(median(taken));
};

const coldOf = async (rounds) => {
  const times = [];
  for (let round = 0; round < rounds * 3; round++) {
    const runner = await startRunner({ folder: APP, isWarm: false });
    const begun = performance.now();
    await runner.call("answer", BODY);
    times.push(performance.now() - begun);
    await runner.close();
  }
  return Math.round(median(times));
};

/** Duration from saving an edited file to the first response of the new code. */
const reloadOf = async (rounds) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-app-"));
  await cp(APP, folder, { recursive: true });
  const file = join(folder, "server/lib/answer.js");
  const text = await readFile(file, "utf8");
  const runner = await startRunner({ folder, follow: true });
  try {
    return await middleOf(rounds * 3, async (time) => {
      await writeFile(file, text.replace("({ words:", `({ edit: ${time + 1}, words:`));
      for (;;) {
        const { edit } = await runner.call("answer", BODY);
        if (edit === time + 1) return;
      }
    });
  } finally {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const commandOf = (rounds, args) =>
  middleOf(rounds, () => {
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: ROOT, encoding: "utf8" });
    if (status !== 0) throw new Error(`parley ${args.join(" ")} ended with ${status}: ${stderr}`);
  });

/** @shape `[{ name, ours, limit, ratio, p50, p99 }]` @units a second; rows that end in (ms): milliseconds */
export const measureHandlers = async (options) => {
  ensurePeers(options.progress);
  const { rounds } = options;
  const rates = await ratesOf(options);
  const out = await mkdtemp(join(tmpdir(), "parley-bench-pack-"));
  const alone = (name, ours) => ({ name, ours, limit: null, ratio: null, p50: null, p99: null });
  try {
    return [
      ...rates,
      alone("cold process, to its first answer (ms)", await coldOf(rounds)),
      alone("reload after an edit, to the first answer of new code (ms)", await reloadOf(rounds)),
      alone("parley validate, Concierge, whole command (ms)", await commandOf(rounds, ["validate"])),
      alone("parley pack, Concierge, whole command (ms)", await commandOf(rounds, ["pack", "--out", out])),
    ];
  } finally {
    await rm(out, { recursive: true, force: true });
  }
};
