/** Section `events`: latency from a commit to an app's handler, deliveries to a sink, and outgoing calls through the egress guard. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { embeddedUrl, openDatabase } from "../packages/database/dist/index.js";
import { egress } from "../packages/egress/dist/index.js";
import { nowMs } from "./clock.mjs";
import { median } from "./median.mjs";
import { startLoad, startServer } from "./processes.mjs";

const BIN = fileURLToPath(new URL("../packages/parley/bin/parley.mjs", import.meta.url));
const APP = fileURLToPath(new URL("listener-app", import.meta.url));
const PER_SECOND = 500;
const CONVERSATIONS = 100;
const CONNECTIONS = 64;

const messageOf = (id, text) => ({ actor_type: "user", actor_id: id, message_parts: [{ text: { content: text } }] });

const caller = (base, token) => async (method, path, body) => {
  const answer = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
};

const createConversations = async (call) => {
  const { channels } = await call("GET", "/channels");
  return Promise.all(
    Array.from({ length: CONVERSATIONS }, async () => {
      const { id } = await call("POST", "/users", {});
      const body = { channel_id: channels[0].id, users: [{ id }], messages: [messageOf(id, "0")] };
      const { conversation_id } = await call("POST", "/conversations", body);
      return { id: conversation_id, user_id: id };
    }),
  );
};

/** Each message contains the time before it was sent, so the latency covers the write, the delivery and the start of the handler. */
const latencyOf = async ({ rounds, seconds, progress }) => {
  const env = { ...process.env, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0", PARLEY_CALLS_PER_HOUR: "1000000000" };
  const child = spawn(process.execPath, [BIN, "run", APP, "--ephemeral", "--install", "--json"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const latencies = [];
  const otherLines = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    const [, times] = /late ([-\d. ]+)/.exec(line) ?? [];
    if (times !== undefined) latencies.push(...times.split(" ").map(Number));
    else otherLines.push(line);
  });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { service, token } = JSON.parse(line);
    const call = caller(service, token);
    const conversations = await createConversations(call);
    const results = [];
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      await wait(500);
      latencies.length = 0;
      const begun = performance.now();
      const all = [];
      for (let sent = 0; sent < PER_SECOND * seconds; sent++) {
        const due = begun + (sent * 1_000) / PER_SECOND;
        if (due > performance.now()) await wait(due - performance.now());
        const { id, user_id } = conversations[sent % CONVERSATIONS];
        const now = performance.timeOrigin + performance.now();
        all.push(call("POST", `/conversations/${id}/messages`, messageOf(user_id, now.toFixed(2))));
      }
      await Promise.all(all);
      const rate = all.length / ((performance.now() - begun) / 1_000);
      for (const end = performance.now() + 20_000; latencies.length < all.length && performance.now() < end;)
        await wait(20);
      if (latencies.length < all.length)
        throw new Error(
          `${all.length - latencies.length} of ${all.length} events did not arrive: ${otherLines.slice(-5).join("; ")}`,
        );
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (part) => sorted[Math.floor(sorted.length * part)];
      if (round > 0) results.push({ rate, p50: at(0.5), p99: at(0.99) });
      progress(`events, round ${round}: ${Math.round(rate)}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
    }
    const middle = (key) => median(results.map((each) => each[key]));
    return {
      name: `event to handler at ${PER_SECOND} messages a second`,
      ours: Math.round(middle("rate")),
      limit: null,
      ratio: null,
      p50: Number(middle("p50").toFixed(1)),
      p99: Number(middle("p99").toFixed(1)),
    };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
};

/** Writes at full speed and measures deliveries from the first write to the last delivery. */
const deliveriesOf = async ({ rounds, seconds, progress }) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const database = await openDatabase({ dataFolder, log: progress });
  const sink = await startServer("sink.mjs");
  const load = startLoad();
  const stops = [() => database.close(), () => load.stop(), sink.stop];
  try {
    const url = embeddedUrl(dataFolder);
    const ours = await startServer(
      "ours.mjs",
      url,
      "acme",
      join(dataFolder, "objects"),
      `http://127.0.0.1:${sink.port}/`,
    );
    stops.push(ours.stop);
    const conversations = await createConversations(caller(`http://127.0.0.1:${ours.port}/v2`, ours.token));
    const requests = conversations.map(({ id, user_id }) => ({
      method: "POST",
      path: `/v2/conversations/${id}/messages`,
      headers: { authorization: `Bearer ${ours.token}` },
      body: JSON.stringify(messageOf(user_id, "Hello")),
    }));
    const rates = [];
    for (let round = 0; round < rounds; round++) {
      await wait(1_000);
      await sink.ask("begin");
      const begun = nowMs();
      await load.run({ port: ours.port, requests, connections: CONNECTIONS, warmup: 0, seconds });
      let taken = await sink.ask("count");
      for (let before = -1; taken.count !== before;) {
        before = taken.count;
        await wait(1_000);
        taken = await sink.ask("count");
      }
      rates.push(taken.count / ((taken.last - begun) / 1_000));
      progress(`deliveries, round ${round + 1}: ${Math.round(rates.at(-1))}/s, ${taken.count} in all`);
    }
    return {
      name: "deliveries to a local sink, while messages are written",
      ours: Math.round(median(rates)),
      limit: null,
      ratio: null,
      p50: null,
      p99: null,
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
};

const outgoingOf = async ({ rounds, seconds, progress }) => {
  const sink = await startServer("sink.mjs");
  const guard = egress({ allowLoopback: true });
  const send = () =>
    guard.send({
      method: "POST",
      url: `http://127.0.0.1:${sink.port}/`,
      headers: { "content-type": "application/json" },
      body: '{"a":1}',
      timeoutMs: 15_000,
      maxRequestBytes: 100_000,
      maxResponseBytes: 100_000,
    });
  try {
    const rates = [];
    for (let round = 0; round < rounds; round++) {
      let count = 0;
      const end = performance.now() + seconds * 1_000;
      const worker = async () => {
        for (; performance.now() < end; count++) await send();
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, worker));
      rates.push(count / seconds);
      progress(`outgoing, round ${round + 1}: ${Math.round(rates.at(-1))}/s`);
    }
    return {
      name: "outgoing calls, through the guard",
      ours: Math.round(median(rates)),
      limit: null,
      ratio: null,
      p50: null,
      p99: null,
    };
  } finally {
    await guard.close();
    await sink.stop();
  }
};

/** @shape `[{ name, ours, limit: null, ratio: null, p50, p99 }]` @units a second; milliseconds */
export const measureEvents = async (options) => [
  await latencyOf(options),
  await deliveriesOf(options),
  await outgoingOf(options),
];
