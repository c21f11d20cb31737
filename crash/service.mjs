/** The complete service in its own process: `node service.mjs <settings as JSON>`. */
import { openDatabase } from "../packages/database/dist/index.js";
import { DISPATCH_RULES, startService } from "../packages/service/dist/index.js";
import { serve } from "./processes.mjs";

const { url, port, objectsFolder, secretsFolder, adminKey, hasUsualRetries } = JSON.parse(process.argv[2]);
/** Delivery timeout; shorter than the default, so that a receiver that does not answer delays a round by seconds only. @units milliseconds */
const TRY_MS = 3_000;
/** Waits before retries; long enough in total that rejections of a few seconds on a busy machine cause no dead letter. @units milliseconds */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 8_000];
/** @units milliseconds */
const BUDGET_MS = 120_000;

const database = await openDatabase({ dataFolder: "", url });
const service = await startService({
  database,
  port,
  objectsFolder,
  secretsFolder,
  adminKey,
  isLocal: true,
  config: { callsPerHour: 1_000_000_000 },
  dispatchRules: {
    ...DISPATCH_RULES,
    attemptTimeoutMs: TRY_MS,
    // With the usual pauses, an unavailable database must not use up the attempts of an event.
    retryWaitsMs: hasUsualRetries ? DISPATCH_RULES.retryWaitsMs : WAITS_MS,
    budgetMs: BUDGET_MS,
    webhook: { ...DISPATCH_RULES.webhook, attemptTimeoutMs: TRY_MS, waitsMs: WAITS_MS },
  },
});

/** Creates the accounts, a token for each, and subscriptions of kind `app`: `[{ account, name, url }]`. */
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
