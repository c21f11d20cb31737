/**
 * Section `messages`: the service and the limit on one PostgreSQL server, each with its own database, alternating; then the peers, which store data
 * in their own ways.
 */
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase, statement } from "../packages/database/dist/index.js";
import { generateLoad as fill } from "../packages/service/dist/index.js";
import { PEER_NAMES, startPeer } from "./peer-servers.mjs";
import { ensurePeers } from "./peers.mjs";
import { withOwnServer } from "./own-server.mjs";
import { startPostgres } from "./postgres.mjs";
import { memoryOf, startLoad, startServer } from "./processes.mjs";
import { median } from "./median.mjs";

const CONVERSATIONS = 256;
export const CONNECTIONS = 64;
/** Enough messages in each conversation for a full page of 20. */
const SEEDED_MESSAGES = 30;
const TEXT = "Hello, my order has not come yet. Could you tell me where it is?";

const bodyOf = (user_id) =>
  JSON.stringify({ actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: TEXT } }] });

/** Creates conversations of the service's demo account over its API. */
export const beginConversations = async ({ port, token }) => {
  const call = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const { channels } = await call("GET", "/channels");
  return Promise.all(
    Array.from({ length: CONVERSATIONS }, async () => {
      const { id } = await call("POST", "/users", {});
      const messages = [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: TEXT } }] }];
      const body = { channel_id: channels[0].id, users: [{ id }], messages };
      const { conversation_id } = await call("POST", "/conversations", body);
      return { id: conversation_id, user_id: id };
    }),
  );
};

export const jobsOf = ({ port, token, conversations }) => {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const path = (id) => `/v2/conversations/${id}/messages`;
  // Half of the writers send an idempotency key, as clients that retry do.
  const posts = conversations.map(({ id, user_id }, index) => ({
    method: "POST",
    path: path(id),
    headers,
    body: bodyOf(user_id),
    keyed: index % 2 === 0,
  }));
  const gets = conversations.map(({ id }) => ({ method: "GET", path: path(id), headers }));
  const users = conversations.map(({ user_id }) => ({ method: "GET", path: `/v2/users/${user_id}`, headers }));
  const both = posts.flatMap((post, index) => [post, gets[index]]);
  return [
    { port, requests: posts, name: "POST message", peer: "post" },
    { port, requests: gets, name: "GET messages", peer: "get" },
    { port, requests: users, name: "GET user" },
    { port, requests: both, name: "half POST, half GET" },
  ];
};

/** Requests a second of each peer, by name. The peers run one after the other, because they would compete for CPU time. */
const peerRates = async ({ load, rounds, seconds, progress }) => {
  ensurePeers(progress);
  const rates = { post: {}, get: {} };
  for (const name of PEER_NAMES) {
    const peer = await startPeer(name, bodyOf("01a1fe00-0000-7000-8000-000000000001"));
    try {
      for (const [kind, request] of Object.entries(peer.requests)) {
        const results = [];
        for (let round = 0; round < rounds; round++) {
          const job = { port: peer.port, requests: [request], connections: CONNECTIONS, warmup: 1, seconds };
          const result = await load.run(job);
          if (result.failed > 0) throw new Error(`${result.failed} responses of ${name} were not 2xx`);
          results.push(result.rate);
        }
        rates[kind][name] = Math.round(median(results));
        progress(`${name}, ${kind}: ${rates[kind][name]}/s`);
      }
    } finally {
      await peer.stop();
    }
  }
  return rates;
};

/**
 * @shape `[{ name, ours, limit, ratio, peers: { [name]: rate }, p50, p99, memory }]` @units requests a second; milliseconds and megabytes, of
 * the service
 */
