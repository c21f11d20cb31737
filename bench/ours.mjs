/** The complete service in its own process: HTTP, tokens, call limits, validation, event log. Sends its port by message. */
import { openDatabase } from "../packages/database/dist/index.js";
import { startService } from "../packages/service/dist/index.js";

const database = await openDatabase({ dataFolder: "", url: process.argv[2] });
const config = { callsPerHour: 1_000_000_000, reports: { perMinute: 1_000, perDay: 1_000, days: 1 } };
const service = await startService({ database, port: 0, objectsFolder: process.argv[4], config });
await service.admin.ensureDemo();
// A subscriber of all events.
if (process.argv[5])
  await service.admin.subscribe({ account: "acme", name: "sink", kind: "app", url: process.argv[5] });
const { token } = await service.admin.issueToken({ account: process.argv[3] ?? "acme", name: "bench" });
process.send({ port: service.port, token });
process.on("message", async () => {
  await service.close();
  await database.close();
  process.exit();
});
