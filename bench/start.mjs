/** Section `start`: duration from the command to the first response 200, with an empty data folder and with one that has data. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const PARLEY_COMMAND = [process.execPath, fileOf("../scripts/start.mjs"), "--json"];
const LIMIT = [process.execPath, fileOf("bare-start.mjs")];
/** The command that users type. */
const NPM = ["npm", "--silent", "start", "--", "--json"];
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Starts everything, sends one request, stops everything. -> seconds until the response */
const startOnce = async ([file, ...args], dataFolder) => {
  const env = { ...process.env, PARLEY_DATA: dataFolder, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  const begun = performance.now();
  const child = spawn(file, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
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

/** Starts the command twice in a new folder: first empty, then with data. */
const startTwice = async (command) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  try {
    return { empty: await startOnce(command, folder), again: await startOnce(command, folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const shown = ({ empty, again }) => `${empty.toFixed(2)} s empty, ${again.toFixed(2)} s with data`;

/** @shape `[{ name, ours, limit, ratio, p50: null, p99: null }]`; ratio: time of the limit divided by ours @units seconds */
export const measureStart = async ({ rounds, progress }) => {
  const taken = { ours: [], limit: [], npm: [] };
  for (let round = 0; round < rounds; round++)
    for (const [side, command] of Object.entries({ ours: PARLEY_COMMAND, limit: LIMIT, npm: NPM })) {
      taken[side].push(await startTwice(command));
      progress(`start, round ${round + 1}, ${side}: ${shown(taken[side].at(-1))}`);
    }
  const middle = (side, way) => median(taken[side].map((each) => each[way]));
  const row = (name, side, way) => {
    const [ours, limit] = [middle(side, way), middle("limit", way)];
    const ratio = Number((limit / ours).toFixed(2));
    return { name, ours: Number(ours.toFixed(2)), limit: Number(limit.toFixed(2)), ratio, p50: null, p99: null };
  };
  return [
    row("start, empty data folder (s)", "ours", "empty"),
    row("start, with data (s)", "ours", "again"),
    row("npm start, with data (s)", "npm", "again"),
  ];
};
