/** Measurements on a PostgreSQL server of their own, in a folder that is deleted afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnServer } from "../packages/database/dist/testing.js";

/** Passes a new server and its data folder to `measure`, and ends the server after it. -> the result of `measure` */
export const withOwnServer = async (progress, measure) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  try {
    const server = await startOwnServer({ dataFolder, log: progress });
    try {
      return await measure(server, dataFolder);
    } finally {
      await server.close();
    }
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
};
