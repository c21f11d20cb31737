/** Section `calls`: CPU time that an app adds to a message, by what its handler does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";
import { withOwnServer } from "./own-server.mjs";
import { beginConversations } from "./messages.mjs";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const BIN = fileOf("../packages/parley/bin/parley.mjs");
/** Handlers by the text of the message that selects them; the first entry is the baseline. */
const HANDLERS = {
  "no app": undefined,
  "the handler returns at once": "returns",
  "it logs a line": "logs",
  "it reads a record ($db.get)": "reads",
  "it writes a record ($db.set)": "writes",
  "it asks the service ($request)": "asks",
};
/** Below the capacity of the slowest handler, so that nothing queues. @units messages a second */
const MESSAGES_PER_SECOND = 150;
/** CPU time in a second up to which an instance counts as idle. @units milliseconds */
const IDLE_CPU_MS = 30;
const TICK_MS = 10;

/** CPU time of a process, and of its descendants. @units milliseconds */
const timesOf = (pid) => {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "utf8");
        const [, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent), time: (Number(rest[9]) + Number(rest[10])) * TICK_MS }];
      } catch {
        return [];
      }
    });
  const below = (one) => stats.filter(({ parent }) => parent === one).flatMap((each) => [each, ...below(each.pid)]);
  const sum = (all) => all.reduce((total, { time }) => total + time, 0);
  return { host: sum(stats.filter((each) => each.pid === pid)), app: sum(below(pid)) };
};

const startInstance = async (args, url, dataFolder) => {
  const ports = { PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0", PARLEY_CALLS_PER_HOUR: "1000000000" };
  const env = { ...process.env, DATABASE_URL: url, PARLEY_DATA: dataFolder, ...ports };
  const child = spawn(process.execPath, [BIN, ...args, "--json"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "close");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { service, token } = JSON.parse(line);
  const offer = { port: Number(new URL(service).port), token };
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { ...offer, pid: child.pid, conversations: await beginConversations(offer), stop };
};

/** Waits until the instance is idle, so that all consequences of the messages are included. */
const untilIdle = async (pid) => {
  for (let before = timesOf(pid); ;) {
    await wait(1_000);
    const now = timesOf(pid);
    if (now.host + now.app - before.host - before.app <= IDLE_CPU_MS) return now;
    before = now;
  }
};

/** Writes messages with one text at the pace. -> CPU time a message @units milliseconds */
const costOf = async ({ port, token, conversations, pid }, text, seconds) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const before = await untilIdle(pid);
  const begun = performance.now();
  const count = MESSAGES_PER_SECOND * seconds;
  const sent = [];
  for (let index = 0; index < count; index++) {
    const due = begun + (index * 1_000) / MESSAGES_PER_SECOND;
    if (due > performance.now()) await wait(due - performance.now());
    const { id, user_id } = conversations[index % conversations.length];
    const body = { actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: text } }] };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = fetch(`http://127.0.0.1:${port}/v2/conversations/${id}/messages`, init).then(async (response) => {
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`POST message: ${response.status}`);
    });
    sent.push(answer);
  }
  await Promise.all(sent);
  const after = await untilIdle(pid);
  return { host: (after.host - before.host) / count, app: (after.app - before.app) / count };
};

/** @shape `[{ name, ours, limit: null, ratio, p50: null, p99: null, host, app }]`; ratio: relative to no app @units milliseconds of CPU time */
export const measureCalls = ({ rounds, seconds, progress }) =>
  withOwnServer(progress, async (server, dataFolder) => {
    const stops = [];
    const start = async (name, args) => {
      const begun = await startInstance(args, await server.createDatabase(name), join(dataFolder, name));
      stops.push(begun.stop);
      return begun;
    };
    try {
      const alone = await start("alone", ["serve", "--demo", "--port", "0", "--workers", "1"]);
      const app = await start("app", ["run", fileOf("calls-app"), "--install"]);
      const concierge = await start("concierge", ["start"]);
      const sides = [
        ...Object.entries(HANDLERS).map(([name, text]) => ({ name, text: text ?? "Hello", on: text ? app : alone })),
        { name: "Concierge", text: "Where is my order?", on: concierge },
      ].map((side) => ({ ...side, costs: [] }));
      // The first round is a warm-up.
      for (let round = 0; round <= rounds; round++)
        for (const { name, text, on, costs } of round % 2 ? sides.toReversed() : sides) {
          const cost = await costOf(on, text, seconds);
          if (round > 0) costs.push(cost);
          progress(`calls, round ${round}, ${name}: ${(cost.host + cost.app).toFixed(2)} ms`);
        }
      const middle = (costs, key) => median(costs.map((cost) => cost[key]));
      const totalOf = ({ costs }) => median(costs.map(({ host, app: own }) => host + own));
      const base = totalOf(sides[0]);
      return sides.map((side) => ({
        name: `a message, ${side.name} (ms of processor time)`,
        ours: Number(totalOf(side).toFixed(2)),
        limit: null,
        ratio: Number((totalOf(side) / base).toFixed(2)),
        p50: null,
        p99: null,
        host: Number(middle(side.costs, "host").toFixed(2)),
        app: Number(middle(side.costs, "app").toFixed(2)),
      }));
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });
