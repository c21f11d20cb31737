/** Runs an import in its own process, as the command does. Sends the duration, CPU time and memory by message. */
import { createReadStream } from "node:fs";
import { performance } from "node:perf_hooks";
import { openDatabase } from "../packages/database/dist/index.js";
import { importFile } from "../packages/service/dist/index.js";

const [url, file] = process.argv.slice(2);
const database = await openDatabase({ dataFolder: "", url });

process.send({});
process.on("message", async (word) => {
  if (word === "end") {
    await database.close();
    process.exit();
  }
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const source = createReadStream(file, { highWaterMark: 262_144 });
  const { done, created, unchanged } = await importFile({ database, source });
  const { user, system } = process.cpuUsage(cpu);
  process.send({
    done,
    created,
    unchanged,
    seconds: (performance.now() - began) / 1_000,
    cpu: (user + system) / 1_000_000,
    megabytes: process.resourceUsage().maxRSS / 1_024,
  });
});
