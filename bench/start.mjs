/** The section `start`: from the command to the first answer 200, in an empty data folder and in one with data. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";

const SCRIPT = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Starts everything, asks once, stops everything. -> seconds until the answer. */
const startOnce = async (dataFolder) => {
  const env = { ...process.env, PARLEY_DATA: dataFolder, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  const begun = performance.now();
  const child = spawn(process.execPath, [SCRIPT, "--json"], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      ended.then((code) => reject(new Error(`the start ended with ${code}`)));
    });
    const { service, token } = JSON.parse(line);
    const answer = await fetch(`${service}/accounts/configuration`, { headers: { authorization: `Bearer ${token}` } });
    if (answer.status !== 200) throw new Error(`the first answer is ${answer.status}`);
    await answer.arrayBuffer();
    return (performance.now() - begun) / 1_000;
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
};

/** @shape `[{ name, ours, limit: null, ratio: null, p50: null, p99: null }]` @units seconds */
export const measureStart = async ({ rounds, progress }) => {
  const fresh = [];
  const again = [];
  for (let round = 0; round < rounds; round++) {
    const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
    try {
      fresh.push(await startOnce(folder));
      again.push(await startOnce(folder));
      progress(`start, round ${round + 1}: ${fresh.at(-1).toFixed(2)} s empty, ${again.at(-1).toFixed(2)} s with data`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const row = (name, seconds) => ({
    name,
    ours: Number(median(seconds).toFixed(2)),
    limit: null,
    ratio: null,
    p50: null,
    p99: null,
  });
  return [row("start, empty data folder (s)", fresh), row("start, with data (s)", again)];
};
