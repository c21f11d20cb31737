import { spawn, type ChildProcess } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "@jest/globals";
import { campaignTest } from "../support/campaign.ts";

const RUN = fileURLToPath(new URL("../../crash/run.mjs", import.meta.url));
const COUNTS = ["lost", "doubled", "outOfOrder", "undelivered"] as const;

const SABOTAGE = "lost,doubled,order,undelivered";

type Outcome = Record<(typeof COUNTS)[number] | "rounds" | "acknowledged" | "seed", number>;

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill("SIGTERM");
});

const crash = async (args: string) => {
  const child = spawn(process.execPath, [RUN, ...args.split(" ")], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return {
    status: await ended,
    out: stdout,
    told: stderr,
    outcome: () => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Outcome,
  };
};

test("a short crash run loses, duplicates, reorders and omits nothing", async () => {
  const { status, told: stderr, outcome } = await crash("--rounds 1 --writes 400 --lanes 16 --seed 1685 --json");
  expect({ ...outcome(), status, told: stderr }).toMatchObject({
    lost: 0,
    doubled: 0,
    outOfOrder: 0,
    undelivered: 0,
    status: 0,
  });
  expect(outcome()).toMatchObject({ rounds: 1, seed: 1685 });
  expect(outcome().acknowledged).toBeGreaterThanOrEqual(400);
}, 240_000);

campaignTest(
  "a crash run with sabotage detects each broken guarantee and fails",
  async () => {
    const run = await crash(`--rounds 1 --writes 400 --lanes 16 --seed 1 --json --sabotage ${SABOTAGE}`);
    const observed = COUNTS.filter((count) => run.outcome()[count] > 0);
    expect({ ...run, seen: observed }).toMatchObject({ seen: COUNTS, status: 1 });
  },
  240_000,
);

campaignTest.each([
  ["--rounds 0", "--rounds must be a whole number from 1"],
  ["--sabotage sleep", "--sabotage takes lost, doubled, order, undelivered, not 'sleep'"],
])("a crash run with %s is rejected", async (args, message) => {
  const { status, told: stderr } = await crash(args);
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});
