/** The process that runs test files sequentially. */
import { readModules, run } from "./file.mjs";

readModules();
process.on("disconnect", () => process.exit());
process.on("message", async (job) => {
  const answer = await run(job).then(
    (result) => ({ result }),
    ({ message, stack }) => ({ error: Object.assign(new Error(message), { stack }) }),
  );
  process.send({ ...answer, memory: process.memoryUsage.rss() });
});
process.send("ready");
