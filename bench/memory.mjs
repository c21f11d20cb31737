/** Section `memory`: an idle instance with PostgreSQL, and the service during and after many unlike requests. Needs Linux. */
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { memoryOf, startServer } from "./processes.mjs";
import { startInstance } from "./platform/instance.mjs";

/** Time after which a start has ended its work and idle processes have collected their garbage. @units milliseconds */
const IDLE_MS = 90_000;
/** Requests between two readings of the memory. */
const STEP = 10_000;

/** A process and all that it has started, by their ids. */
const treeOf = async (pid) => {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8").catch(() => "")),
  );
  const children = lists.flatMap((list) => list.split(" ").filter(Boolean));
  return [pid, ...(await Promise.all(children.map(treeOf))).flat()];
};

/** Proportional memory: pages that several processes share count once. -> `{ postgres, others }` @units megabytes */
const proportionalMemory = async (pid) => {
  const sums = { postgres: 0, others: 0 };
  for (const each of await treeOf(pid)) {
    const [rollup, command] = await Promise.all(
      ["smaps_rollup", "cmdline"].map((name) => readFile(`/proc/${each}/${name}`, "utf8").catch(() => "")),
    );
    sums[command.includes("postgres") ? "postgres" : "others"] +=
      Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1_024;
  }
  return { postgres: Math.round(sums.postgres), others: Math.round(sums.others) };
};

/** Runs a measurement with an instance in a new data folder and its own embedded PostgreSQL. */
const withInstance = async (command, measure) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-memory-"));
  const stops = [];
  try {
    return await measure(await startInstance({ command, dataFolder, ended: (stop) => stops.push(stop) }), stops);
  } finally {
    for (const stop of stops.reverse()) await stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
};

const measureIdle = (command) =>
  withInstance(command, async ({ pid }) => {
    await wait(IDLE_MS);
    const { postgres, others } = await proportionalMemory(pid);
    return { name: `parley ${command.join(" ")}, idle`, MB: postgres + others, "of it PostgreSQL": postgres };
  });

const measureUnlike = (count, progress) =>
  withInstance(["serve", "--demo"], async ({ pid, port, token }, stops) => {
    const client = await startServer("unlike-requests.mjs");
    stops.push(client.stop);
    const before = await memoryOf(pid);
    let most = 0;
    let last = 0;
    for (let sent = 0; sent < count; sent += STEP) {
      const job = { origin: `http://127.0.0.1:${port}`, token, count: Math.min(STEP, count - sent), seed: sent };
      const { statuses } = await client.ask(job);
      last = await memoryOf(pid);
      most = Math.max(most, last);
      progress(`${sent + job.count} unlike requests: ${last} MB; ${JSON.stringify(statuses)}`);
    }
    await wait(IDLE_MS);
    const name = `the service after ${count} unlike requests and ${IDLE_MS / 1_000} s without any`;
    return { name, MB: await memoryOf(pid), "MB before": before, "MB at most": most };
  });

/** @shape `[{ name, MB, … }]`: proportional memory of all processes of an instance; resident memory of the service @units megabytes */
export const measureMemory = async ({ unlike, progress }) => [
  await measureIdle(["start"]),
  await measureIdle(["serve", "--workers", "2", "--app-workers", "2"]),
  await measureUnlike(unlike, progress),
];
