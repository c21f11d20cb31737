/**
 * Section `search`: time until existing messages are indexed, size of the index, response times of GET /v2/search by kind of query and scope,
 * and sends per second with and without the projection. Words have the frequencies of a natural language.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedUrl, openDatabase, statement } from "../../packages/database/dist/index.js";
import { generateLoad, SERVICE_SCHEMA } from "../../packages/service/dist/index.js";
import { median } from "../median.mjs";
import { startLoad, startServer } from "../processes.mjs";
import { writeMessages } from "./data.mjs";
import { createGin, ginRows } from "./gin.mjs";
import { createRandom, createTexts, createVocabulary } from "./words.mjs";

const ACCOUNT = "load";
const ADMIN_KEY = "bench-search-admin-key-0123456789abcdef";
const WORDS = 60_000;
const CONNECTIONS = 64;
/** Conversations that are assigned to the agent with the scope Me, and to the group of the agent with the scope Group. */
const [ME_SHARE, GROUP_SHARE] = [0.001, 0.1];

const shown = (value) => Number(value.toFixed(1));
const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Queries by kind: each entry makes the n-th query. Ranks: 0 is the most frequent word. */
const queriesOf = (word, rankedTexts) => {
  const days = (count) => new Date(Date.now() - count * 86_400_000).toISOString();
  return {
    "the most frequent word": (n) => ({ q: `${word(n % 3)} ` }),
    "a frequent word (rank 50)": (n) => ({ q: `${word(50 + n)} ` }),
    "a rare word (rank 30,000)": (n) => ({ q: `${word(30_000 + n * 7)} ` }),
    "no match": (n) => ({ q: `qqx${n} ` }),
    "two frequent words": (n) => ({ q: `${word(n)} ${word(n + 5)} ` }),
    "two words of rank 1,000": (n) => ({ q: `${word(1_000 + n)} ${word(1_100 + n)} ` }),
    "two words of rank 4,000": (n) => ({ q: `${word(4_000 + n)} ${word(4_500 + n)} ` }),
    "a frequent and a rare word": (n) => ({ q: `${word(n % 5)} ${word(20_000 + n)} ` }),
    "beginning of 1 character": (n) => ({ q: word(10 + n).slice(0, 1) }),
    "beginning of 2 characters": (n) => ({ q: word(100 + n).slice(0, 2) }),
    "beginning of 4 characters": (n) => ({ q: word(5_000 + n).slice(0, 4) }),
    "a frequent word and a beginning": (n) => ({ q: `${word(n % 10)} ${word(3_000 + n).slice(0, 3)}` }),
    "a rare word and a beginning": (n) => ({ q: `${word(20_000 + n)} ${word(3_000 + n).slice(0, 1)}` }),
    "a phrase of two frequent words": (n) => ({ q: `"${word(n % 10)} ${word(3 + (n % 7))}"` }),
    "a phrase that occurs": (n) => ({ q: `"${rankedTexts[n % rankedTexts.length]}"` }),
    "a phrase that hardly occurs": (n) => ({ q: `"${word(300 + n)} ${word(350 + n)}"` }),
    "a frequent word without another": (n) => ({ q: `${word(0)} -${word(1 + (n % 4))} ` }),
    "a frequent word, a year ago": (n) => ({ q: `${word(n % 5)} `, to_time: days(365 + n) }),
    "a rare word, all kinds": (n) => ({ q: `${word(30_000 + n * 7)} `, kinds: undefined }),
    "a beginning, all kinds": (n) => ({ q: word(1_000 + n).slice(0, 3), kinds: undefined }),
  };
};

const SCOPED = [
  "the most frequent word",
  "a frequent word (rank 50)",
  "a rare word (rank 30,000)",
  "two frequent words",
  "two words of rank 1,000",
  "beginning of 2 characters",
  "a phrase of two frequent words",
];

