/**
 * The complete service in its own process. Sends its port and a key of the account acme. A message `minute` moves its clock by a minute, for limits
 * of a minute. Arguments: address of the database, folder of objects.
 */
import { openDatabase } from "../../packages/database/dist/index.js";
import { PANEL_FOLDER, WIDGET_FILE } from "../../packages/messenger/dist/index.js";
import { useServerOptions } from "../../packages/parley/dist/index.js";
import { realPorts, startService } from "../../packages/service/dist/index.js";

// As `parley serve` does: its processes keep less garbage than Node's default.
useServerOptions();
const [url, objectsFolder] = process.argv.slice(2);
const database = await openDatabase({ dataFolder: "", url });
let minutes = 0;
const ports = { ...realPorts, now: () => new Date(Date.now() + minutes * 60_000) };
// Visitors come from many addresses, by a proxy.
const config = { callsPerHour: 1_000_000_000, trustedProxies: ["127.0.0.1"] };
const adminKey = "bench-admin-key-".padEnd(48, "0");
const messengerFiles = { panelFolder: PANEL_FOLDER, scriptFile: WIDGET_FILE };
const service = await startService({ database, port: 0, objectsFolder, config, adminKey, ports, messengerFiles });
await service.admin.ensureDemo();
process.send({
  port: service.port,
  adminKey,
  token: (await service.admin.issueToken({ account: "acme", name: "bench" })).token,
});
process.on("message", async (message) => {
  if (message === "minute") {
    minutes += 1;
    return process.send({});
  }
  await service.close();
  await database.close();
  return process.exit();
});
