/** The service as it is, in a process of its own: `node service.mjs <database> <port> <folder of objects> <url of events>`. */
import { openDatabase } from "../packages/database/dist/index.js";
import { DISPATCH_RULES, startService } from "../packages/service/dist/index.js";
import { serve } from "./processes.mjs";

const [url, port, objectsFolder] = process.argv.slice(2);
const database = await openDatabase({ dataFolder: "", url });
const service = await startService({
  database,
  port: Number(port),
  objectsFolder,
  config: { callsPerHour: 1_000_000_000 },
  // A receiver that never answers holds up a round for three seconds, not for 25.
  dispatchRules: { ...DISPATCH_RULES, tryMs: 3_000 },
});

/** Makes the accounts, a token for each and the subscriptions: `[{ account, name, url }]`. */
const prepare = async ({ accounts, subscriptions }) => {
  const { admin } = service;
  await admin.ensureDemo();
  const tokens = {};
  for (const account of accounts) tokens[account] = (await admin.issueToken({ account, name: "crash" })).token;
  const secrets = {};
  for (const { account, name, url: to } of subscriptions)
    secrets[name] = (await admin.subscribe({ account, name, kind: "app", url: to })).secret;
  return { tokens, secrets };
};

serve(
  { port: service.port },
  {
    answer: prepare,
    async end() {
      await service.close(0);
      await database.close();
    },
  },
);
