import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { joinDatabase, statement, type Database, type Pool } from "@parley/database";
import { APP_SCHEMA } from "@parley/framework";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { familyOf, processesNow } from "../../framework/test/support/process-tree.ts";
import { greeter } from "./greeter-app.ts";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** `parley serve` with three processes of the platform. */

let serve: ServeHarness;
let conversation: string;
let database: Database;
let pool: Pool;
beforeAll(async () => {
  serve = await startServe(["--app-workers", "3"]);
  database = await joinDatabase({ dataFolder: serve.dataFolder, url: undefined, log: () => undefined });
  pool = database.pool(APP_SCHEMA);
  await serve.publish(greeter("1.0.0"));
  await Promise.all(["acme", "solo"].map((account) => serve.install(account)));
  conversation = await serve.write("acme", "one");
  await serve.untilReplies("acme", conversation, 1);
});
afterAll(async () => {
  await pool.end();
  await database.close();
  const left = await serve.stop();
  expect(left).toEqual([]);
});

const HOLDER = statement(
  "",
  `select pid from installation_leases
     join platform_processes on platform_processes.id = process_id
     join installations on installations.id = installation_id
    where account = $1 and expires_time > clock_timestamp()`,
);
/** The process that runs the installation of an account. */
const holderOf = async (account: string): Promise<number> => {
  const holder = await pool.one<{ pid: number }>(HOLDER, [account]);
  // Process 0 would be the whole group of this process.
  if (!holder) throw new Error("no process holds the installation");
  return holder.pid;
};

test("the events of one installation are handled by one process, in order, whichever process receives them", async () => {
  const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
  for (const text of texts) await serve.say("acme", conversation, text);
  const replies = await serve.untilReplies("acme", conversation, 13);
  expect(replies.slice(1)).toEqual(texts.map((text) => `Hello 1.0.0: ${text}`));
  expect(serve.announced.appWorkers).toContain(await holderOf("acme"));
});

test("after kill -9 of the process that runs an installation, another process takes over: an interrupted event is delivered again, a completed event is not", async () => {
  const customers = await serve.write("solo", "slow");
  await waitUntil(() => serve.output.stderr.includes("slow begins"));
  const holder = await holderOf("solo");
  const before = await familyOf(holder);
  process.kill(holder, "SIGKILL");
  expect(await serve.untilReplies("solo", customers, 1)).toEqual(["Hello 1.0.0: slow"]);
  await serve.say("solo", customers, "runs");
  expect(await serve.untilReplies("solo", customers, 2)).toEqual(["Hello 1.0.0: slow", "runs 2"]);
  const after = await processesNow();
  expect(after.filter(({ pid, isZombie }) => before.includes(pid) && !isZombie)).toEqual([]);
  const replies = await serve.replies("acme", conversation);
  expect(new Set(replies).size).toBe(replies.length);
  await serve.say("acme", conversation, "after");
  expect((await serve.untilReplies("acme", conversation, replies.length + 1)).at(-1)).toBe("Hello 1.0.0: after");
});

const HANDLED = statement(
  "",
  `select id from invocations where account = $1 and kind = 'product' and ok and strpos(body, $2) > 0 limit 1`,
);

test("a schedule fires once, also when the process that created it is killed", async () => {
  const customers = await serve.write("acme", "schedule 2500 late");
  await serve.untilReplies("acme", customers, 1);
  // An event whose handler had replied but not returned would be delivered again, with a second reply.
  await serve.until(() => pool.one(HANDLED, ["acme", "schedule 2500 late"]));
  process.kill(await holderOf("acme"), "SIGKILL");
  const replies = await serve.untilReplies("acme", customers, 2);
  expect(replies.at(-1)).toBe("scheduled late");
  // A later schedule has fired.
  const others = await serve.write("acme", "schedule 1 later");
  await serve.untilReplies("acme", others, 2);
  expect(await serve.replies("acme", customers)).toEqual(replies);
});
