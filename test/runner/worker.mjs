/** The process that runs test files sequentially. */
import { readModules, run } from "./file.mjs";
import { processorSeconds } from "./processor-time.mjs";
import { countStarts, takeStarts } from "./starts.mjs";

readModules();
countStarts();
process.on("disconnect", () => process.exit());
process.on("message", async (job) => {
  const before = processorSeconds();
  const answer = await run(job).then(
    (result) => ({ result }),
    ({ message, stack }) => ({ error: Object.assign(new Error(message), { stack }) }),
  );
  const cost = { seconds: processorSeconds() - before, starts: takeStarts() };
  process.send({ ...answer, cost, memory: process.memoryUsage.rss() });
});
process.send("ready");
