/** The app host with the app of the run: `node host.mjs <settings as JSON>`. */
import { fileURLToPath } from "node:url";
import { openDatabase } from "../packages/database/dist/index.js";
import { startAppHost } from "../packages/framework/dist/index.js";
import { serve } from "./processes.mjs";

const { url, port, dataFolder, account, service, secret, receiverOrigin } = JSON.parse(process.argv[2]);
const database = await openDatabase({ dataFolder: "", url });
const host = await startAppHost({
  origin: "folder",
  folder: fileURLToPath(new URL("app", import.meta.url)),
  database,
  dataFolder,
  port,
  hosts: new Map([[`${account}.parley.localhost`, { origin: service }]]),
  domainSuffix: ".parley.localhost",
  maps: new Map([["heard.example.com", receiverOrigin]]),
  eventSecret: () => secret,
  settings: { requestsPerMinute: 1_000_000_000 },
  log: (line) => console.error(line),
});
if (!(await host.installation())) {
  const { ok, errors, message } = await host.installOnOwn({});
  if (!ok) throw new Error(`the app could not be installed: ${message ?? JSON.stringify(errors)}`);
}

serve(
  { port: host.port },
  {
    async end() {
      await host.close();
      await database.close();
    },
  },
);