/** Signs in an agent of the account with a scope. -> headers of its requests */
const signIn = async (port, agent, scope) => {
  const call = async (method, path, body, headers = {}) => {
    const origin = `http://127.0.0.1:${port}`;
    const reply = await fetch(origin + path, {
      method,
      headers: { origin, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`);
    return { reply, body: await reply.json() };
  };
  const admin = { authorization: `Bearer ${ADMIN_KEY}` };
  const path = `/admin/accounts/${ACCOUNT}`;
  await call("PUT", `${path}/agents/${agent.id}`, { scope }, admin);
  await call("POST", `${path}/sign-in-links`, { email: agent.email }, admin);
  const { body } = await call("POST", `${path}/agents/${agent.id}/password-reset`, {}, admin);
  const token = /[A-Za-z0-9_-]{43}$/.exec(body.link)[0];
  const chosen = await call("POST", "/identity/password", { token, password: "correct horse battery" });
  const cookie = chosen.reply.headers.getSetCookie()[0].split(";", 1)[0];
  return { cookie, "x-session-token": chosen.body.session_token };
};

/** Response times of different queries of one kind. @units milliseconds */
const measureQuery = async ({ port, headers, queryOf, rounds, path = "/v2/search" }) => {
  const times = [];
  let [found, partial] = [0, 0];
  for (let n = 0; n < rounds; n++) {
    const query = { kinds: "messages", ...queryOf(n) };
    for (const name of Object.keys(query)) if (query[name] === undefined) delete query[name];
    const begun = performance.now();
    const reply = await fetch(`http://127.0.0.1:${port}${path}?${new URLSearchParams(query)}`, { headers });
    const text = await reply.text();
    times.push(performance.now() - begun);
    if (!reply.ok) throw new Error(`${JSON.stringify(query)}: ${text}`);
    const body = JSON.parse(text);
    if (body.partial) partial += 1;
    found += body.messages?.length ?? 0;
    // A session may send twenty requests a second.
    await sleep(10);
  }
  times.sort((a, b) => a - b);
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), found: found / rounds, partial };
};

const postJobs = ({ port, token, conversations, texts }) => ({
  port,
  connections: CONNECTIONS,
  requests: conversations.map(({ id, user_id }) => ({
    method: "POST",
    path: `/v2/conversations/${id}/messages`,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: texts() } }] }),
  })),
});

/**
 * @shape `[{ name, ours, limit, ratio, p50, p95 }]`; limit: the median with a GIN index, unless the name says otherwise
 * @units milliseconds unless the name says otherwise
 */
