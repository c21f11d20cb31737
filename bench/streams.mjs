/** Section `streams`: messages a second beside open event streams, compared with the same service without them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beginConversations, CONNECTIONS, jobsOf } from "./messages.mjs";
import { measureBeside } from "./beside-streams.mjs";
import { withOwnServer } from "./own-server.mjs";
import { startLoad, startServer } from "./processes.mjs";

/** Streams of one account, and of many accounts. */
const OF_ONE = 2_000;
const OF_MANY = 5_000;
/** Streams that one token may have. */
const PER_TOKEN = 20;
const ACCOUNTS = OF_MANY / PER_TOKEN;

const repeated = (count, of) => Array.from({ length: count }, (_, index) => of(index));

/** The rows: the streams that are open while the messages of the account acme are posted. */
const situationsOf = ({ port, own, others }, idle) => {
  const ofOwn = (count, path) =>
    repeated(count, (index) => ({ port, token: own[Math.floor(index / PER_TOKEN)], path: path(index) }));
  const ofMany = repeated(OF_MANY, (index) => ({
    port,
    token: others[Math.floor(index / PER_TOKEN)],
    path: "/v2/stream",
  }));
  return [
    {
      name: `POST beside ${OF_ONE} idle streams of the account`,
      streams: ofOwn(OF_ONE, (index) => `/v2/stream?conversation_id=${idle[index % idle.length].id}`),
    },
    { name: `POST beside ${OF_MANY} idle streams of ${ACCOUNTS} accounts`, streams: ofMany },
    {
      name: `POST beside ${OF_ONE} streams that receive each of the messages`,
      streams: ofOwn(OF_ONE, () => "/v2/stream"),
    },
  ];
};

const measureOn = async (server, { rounds, seconds, only, progress }) => {
  const load = startLoad();
  const stops = [() => load.stop()];
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-streams-"));
  stops.push(() => rm(folder, { recursive: true, force: true }));
  try {
    const url = await server.createDatabase("bench_streams");
    const service = await startServer("streams-service.mjs", url, folder, OF_ONE / PER_TOKEN, ACCOUNTS);
    stops.push(service.stop);
    const readers = await startServer("readers.mjs");
    stops.push(readers.stop);
    const [posts] = jobsOf({ ...service, conversations: await beginConversations(service) });
    const idle = await beginConversations(service);
    const run = async () => {
      const result = await load.run({ ...posts, connections: CONNECTIONS, warmup: 1, seconds });
      if (result.failed > 0) throw new Error(`${result.failed} responses were not 2xx`);
      return result;
    };
    await run();
    const rows = [];
    for (const row of situationsOf(service, idle))
      if (!only || row.name.includes(only))
        rows.push(await measureBeside(row, { run, readers, pid: service.pid, rounds, progress }));
    return rows;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};

/** @shape `[{ name, ours, without, ratio, p50, p99, idle, memory }]` @units requests a second; milliseconds; megabytes of the service */
export const measureStreams = (options) => withOwnServer(options.progress, (server) => measureOn(server, options));
