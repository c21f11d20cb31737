/**
 * Section `lists`: response times of distant pages of GET /users compared with the first page, and the time of OFFSET and count(*) for the same
 * page on the same rows.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { embeddedUrl, openDatabase, statement } from "../packages/database/dist/index.js";
import { generateLoad as load, SERVICE_SCHEMA as SCHEMA } from "../packages/service/dist/index.js";
import { startLoad, startServer } from "./processes.mjs";
import { median } from "./median.mjs";

const ACCOUNT = "load";
const PAGE_SIZE = 10;
/** Positions of the measured pages in the list; of a million users the pages 1, 1,000, 50,000 and 100,000. */
const PAGE_POSITIONS = [0, 0.01, 0.5, 1];
const ALL_USERS = { created_from: "1970-01-01T00:00:00Z" };

const OFFSET = statement(
  "",
  `select (select count(*) from users where account_id = $1 and deleted_time is null and created_time >= $4) as total,
          string_agg(body, ',' order by created_time, sequence) as items
     from (
       select * from users where account_id = $1 and deleted_time is null and created_time >= $4
        order by created_time, sequence limit $2 offset $3
     ) as page`,
);

const pagesOf = (users) => PAGE_POSITIONS.map((depth) => Math.max(1, Math.round((users / PAGE_SIZE) * depth)));

/** The lists with pages at every depth; the filter starts at the median, so that list has half as many pages. */
const listsOf = (users, middle) => [
  { name: "asc", query: { ...ALL_USERS }, pages: pagesOf(users) },
  { name: "desc", query: { ...ALL_USERS, sort_order: "desc" }, pages: pagesOf(users) },
  { name: "created_from", query: { created_from: middle }, pages: pagesOf(users / 2.1) },
];

const shown = (milliseconds) => Number(milliseconds.toFixed(2));

/** @shape `[{ name, ours, limit, ratio, p50, p99 }]`; limit: the first page; ratio: relative to the first page @units milliseconds */
export const measureLists = async ({ rounds, seconds, users, messages, progress }) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const database = await openDatabase({ dataFolder, log: progress });
  const driver = startLoad();
  const stops = [() => driver.stop()];
  try {
    const begun = performance.now();
    let lastReportAt = begun;
    await load({
      database,
      account: ACCOUNT,
      users,
      messages,
      seed: 1,
      progress: (done) => {
        if (performance.now() - lastReportAt < 10_000) return;
        lastReportAt = performance.now();
        progress(`loading: ${done.users} users, ${done.messages} messages`);
      },
    });
    progress(`${users} users and ${messages} messages loaded in ${Math.round((performance.now() - begun) / 1_000)} s`);

    const pool = database.pool(SCHEMA, { max: 1 });
    const one = async (text, values = []) => (await pool.rows(statement("", text), values))[0];
    const { id } = await one("select id from accounts where name = $1", [ACCOUNT]);
    const { middle } = await one(
      "select percentile_disc(0.5) within group (order by created_time) as middle from users",
    );
    const server = await startServer("ours.mjs", embeddedUrl(dataFolder), ACCOUNT);
    stops.push(server.stop);

    const measured = listsOf(users, middle.toISOString()).flatMap(({ name, query, pages }) =>
      pages.map((page) => ({ list: name, page, query: { ...query, page }, first: page === pages[0], results: [] })),
    );
    for (let round = 0; round < rounds; round++)
      for (const each of measured) {
        const path = `/v2/users?${new URLSearchParams(each.query)}`;
        const requests = [{ method: "GET", path, headers: { authorization: `Bearer ${server.token}` } }];
        const result = await driver.run({
          port: server.port,
          requests,
          connections: 1,
          warmup: 0.2,
          seconds: seconds / 4,
        });
        if (result.failed > 0) throw new Error(`${path}: ${result.failed} responses were not 200`);
        each.results.push(result);
      }

    const rows = measured.map(({ list, page, first, results }) => {
      const of = (name) => median(results.map((result) => result[name]));
      const base = measured.find((other) => other.list === list && other.first).results;
      const ratio = median(results.map(({ p50 }, round) => p50 / base[round].p50));
      const limit = first ? of("p50") : median(base.map(({ p50 }) => p50));
      return {
        name: `users ${list}, page ${page} (ms)`,
        ours: shown(of("p50")),
        limit: shown(limit),
        ratio: shown(ratio),
        p50: shown(of("p50")),
        p99: shown(of("p99")),
      };
    });
    for (const page of pagesOf(users)) {
      const times = [];
      for (let round = 0; round < 5; round++) {
        const from = performance.now();
        await pool.rows(OFFSET, [id, PAGE_SIZE, (page - 1) * PAGE_SIZE, "1970-01-01"]);
        times.push(performance.now() - from);
      }
      const taken = shown(median(times));
      rows.push({
        name: `OFFSET and count(*) alone, page ${page} (ms)`,
        ours: null,
        limit: taken,
        ratio: null,
        p50: taken,
        p99: null,
      });
    }
    return rows;
  } finally {
    for (const stop of stops.reverse()) await stop();
    await database.close();
    await rm(dataFolder, { recursive: true, force: true });
  }
};
