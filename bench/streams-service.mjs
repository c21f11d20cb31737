/**
 * The complete service in its own process, with tokens for streams of one account and of many. Sends by message its port, the tokens, and the
 * names of the accounts. Arguments: address of the database, folder of objects, tokens of the account acme, number of other accounts.
 */
import { openDatabase } from "../packages/database/dist/index.js";
import { startService } from "../packages/service/dist/index.js";

const [url, objectsFolder, ownTokens, otherAccounts] = process.argv.slice(2);
const database = await openDatabase({ dataFolder: "", url });
const adminKey = "bench-admin-key-".padEnd(48, "0");
const config = { callsPerHour: 1_000_000_000, reports: { perMinute: 1_000, perDay: 1_000, days: 1 } };
const service = await startService({ database, port: 0, objectsFolder, config, adminKey });
await service.admin.ensureDemo();
const issue = async (account) => (await service.admin.issueToken({ account, name: "bench" })).token;

const createAccount = async (name) => {
  const answer = await fetch(`http://127.0.0.1:${service.port}/admin/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name, owner: { email: `${name}@example.com` } }),
  });
  if (!answer.ok) throw new Error(`POST /admin/accounts: ${await answer.text()}`);
};

const own = [];
for (let index = 0; index < Number(ownTokens); index++) own.push(await issue("acme"));
const others = [];
for (let index = 0; index < Number(otherAccounts); index++) {
  await createAccount(`bench-${index}`);
  others.push(await issue(`bench-${index}`));
}
process.send({ port: service.port, token: await issue("acme"), own, others });
process.on("message", async () => {
  await service.close();
  await database.close();
  process.exit();
});
