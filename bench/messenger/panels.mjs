/** Messages posted beside the streams of open panels. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureBeside } from "../beside-streams.mjs";
import { beginConversations, CONNECTIONS, jobsOf } from "../messages.mjs";
import { withOwnServer } from "../own-server.mjs";
import { startLoad, startServer } from "../processes.mjs";

const PANELS = 5_000;
/** Sessions that begin in a minute of the service's clock; its limit is 600. */
const PER_MINUTE = 500;
/** Visitors that begin at the same time. */
const PARALLEL = 25;
const API = "/messenger/api";

/** Begins a session and a conversation, as the panel does with the first message. -> the token */
const beginVisitor = async ({ port }, topic, index) => {
  const call = async (path, body, headers) => {
    const response = await fetch(`http://127.0.0.1:${port}${API}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const address = `10.0.${Math.floor(index / 50)}.${(index % 50) + 1}`;
  const { token } = await call("/sessions", { account: "acme" }, { "x-forwarded-for": address });
  const message = { message_parts: [{ text: { content: `Question ${index}` } }] };
  await call("/conversations", { topic_id: topic, message }, { authorization: `Bearer ${token}` });
  return token;
};

const beginVisitors = async (service, progress) => {
  const { topics } = await (
    await fetch(`http://127.0.0.1:${service.port}${API}/configuration?account=acme&origin=null`)
  ).json();
  const tokens = [];
  while (tokens.length < PANELS) {
    const from = tokens.length;
    tokens.push(
      ...(await Promise.all(
        Array.from({ length: PARALLEL }, (_, index) => beginVisitor(service, topics[0].id, from + index)),
      )),
    );
    if (tokens.length % PER_MINUTE === 0) {
      progress(`messenger: ${tokens.length} visitors have written`);
      await service.ask("minute");
    }
  }
  return tokens;
};

/** @shape rows of `measureBeside` */
export const measurePanels = ({ rounds, seconds, progress }) =>
  withOwnServer(progress, async (server) => {
    const load = startLoad();
    const stops = [() => load.stop()];
    const folder = await mkdtemp(join(tmpdir(), "parley-bench-panels-"));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    try {
      const url = await server.createDatabase("bench_panels");
      const service = await startServer("messenger/panels-service.mjs", url, folder);
      stops.push(service.stop);
      const readers = await startServer("readers.mjs");
      stops.push(readers.stop);
      const tokens = await beginVisitors(service, progress);
      const [posts] = jobsOf({ ...service, conversations: await beginConversations(service) });
      const run = async () => {
        const result = await load.run({ ...posts, connections: CONNECTIONS, warmup: 1, seconds });
        if (result.failed > 0) throw new Error(`${result.failed} responses were not 2xx`);
        return result;
      };
      await run();
      const row = {
        name: `POST beside the streams of ${PANELS} open panels of the account`,
        streams: tokens.map((token) => ({ port: service.port, token, path: `${API}/stream` })),
      };
      return [await measureBeside(row, { run, readers, pid: service.pid, rounds, progress })];
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });
