import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const RUN = fileURLToPath(new URL("../../crash/run.mjs", import.meta.url));
const REQUIREMENTS = new URL("../../crash/patroni/requirements.mjs", import.meta.url).href;

const { findRequirements } = (await import(REQUIREMENTS)) as { findRequirements: () => unknown };
const missing = (() => {
  try {
    findRequirements();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
})();
if (missing !== undefined) console.warn(missing);

(missing === undefined ? test : test.skip)(
  "a switchover of a replicated PostgreSQL loses, duplicates, reorders and omits nothing (needs root, PostgreSQL, etcd, HAProxy, nftables, and Patroni in PATRONI_SOURCE)",
  () => {
    const args = [RUN, ..."--cluster --rounds 1 --writes 600 --lanes 16 --seed 1 --only switchover --json".split(" ")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect({ ...(JSON.parse(stdout) as object), status, stderr }).toMatchObject({
      rounds: 1,
      lost: 0,
      doubled: 0,
      outOfOrder: 0,
      undelivered: 0,
      status: 0,
    });
  },
  400_000,
);
