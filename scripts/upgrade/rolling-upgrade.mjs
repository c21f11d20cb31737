/** The steps of an upgrade, and of the way back, each under load. */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { openDatabase } from "../../packages/database/dist/index.js";
import { startOwnServer } from "../../packages/database/dist/testing.js";
import { root } from "../installed.mjs";
import { runCommand, startMachine } from "./instance.mjs";
import { openBalancer, startClients } from "./clients.mjs";
import { openReceiver } from "./receiver.mjs";
import { rehearse } from "./rehearsal.mjs";

const APP = join(root, "crash", "app");
const APP_HOST = "heard.example.com";
const ACCOUNT = "acme";
const WEBHOOK = "upgrade";
/** How long events may take after the last request. @units milliseconds */
const DELIVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
const MACHINES = ["machine-a", "machine-b"];

const callJson = async (origin, key, method, path, body) => {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
};

const succeed = (name, { status, stdout, stderr }) => {
  if (status !== 0) throw new Error(`parley ${name} failed: ${stdout}${stderr}`);
};

/** Ids of messages that arrived after a later one of their conversation. */
const disorderOf = (messages, places) => {
  const latest = new Map();
  return messages.filter(({ id, conversation }) => {
    const place = places.get(id);
    const isLate = place !== undefined && place < (latest.get(conversation) ?? -1);
    if (place !== undefined) latest.set(conversation, Math.max(place, latest.get(conversation) ?? -1));
    return isLate;
  }).length;
};

/** The database, the folders and the settings of an installation without machines. */
const openInstallation = async (ended) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-upgrade-"));
  // PostgreSQL runs as another user when the run is root's.
  await chmod(folder, 0o711);
  ended(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "objects"));
  const server = await startOwnServer({ dataFolder: join(folder, "postgres"), settings: { max_connections: "300" } });
  ended(() => server.close());
  const url = await server.createDatabase("upgrade");
  const settings = {
    DATABASE_URL: url,
    PARLEY_SECRETS_KEY: randomBytes(32).toString("hex"),
    PARLEY_ADMIN_KEY: randomBytes(24).toString("hex"),
  };
  return { folder, url, settings };
};

/** An account with a channel, a webhook and an installed app. */
const prepareAccount = async (run, machine, previous, receiver) => {
  const { origin, offer } = machine;
  const key = run.settings.PARLEY_ADMIN_KEY;
  const admin = (...args) => callJson(origin, key, ...args);
  await admin("POST", `/admin/accounts/${ACCOUNT}/webhooks`, {
    name: WEBHOOK,
    url: `${receiver.origin}/webhook`,
    actions: ["message_create"],
  });
  succeed("publish", runCommand(run, machine.machine, previous, ["publish", APP, "--json"]));
  const { platform } = offer;
  const { apps } = await callJson(platform, key, "GET", "/platform/apps").catch(() => ({ apps: undefined }));
  const name = apps?.[0]?.name ?? "crash-app";
  await callJson(platform, key, "POST", `/platform/accounts/${ACCOUNT}/apps`, { name });
  const { token } = await admin("POST", `/admin/accounts/${ACCOUNT}/tokens`, { name: "clients" });
  const { channels } = await callJson(origin, token, "GET", "/v2/channels");
  const { agents } = await callJson(origin, token, "GET", "/v2/agents");
  const hours = [0, 1].map((more) => `${new Date(Date.now() + more * HOUR_MS).toISOString().slice(0, 13)}:00:00Z`);
  return { token, channel: channels[0].id, agent: agents[0].id, hours };
};

/** @shape previous, present: `{ name, script }` */
export const rollingUpgrade = async ({ previous, present, phaseMs, report }) => {
  const cleanups = [];
  const ended = (cleanup) => void cleanups.push(cleanup);
  const machines = new Map();
  try {
    const run = await openInstallation(ended);
    const receiver = await openReceiver();
    ended(() => receiver.close());
    const serveArgs = ["--map", `${APP_HOST}=${receiver.origin}`];
    const balancer = openBalancer();
    ended(() => balancer.close());
    ended(() => Promise.all([...machines.values()].map((each) => each.stop())));
    const errors = [];
    const start = async (name, release, more = []) => {
      const machine = await startMachine(run, name, release, [...serveArgs, ...more]);
      machines.set(name, machine);
      await balancer.add(machine);
      return machine;
    };
    const take = (machine) => {
      errors.push(...machine.errors.map((line) => `${machine.machine}, ${machine.release}: ${line}`));
      balancer.remove(machine);
      machines.delete(machine.machine);
    };
    /** The load balancer notices the stop by its probes. */
    const replace = async (name, release) => {
      const machine = machines.get(name);
      await machine.stop();
      take(machine);
      await start(name, release);
    };

    report("Starting two machines of the previous release …");
    const first = await start(MACHINES[0], previous, ["--demo"]);
    await start(MACHINES[1], previous);
    const context = await prepareAccount(run, first, previous, receiver);
    const clients = startClients({ balancer, context });
    const phases = [];
    const phase = async (name, step) => {
      report(`${name} …`);
      clients.phase(name);
      await step();
      await elapse(phaseMs);
      phases.push(clients.phase(""));
    };
    await phase("previous release", async () => undefined);
    await phase("previous release, new schema", async () => {
      succeed("upgrade", runCommand(run, MACHINES[0], present, ["upgrade", "--json"]));
      const database = await openDatabase({ dataFolder: "", url: run.url });
      await rehearse(database);
      await database.close();
    });
    await phase("a machine of the previous release is restarted", () => replace(MACHINES[1], previous));
    await phase("both releases", () => replace(MACHINES[0], present));
    await phase("this release", () => replace(MACHINES[1], present));
    await phase("way back: both releases", () => replace(MACHINES[0], previous));
    await phase("way back: previous release, new schema", () => replace(MACHINES[1], previous));
    await clients.stop();

    report("Waiting for the last events …");
    const missing = (name) => clients.messages.filter(({ id }) => !receiver.events(name).has(id)).length;
    const deadline = performance.now() + DELIVERY_MS;
    while (missing("webhook") + missing("app") > 0 && performance.now() < deadline) await elapse(100);
    const lost = { webhook: missing("webhook"), app: missing("app") };
    const disorder = ["webhook", "app"].reduce(
      (sum, name) => sum + disorderOf(clients.messages, receiver.events(name)),
      0,
    );
    for (const machine of [...machines.values()]) {
      await machine.stop();
      take(machine);
    }
    const failed = phases.reduce((sum, each) => sum + each.failed, 0);
    const isGood = failed + lost.webhook + lost.app + disorder === 0 && clients.messages.length > 0;
    process.exitCode = isGood ? 0 : 1;
    return { phases, messages: clients.messages.length, lost, disorder, failed, errors };
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup().catch((error) => report(String(error)));
  }
};
