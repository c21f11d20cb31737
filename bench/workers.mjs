/** Section `processes`: one process, two processes, and one with Concierge subscribed to all events; each on its own database, alternating. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beginConversations, CONNECTIONS, jobsOf } from "./messages.mjs";
import { median } from "./median.mjs";
import { withOwnServer } from "./own-server.mjs";
import { startLoad } from "./processes.mjs";

const BIN = fileURLToPath(new URL("../packages/parley/bin/parley.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SERVE = ["serve", "--demo", "--port", "0"];
/**
 * The sides of one group alternate; the first side of all is the baseline. Concierge still processes events long after a round and would disturb the
 * other sides, so it is measured last, in its own group.
 */
const GROUPS = [
  [
    { label: "one process", args: [...SERVE, "--workers", "1"] },
    { label: "two processes", args: [...SERVE, "--workers", "2"] },
  ],
  [{ label: "one process, Concierge subscribed", args: ["start"] }],
];
/** Names of the measured jobs. */
const JOBS = ["POST message", "GET messages"];

const begin = async (args, url, dataFolder) => {
  const ports = { PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0", PARLEY_CALLS_PER_HOUR: "1000000000" };
  const env = { ...process.env, DATABASE_URL: url, PARLEY_DATA: dataFolder, ...ports };
  const stdio = ["ignore", "pipe", "ignore"];
  const child = spawn(process.execPath, [BIN, ...args, "--json"], { env, stdio, cwd: ROOT });
  const ended = once(child, "close");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { service, token } = JSON.parse(line);
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { port: Number(new URL(service).port), token, stop };
};

/** @shape `[{ name, ours, limit: null, ratio, p50, p99 }]`; ratio: relative to one process @units requests a second; milliseconds */
export const measureProcesses = ({ rounds, seconds, progress }) =>
  withOwnServer(progress, async (server, dataFolder) => {
    const load = startLoad();
    const stops = [() => load.stop()];
    try {
      const sides = [];
      const add = async ({ label, args }) => {
        const index = sides.length;
        const url = await server.createDatabase(`bench_${index}`);
        const served = await begin(args, url, join(dataFolder, `data-${index}`));
        stops.push(served.stop);
        const jobs = jobsOf({ ...served, conversations: await beginConversations(served) });
        sides.push({ label, jobs, results: new Map(JOBS.map((name) => [name, []])) });
        return sides.at(-1);
      };
      const measure = async (name, round, { label, jobs, results }) => {
        const job = jobs.find((each) => each.name === name);
        const result = await load.run({ ...job, connections: CONNECTIONS, warmup: 1, seconds });
        if (result.failed > 0) throw new Error(`${result.failed} answers to ${name} were no 2xx`);
        // The first round is a warm-up.
        if (round > 0) results.get(name).push(result);
        progress(`${name}, round ${round}, ${label}: ${Math.round(result.rate)}/s`);
      };
      for (const group of GROUPS) {
        const own = [];
        for (const each of group) own.push(await add(each));
        for (const name of JOBS)
          for (let round = 0; round <= rounds; round++)
            for (const side of round % 2 ? own.toReversed() : own) await measure(name, round, side);
      }
      const [one] = sides;
      return JOBS.flatMap((name) =>
        sides.map(({ label, results }) => {
          const own = results.get(name);
          const ratios = own.map(({ rate }, round) => rate / one.results.get(name)[round].rate);
          return {
            name: `${name}, ${label}`,
            ours: Math.round(median(own.map(({ rate }) => rate))),
            limit: null,
            ratio: Number(median(ratios).toFixed(2)),
            p50: Number(median(own.map(({ p50 }) => p50)).toFixed(1)),
            p99: Number(median(own.map(({ p99 }) => p99)).toFixed(1)),
          };
        }),
      );
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });
