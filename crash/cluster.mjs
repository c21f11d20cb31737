/** All processes of a run: PostgreSQL with its supervisor or replicated, two services, an app host, a receiver. */
import { createPublicKey, randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { openDatabase } from "../packages/database/dist/index.js";
import { startReplicatedDatabase } from "./patroni/replicated-database.mjs";
import { program, signal } from "./processes.mjs";
import { receiver as openReceiver } from "./receiver.mjs";
import { rowStore } from "./rows.mjs";

/** Subscribers of each account's events: a webhook; or the receiver in the role of an app host, and the app of the run. */
const SUBSCRIBERS = { acme: ["webhook"], solo: ["receiver", "app"] };
const ACCOUNTS = Object.keys(SUBSCRIBERS);
const [WEBHOOK_ACCOUNT, APP_ACCOUNT] = ACCOUNTS;
/** How long the database may be unavailable. @units milliseconds */
const DATABASE_TIMEOUT_MS = 120_000;

/** -> a free port, which a program keeps across restarts */
const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const addWebhook = async (port, adminKey, url) => {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/accounts/${WEBHOOK_ACCOUNT}/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ url, actions: ["message_create"] }),
  });
  if (answer.status !== 201) throw new Error(`creating the webhook failed: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

const channelOf = async (port, token) => {
  const answer = await fetch(`http://127.0.0.1:${port}/v2/channels`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()).channels[0].id;
};

/** @shape route: how the processes find the primary of a replicated PostgreSQL; undefined for the embedded server */
export const startCluster = async ({ route } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-crash-"));
  // When the run is root's, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  const [objectsFolder, secretsFolder, hostFolder] = ["objects", "secrets", "host"].map((name) => join(folder, name));
  await Promise.all([objectsFolder, secretsFolder, hostFolder].map((each) => mkdir(each)));
  const adminKey = randomBytes(24).toString("hex");
  const receiver = await openReceiver();
  const ports = [await freePort(), await freePort(), await freePort()];
  let url = "";
  const isReplicated = route !== undefined;
  const serviceSettings = (port) =>
    JSON.stringify({ url, port, objectsFolder, secretsFolder, adminKey, hasUsualRetries: isReplicated });
  const supervisor = program({
    name: "supervisor",
    file: "database-supervisor.mjs",
    folder,
    args: () => [join(folder, "data")],
  });
  const services = ["service-a", "service-b"].map((name, index) => ({
    ...program({ name, file: "service.mjs", folder, args: () => [serviceSettings(ports[index])] }),
    port: ports[index],
  }));
  let settings = {};
  const host = program({ name: "host", file: "host.mjs", folder, args: () => [JSON.stringify(settings)] });
  const programs = [supervisor, ...services, host];
  let database;
  let replicated;

  const end = async ({ keep = false } = {}) => {
    await Promise.all([host, ...services].map((each) => each.end()));
    await database?.close();
    await (replicated ?? supervisor).end();
    await receiver.close();
    if (!keep) await rm(folder, { recursive: true, force: true });
  };

  try {
    if (isReplicated) replicated = await startReplicatedDatabase({ folder, route });
    const offer = replicated ?? (await supervisor.start());
    ({ url } = offer);
    await services[0].start();
    const { tokens, secrets } = await services[0].ask({
      accounts: ACCOUNTS,
      subscriptions: [
        { account: APP_ACCOUNT, name: "receiver", url: `${receiver.origin}/receiver` },
        { account: APP_ACCOUNT, name: "host", url: `http://127.0.0.1:${ports[2]}/events` },
      ],
    });
    const webhook = await addWebhook(ports[0], adminKey, `${receiver.origin}/webhook`);
    receiver.senders = {
      receiver: { secret: secrets.receiver },
      webhook: { secret: webhook.secret, publicKey: createPublicKey(webhook.public_key) },
    };
    settings = {
      url,
      port: ports[2],
      dataFolder: hostFolder,
      account: APP_ACCOUNT,
      service: `http://127.0.0.1:${ports[0]}`,
      secret: secrets.host,
      receiverOrigin: receiver.origin,
    };
    await Promise.all([services[1].start(), host.start()]);
    database = await openDatabase({ dataFolder: "", url });
    const rows = rowStore(database);
    const accounts = [];
    for (const name of ACCOUNTS)
      accounts.push({ name, token: tokens[name], channel: await channelOf(ports[0], tokens[name]) });

    /** Process id of the postmaster; its supervisor restarts it when it has ended. */
    const postmaster = async () => Number.parseInt(await readFile(join(offer.cluster, "postmaster.pid"), "utf8"), 10);
    const untilServed = async () => {
      for (const deadline = performance.now() + DATABASE_TIMEOUT_MS; ;) {
        try {
          return await rows.ping();
        } catch (error) {
          if (performance.now() > deadline) throw error;
        }
        await elapse(20);
      }
    };
    const subscribersOf = (account) => SUBSCRIBERS[account];
    return {
      folder,
      accounts,
      supervisor,
      replicated,
      services,
      host,
      receiver,
      rows,
      postmaster,
      untilServed,
      subscribersOf,
      end,
    };
  } catch (error) {
    await end({ keep: true }).catch(() => undefined);
    for (const { pid } of programs) if (pid()) signal(pid(), "SIGKILL");
    throw new Error(`${error.message} (logs: ${folder})`, { cause: error });
  }
};