const measureOn = async (server, { rounds, seconds, loaded = 0, withPeers = false, progress }) => {
  const load = startLoad();
  const stops = [() => load.stop()];
  try {
    const urls = {};
    for (const name of ["bench_ours", "bench_limit"]) urls[name] = await server.createDatabase(name);
    if (loaded > 0)
      for (const name of ["bench_ours", "bench_limit"]) {
        const begun = performance.now();
        const own = await openDatabase({ dataFolder: "", url: urls[name] });
        const users = Math.max(1, Math.round(loaded / 3));
        await fill({ database: own, account: "load", users, messages: loaded, seed: 1, progress: () => undefined });
        // VACUUM and a checkpoint, so that PostgreSQL's work after the load is not measured.
        await own.close();
        const settled = await openDatabase({ dataFolder: "", url: server.administratorUrl(name) });
        const pool = settled.pool("public", { max: 1 });
        await pool.rows(statement("", "vacuum (analyze)"), []);
        await pool.rows(statement("", "checkpoint"), []);
        await settled.close();
        progress(`${name}: ${loaded} messages loaded in ${Math.round((performance.now() - begun) / 1_000)} s`);
      }
    const ours = await startServer("ours.mjs", urls.bench_ours);
    stops.push(ours.stop);
    const limit = await startServer("limit.mjs", urls.bench_limit, CONVERSATIONS);
    stops.push(limit.stop);
    const sides = { ours: jobsOf({ ...ours, conversations: await beginConversations(ours) }), limit: jobsOf(limit) };

    const run = async (job, more) => {
      const result = await load.run({ ...job, connections: CONNECTIONS, ...more });
      if (result.failed > 0) throw new Error(`${result.failed} responses to ${job.name} were not 2xx`);
      return result;
    };
    for (const [posts] of Object.values(sides)) {
      const requests = Array.from({ length: SEEDED_MESSAGES }, () => posts.requests).flat();
      await run({ ...posts, requests }, { warmup: 0, seconds: 3 });
    }

    const rows = [];
    const peers = withPeers ? await peerRates({ load, rounds: Math.min(rounds, 3), seconds, progress }) : {};
    for (const [index, { name, peer }] of sides.ours.entries()) {
      const results = { ours: [], limit: [] };
      for (let round = 0; round < rounds; round++)
        for (const side of round % 2 ? ["limit", "ours"] : ["ours", "limit"]) {
          const result = await run(sides[side][index], { warmup: 1, seconds });
          results[side].push(result);
          progress(
            `${name}, round ${round + 1}, ${side}: ${Math.round(result.rate)}/s, p99 ${result.p99.toFixed(1)} ms`,
          );
        }
      const [ours_, limit_] = [results.ours, results.limit].map((each) => median(each.map(({ rate }) => rate)));
      rows.push({
        name,
        ours: Math.round(ours_),
        limit: Math.round(limit_),
        ratio: Number(median(results.ours.map(({ rate }, round) => rate / results.limit[round].rate)).toFixed(2)),
        peers: peers[peer] ?? {},
        p50: Number(median(results.ours.map(({ p50 }) => p50)).toFixed(1)),
        p99: Number(median(results.ours.map(({ p99 }) => p99)).toFixed(1)),
        memory: await memoryOf(ours.pid),
      });
    }
    return rows;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};

export const measureMessages = (options) => withOwnServer(options.progress, (server) => measureOn(server, options));

/** Additional duration of each fsync. @units microseconds */
const SLOW_FSYNC_US = 3_000;

/** The same measurements on a disk with slow fsync. @errors Error when there is no C compiler */
export const measureSlowDisk = async (options) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-disk-"));
  const library = join(folder, "slow-fsync.so");
  const source = fileURLToPath(new URL("slow-fsync.c", import.meta.url));
  const compiled = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { encoding: "utf8" });
  if (compiled.status !== 0)
    throw new Error(`slow-fsync.c needs a C compiler (cc): ${compiled.stderr ?? compiled.error}`);
  await chmod(folder, 0o755);
  const server = await startPostgres({ LD_PRELOAD: library, SLOW_FSYNC_US: String(SLOW_FSYNC_US) });
  try {
    const rows = await measureOn(server, { ...options, loaded: 0, withPeers: false });
    return rows.map((row) => ({ ...row, name: `${row.name}, every fsync ${SLOW_FSYNC_US / 1_000} ms slower` }));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
