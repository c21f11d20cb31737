/** Section `reports`: duration and memory of transcripts of few and of many messages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { openDatabase, statement } from "../packages/database/dist/index.js";
import { withOwnServer } from "./own-server.mjs";
import { startServer } from "./processes.mjs";

/** Number of messages of the baseline. */
const BASELINE_MESSAGES = 100_000;
const HOUR = 3_600_000;

/** Copies a conversation's first message, with times spread over the preceding 23 hours. */
const FILL = statement(
  "",
  `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
   select copies.id, m.conversation_id, nextval('log_positions'),
          m.created_time - (1 - copies.n::float8 / $1) * interval '23 hours', m.interaction_id,
          replace(m.body, m.id::text, copies.id::text)
     from (select * from messages order by seq limit 1) m,
          (select n, gen_random_uuid() as id from generate_series(1, $1::integer) n) copies`,
);
const EMPTY = statement("", "delete from messages where seq > (select min(seq) from messages)");

/** @units megabytes */
const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const caller =
  ({ port, token }) =>
  async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };

/** @shape `[{ name, seconds, "rows a second", "MB before", "MB at most" }]` */
export const measureReports = ({ transcript, progress }) =>
  withOwnServer(progress, async (server, dataFolder) => {
    const stops = [];
    try {
      const url = await server.createDatabase("bench_reports");
      const ours = await startServer("ours.mjs", url, "acme", join(dataFolder, "objects"));
      stops.push(ours.stop);
      const own = await openDatabase({ dataFolder: "", url });
      stops.unshift(() => own.close());
      const rows = own.pool("parley_service", { max: 1 });
      const call = caller(ours);
      const { channels } = await call("GET", "/channels");
      const { id } = await call("POST", "/users", { first_name: "Ana" });
      const content = "Hello, my order has not come yet. Could you tell me where it is?";
      const messages = [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content } }] }];
      await call("POST", "/conversations", { channel_id: channels[0].id, users: [{ id }], messages });

      const results = [];
      for (const size of [BASELINE_MESSAGES, transcript]) {
        progress(`reports: inserting ${size} messages`);
        await rows.rows(EMPTY, []);
        await rows.rows(FILL, [size]);
        const before = memoryOf(ours.pid);
        const began = performance.now();
        const end = new Date();
        const start = new Date(end.getTime() - 23.9 * HOUR);
        const requested = await call("POST", "/reports/raw", { event: "Chat-Transcript", start, end });
        let peakMegabytes = before;
        let report;
        do {
          await elapse(100);
          peakMegabytes = Math.max(peakMegabytes, memoryOf(ours.pid));
          report = await call("GET", `/reports/raw/${requested.id}`);
        } while (report.status === "PENDING");
        if (report.status !== "COMPLETED") throw new Error(JSON.stringify(report));
        const seconds = (performance.now() - began) / 1000;
        results.push({
          name: `Chat-Transcript of ${size} messages`,
          seconds: Number(seconds.toFixed(1)),
          "rows a second": Math.round(size / seconds),
          "MB before": Math.round(before),
          "MB at most": Math.round(peakMegabytes),
        });
        progress(JSON.stringify(results.at(-1)));
      }
      return results;
    } finally {
      for (const stop of stops) await stop();
    }
  });