export const measureSearch = async ({ rounds, seconds, searched, withPeers, progress }) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-search-"));
  const database = await openDatabase({ dataFolder, log: progress });
  const driver = startLoad();
  const stops = [() => driver.stop()];
  try {
    await generateLoad({ database, account: ACCOUNT, users: 10, messages: 10, seed: 1 });
    const pool = database.pool(SERVICE_SCHEMA, { max: 1, settings: { synchronous_commit: "off" } });
    const rows = (text, values = []) => pool.rows(statement("", text), values);
    const one = async (text, values = []) => (await rows(text, values))[0];
    const { id: accountId } = await one("select id from accounts where name = $1", [ACCOUNT]);
    const { id: channelId } = await one("select id from channels where account_id = $1", [accountId]);
    const agents = await rows(
      "select id, email, groups from agents where account_id = $1 and not is_deactivated order by email",
      [accountId],
    );
    const [me, member, global] = agents;
    const random = createRandom(7);
    const vocabulary = createVocabulary(WORDS, random);
    const begun = performance.now();
    const others = Array.from({ length: 40 }, (_, index) => ({
      agent: `00000000-0000-4000-8000-0000000000${String(index + 10)}`,
      group: `00000000-0000-4000-8000-1000000000${String((index % 8) + 10)}`,
    }));
    const conversations = await writeMessages({
      pool,
      accountId,
      channelId,
      count: searched,
      vocabulary,
      random,
      progress,
      assign: () => {
        const draw = random();
        if (draw < ME_SHARE) return { agent: me.id, group: null };
        if (draw < ME_SHARE + GROUP_SHARE) return { agent: null, group: member.groups[0] };
        return others[Math.floor(random() * others.length)];
      },
    });
    progress(`${searched} messages written in ${Math.round((performance.now() - begun) / 1_000)} s`);
    for (const table of ["users", "conversations", "messages"]) await rows(`vacuum (analyze) ${table}`);
    // Rows that were written by SQL are found by the walk over the tables, as those of an earlier release.
    await rows("update search_backfill set next_block = 0, is_done = false");

    const server = await startServer("search/server.mjs", embeddedUrl(dataFolder), ACCOUNT, ADMIN_KEY, dataFolder);
    stops.push(server.stop);
    const indexedAt = performance.now();
    for (let reportAt = 0; ;) {
      const { done } = await one(
        `select not exists (select from search_backfill where not is_done) and not exists (select from search_queue) as done`,
      );
      if (done) break;
      if (performance.now() - reportAt > 10_000) {
        reportAt = performance.now();
        const { count } = await one(
          "select coalesce(sum(size), 0)::integer as count from search_chunks where kind = 1",
        );
        progress(`${count} messages indexed`);
      }
      await sleep(200);
    }
    const indexSeconds = (performance.now() - indexedAt) / 1_000;
    progress(`indexed in ${Math.round(indexSeconds)} s`);
    for (const table of ["search_chunks", "search_blocks", "search_recent", "search_queue"])
      await rows(`vacuum (analyze) ${table}`);
    const size = async (table) => (await one(`select pg_total_relation_size($1) as bytes`, [table])).bytes / 1_048_576;
    const sizes = await Promise.all(["search_chunks", "search_blocks", "search_recent", "messages"].map(size));
    const [chunks, blocks, recent, messages] = sizes;
    const result = [
      { name: "messages indexed a second, backfill", ours: Math.round(searched / indexSeconds) },
      {
        name: "size of the index (MB); limit: of the table messages",
        ours: shown(chunks + blocks + recent),
        limit: shown(messages),
      },
    ];

    const sample = createTexts(vocabulary, createRandom(7_777));
    const phrases = (
      await rows(
        `select body::json -> 'message_parts' -> 0 -> 'text' ->> 'content' as text from messages tablesample system (0.05) limit 200`,
      )
    ).flatMap(({ text }) => (/^\S+ \S+ \S+ \S+/.test(text ?? "") ? [text.split(" ").slice(1, 4).join(" ")] : []));
    const queries = queriesOf((rank) => vocabulary[rank], phrases);
    const { port, token } = server;
    const callers = [["token", { authorization: `Bearer ${token}` }, Object.keys(queries)]];
    for (const [scope, agent] of [
      ["Me", me],
      ["Group", member],
      ["Global", global],
    ])
      callers.push([`scope ${scope}`, await signIn(port, agent, scope), SCOPED]);
    const measure = async (name, options) => {
      await measureQuery({ port, ...options, rounds: 2 });
      const { p50, p95, found, partial } = await measureQuery({ port, ...options, rounds: rounds * 6 });
      progress(
        `${name}: p50 ${shown(p50)}, p95 ${shown(p95)} ms, ${shown(found)} found${partial > 0 ? `, ${partial} partial` : ""}`,
      );
      const row = {
        name: `${name} (ms)`,
        ours: shown(p50),
        p50: shown(p50),
        p95: shown(p95),
        found: shown(found),
        ...(partial > 0 && { partial }),
      };
      result.push(row);
    };
    // Time of a request without a search.
    await measure("GET /channels", {
      headers: callers[0][1],
      path: "/v2/channels",
      queryOf: () => ({ kinds: undefined }),
    });
    for (const [caller, headers, names] of callers)
      for (const name of names) await measure(`${caller}: ${name}`, { headers, queryOf: queries[name] });

    if (withPeers) {
      const gin = await createGin(ginRows(database, SERVICE_SCHEMA), progress);
      result.push({
        name: "rows a second, GIN index that is built at once",
        limit: Math.round(searched / gin.seconds),
      });
      result.push({ name: "size of the table with the GIN index (MB)", limit: shown(gin.megabytes) });
      for (const row of result) {
        const name = /^token: (.*) \(ms\)$/.exec(row.name)?.[1];
        if (name === undefined || name.endsWith("all kinds")) continue;
        const times = [];
        for (let n = 0; n < rounds * 2; n++) times.push(await gin.search(queries[name](n)));
        times.sort((a, b) => a - b);
        row.limit = shown(percentile(times, 0.5));
        row["limit p95"] = shown(percentile(times, 0.95));
        progress(`GIN, ${name}: p50 ${row.limit}, p95 ${row["limit p95"]} ms`);
      }
      await gin.drop();
    }

    // Another session that holds the lock of the leader keeps the service from projecting.
    const blocker = database.pool(SERVICE_SCHEMA, { max: 1 });
    const LOCK = "(1885434371, hashtext('search'))";
    const rates = { with: [], without: [] };
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 ? ["with", "without"] : ["without", "with"]) {
        const jobs = postJobs({ port, token, conversations, texts: sample });
        let released;
        if (side === "without") {
          await rows(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 1885434371
                       and objid = (hashtext('search')::bigint & 4294967295)`);
          await blocker.rows(statement("", `select pg_advisory_lock${LOCK}`), []);
          released = () => blocker.rows(statement("", `select pg_advisory_unlock${LOCK}`), []);
        }
        const measured = await driver.run({ ...jobs, warmup: 1, seconds });
        await released?.();
        if (measured.failed > 0) throw new Error(`${measured.failed} sends failed`);
        rates[side].push(measured);
        progress(`sends ${side} the projection: ${Math.round(measured.rate)}/s, p99 ${shown(measured.p99)} ms`);
        await sleep(3_000);
      }
    const [withIt, without] = [rates.with, rates.without].map((each) => median(each.map(({ rate }) => rate)));
    result.push({
      name: "sends a second with the projection; limit: without",
      ours: Math.round(withIt),
      limit: Math.round(without),
      ratio: Number((withIt / without).toFixed(2)),
      p50: shown(median(rates.with.map(({ p50 }) => p50))),
      p99: shown(median(rates.with.map(({ p99 }) => p99))),
    });
    return result;
  } finally {
    for (const stop of stops.reverse()) await stop();
    await database.close();
    await rm(dataFolder, { recursive: true, force: true });
  }
};
