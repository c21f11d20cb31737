/** The section `messages`: the service and the limit on one PostgreSQL, each with a database of its own, in turns. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, statement } from "../packages/database/dist/index.js";
import { startLoad, startServer } from "./processes.mjs";
import { median } from "./median.mjs";

const CONVERSATIONS = 256;
const CONNECTIONS = 64;
/** So that a page of 20 is a whole one. */
const SEEDED = 30;
const TEXT = "Hello, my order has not come yet. Could you tell me where it is?";

const bodyOf = (user_id) =>
  JSON.stringify({ actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: TEXT } }] });

/** Conversations of the service's demo account, made over its API. */
const beginConversations = async ({ port, token }) => {
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
      const given = { channel_id: channels[0].id, users: [{ id }], messages };
      const { conversation_id } = await call("POST", "/conversations", given);
      return { id: conversation_id, user_id: id };
    }),
  );
};

const jobsOf = ({ port, token, conversations }) => {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const path = (id) => `/v2/conversations/${id}/messages`;
  const posts = conversations.map(({ id, user_id }) => ({
    method: "POST",
    path: path(id),
    headers,
    body: bodyOf(user_id),
  }));
  const gets = conversations.map(({ id }) => ({ method: "GET", path: path(id), headers }));
  const both = posts.flatMap((post, index) => [post, gets[index]]);
  return [
    { port, requests: posts, name: "POST message" },
    { port, requests: gets, name: "GET messages" },
    { port, requests: both, name: "half POST, half GET" },
  ];
};

/** @shape `[{ name, ours, limit, ratio, p50, p99 }]` @units requests a second; milliseconds, of the service */
export const measureMessages = async ({ rounds, seconds, progress }) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const database = await openDatabase({ dataFolder, log: progress });
  const load = startLoad();
  const stops = [() => load.stop()];
  try {
    const pool = database.pool("public", { max: 1 });
    const [{ folder }] = await pool.rows(statement("", "select current_setting('data_directory') as folder"), []);
    for (const name of ["bench_ours", "bench_limit"]) await pool.rows(statement("", `create database ${name}`), []);
    const urlOf = (name) => `postgres://postgres@/${name}?host=${encodeURIComponent(folder)}`;
    const ours = await startServer("ours.mjs", urlOf("bench_ours"));
    stops.push(ours.stop);
    const limit = await startServer("limit.mjs", urlOf("bench_limit"), CONVERSATIONS);
    stops.push(limit.stop);
    const sides = { ours: jobsOf({ ...ours, conversations: await beginConversations(ours) }), limit: jobsOf(limit) };

    const run = async (job, more) => {
      const result = await load.run({ ...job, connections: CONNECTIONS, ...more });
      if (result.failed > 0) throw new Error(`${result.failed} answers to ${job.name} were no 200`);
      return result;
    };
    for (const [posts] of Object.values(sides)) {
      const requests = Array.from({ length: SEEDED }, () => posts.requests).flat();
      await run({ ...posts, requests }, { warmup: 0, seconds: 3 });
    }

    const rows = [];
    for (const [index, { name }] of sides.ours.entries()) {
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
        p50: Number(median(results.ours.map(({ p50 }) => p50)).toFixed(1)),
        p99: Number(median(results.ours.map(({ p99 }) => p99)).toFixed(1)),
      });
    }
    return rows;
  } finally {
    for (const stop of stops.reverse()) await stop();
    await database.close();
    await rm(dataFolder, { recursive: true, force: true });
  }
};
