import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { NO_METRICS } from "@parley/telemetry";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { openConnectionBalancer } from "../src/serve/connection-balancer.ts";
import { startWorkerPool } from "../src/serve/worker-pool.ts";

/** The processes of `parley serve`, with a program in their place that answers each request for metrics, except the second. */

const PROGRAM = `
let answered = 0;
process.on("message", ({ type, id }) => {
  if (type === "stop") process.exit(0);
  if (type !== "metrics") return;
  answered += 1;
  if (answered === 2) process.exit(1);
  process.send({ type: "metrics", id, snapshot: [{ values: "x".repeat(1000) }] });
});
process.send({ type: "ready" });
`;

let folder: string;
let script: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-worker-pool-"));
  script = join(folder, "worker.mjs");
  await writeFile(script, PROGRAM);
});
afterAll(() => rm(folder, { recursive: true }));

const openPool = async () => {
  const balancer = await openConnectionBalancer({ port: 0, host: "127.0.0.1" });
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const pool = await startWorkerPool({
    count: 1,
    balancer,
    script,
    args: [],
    part: "service",
    metrics: NO_METRICS,
    log,
  });
  return {
    pool,
    lines,
    close: async () => {
      await pool.stop();
      balancer.close();
    },
  };
};

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

describe("metrics of a worker", () => {
  test("nothing keeps an earlier reading in memory", async () => {
    const { pool, close } = await openPool();
    const reading = await pool.metrics().then(([snapshot]) => new WeakRef(snapshot ?? []));
    expect(reading.deref()).toHaveLength(1);
    await waitUntil(() => {
      collectGarbage();
      return reading.deref() === undefined;
    });
    await close();
  });

  test("a worker that exits while it is read, or has exited, has no metrics, at once", async () => {
    const { pool, lines, close } = await openPool();
    await pool.metrics();
    expect(await pool.metrics()).toEqual([]);
    await waitUntil(() => lines.some((line) => line.includes("it is started again")));
    await waitUntil(async () => (await pool.metrics()).length === 1);
    await close();
  });
});
