/** The complete service with its admin API, in its own process. Sends its port and a token by message. */
import { openDatabase } from "../../packages/database/dist/index.js";
import { startService } from "../../packages/service/dist/index.js";

const [url, account, adminKey, folder] = process.argv.slice(2);
const database = await openDatabase({ dataFolder: "", url });
const service = await startService({
  database,
  port: 0,
  adminKey,
  objectsFolder: folder,
  secretsFolder: folder,
  isLocal: true,
  config: { callsPerHour: 1_000_000_000 },
});
const { token } = await service.admin.issueToken({ account, name: "bench" });
process.on("message", async () => {
  await service.close();
  await database.close();
  process.exit();
});
process.send({ port: service.port, token });
