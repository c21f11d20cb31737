import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ParleyConfig } from "../config.ts";

/** Settings of a start of which nothing stays: a data folder and a database of its own, and any free ports unless they are set. */
export async function ephemeralConfig(
  config: ParleyConfig,
): Promise<{ config: ParleyConfig; remove: () => Promise<void> }> {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-run-"));
  return {
    config: {
      ...config,
      dataFolder,
      databaseUrl: undefined,
      servicePort: config.servicePortGiven ? config.servicePort : 0,
      appPort: config.appPortGiven ? config.appPort : 0,
    },
    remove: () => rm(dataFolder, { recursive: true, force: true }),
  };
}
