/** Section `platform`: published apps on an instance of the built command: their cost for the API, many installations, and noisy installations. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnServer } from "../../packages/database/dist/testing.js";
import { withCleanups } from "./cleanups.mjs";
import { measureCost } from "./cost.mjs";
import { measureInstallations } from "./installations.mjs";
import { measureNoise } from "./noise.mjs";

const PARTS = { cost: measureCost, installations: measureInstallations, noise: measureNoise };
/** @assumed A round takes up to a minute: more of them make the section longer than ten minutes. */
const ROUNDS_DEFAULT = 3;

const machine = () => `${cpus().length} processors, ${cpus()[0].model}, load average ${loadavg()[0].toFixed(1)}`;

/** @shape `[{ name, ours, limit, ratio, p50, p99 }]` @errors Error for an unknown part */
export const measurePlatform = async ({ only, rounds, isRoundsGiven, ...options }) => {
  const parts = Object.entries(PARTS).filter(([name]) => only === undefined || name === only);
  if (parts.length === 0) throw new Error(`--only takes a part of platform: ${Object.keys(PARTS).join(", ")}.`);
  const rows = [];
  for (const [name, measure] of parts) {
    options.progress(`${name}: ${machine()}`);
    const measured = await withCleanups(async (ended) => {
      const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
      ended(() => rm(folder, { recursive: true, force: true }));
      const dataFolder = join(folder, "server");
      await mkdir(dataFolder);
      const server = await startOwnServer({ dataFolder, log: options.progress });
      ended(() => server.close());
      return measure({ ...options, rounds: isRoundsGiven ? rounds : ROUNDS_DEFAULT, server, folder, ended });
    });
    options.progress(`${name}: done; ${machine()}`);
    rows.push(...measured);
  }
  return rows;
};
