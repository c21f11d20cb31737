/** Section `reset`: duration of a reset to the seed with Concierge installed, after a few and after thousands of messages. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";

const BIN = fileURLToPath(new URL("../packages/parley/bin/parley.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CONVERSATIONS = 250;
const MESSAGES_EACH = 20;

/** Starts Concierge on a temporary instance. -> `request`, which throws unless the response is 2xx, and `stop` */
const startWorld = async () => {
  const env = { ...process.env, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0", PARLEY_CALLS_PER_HOUR: "100000000" };
  const child = spawn(process.execPath, [BIN, "run", ROOT, "--ephemeral", "--install", "--json"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { service, token, dataFolder } = JSON.parse(line);
  const adminKey = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const request = async (method, path, body) => {
    const isAdmin = path.startsWith("/admin/");
    const answer = await fetch(new URL(isAdmin ? path : `/v2${path}`, service), {
      method,
      headers: { authorization: `Bearer ${isAdmin ? adminKey : token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { request, stop };
};

const messageOf = (id, text) => ({ actor_type: "user", actor_id: id, message_parts: [{ text: { content: text } }] });

const converse = async (request, messages) => {
  const { channels } = await request("GET", "/channels");
  const { id } = await request("POST", "/users", { first_name: "Sam" });
  const body = { channel_id: channels[0].id, users: [{ id }], messages: [messageOf(id, "Hello")] };
  const { conversation_id } = await request("POST", "/conversations", body);
  for (let count = 1; count < messages; count++)
    await request("POST", `/conversations/${conversation_id}/messages`, messageOf(id, `Message ${count}`));
};

const fill = async (request) => {
  for (let made = 0; made < CONVERSATIONS; made += 10)
    await Promise.all(Array.from({ length: 10 }, () => converse(request, MESSAGES_EACH)));
};

const timed = async (request, path) => {
  const begun = performance.now();
  await request("POST", path);
  return performance.now() - begun;
};

/** @shape `[{ name, ours, limit: null, ratio: null, p50: null, p99 }]` @units milliseconds, measured by the caller */
export const measureReset = async ({ rounds, progress }) => {
  const { request, stop } = await startWorld();
  const times = { few: [], removed: [], restored: [] };
  try {
    for (let round = 0; round < rounds * 3; round++) {
      await converse(request, 3);
      times.few.push(await timed(request, "/admin/world/reset"));
    }
    for (let round = 0; round < rounds; round++) {
      await fill(request);
      if (round === 0) await request("PUT", "/admin/world/snapshots/full");
      times.removed.push(await timed(request, "/admin/world/reset"));
      progress(`reset, round ${round + 1}: ${times.removed.at(-1).toFixed(0)} ms`);
      times.restored.push(await timed(request, "/admin/world/snapshots/full/load"));
      await request("POST", "/admin/world/reset");
    }
  } finally {
    await stop();
  }
  const row = (name, side) => ({
    name,
    ours: Math.round(median(times[side])),
    limit: null,
    ratio: null,
    p50: null,
    p99: Math.round(Math.max(...times[side])),
  });
  const many = (CONVERSATIONS * MESSAGES_EACH).toLocaleString("en");
  return [
    row("reset, demo accounts and Concierge (ms; p99: the longest)", "few"),
    row(`reset, ${many} messages created since (ms)`, "removed"),
    row(`snapshot load, ${many} messages restored (ms)`, "restored"),
  ];
};
