import { createServer, connect, type Server, type Socket, type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient, type StreamItem } from "@parley/client";
import { statement, type Database, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { serviceProcess } from "../../service-process.ts";
import {
  firstChannelId,
  conversationFixture,
  type ConversationFixture,
} from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { openStreamReader } from "./stream-reader-fixture.ts";

/** Two services on one database, and a connection to them that breaks. */
const RULES = { ...STREAM_RULES, retryMs: 20, cachedRows: 50, span: 100, batch: 8, stallMs: 300 };
let one: ServiceHarness;
let other: ServiceHarness;
let database: Database;
let pool: Pool;
beforeAll(async () => {
  one = await serviceHarness({ streamRules: RULES });
  ({ database } = one);
  other = await serviceHarness({ database, streamRules: RULES });
  pool = database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await other.close();
  await one.close();
});

/** A proxy to one service or the other. */
interface TcpProxy {
  readonly url: string;
  readonly cuts: () => number;
  /** Closes the open connections. */
  cut(): void;
  close(): Promise<void>;
}

async function tcpProxy(...services: readonly ServiceHarness[]): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  let count = 0;
  let cuts = 0;
  const server: Server = createServer((inbound) => {
    const { hostname, port } = new URL(services[count++ % services.length]?.url ?? "");
    const outbound = connect(Number(port), hostname);
    clients.add(inbound);
    for (const end of [inbound, outbound])
      end.on("error", () => undefined).on("close", () => (inbound.destroy(), outbound.destroy()));
    inbound.on("close", () => clients.delete(inbound));
    inbound.pipe(outbound).pipe(inbound);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    cut() {
      cuts += clients.size;
      for (const client of clients) client.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}

const LOG = statement(
  "",
  `select outbox.id
     from outbox
     join accounts on accounts.id = outbox.account_id
    where accounts.name = 'acme' and seq > $1
    order by seq`,
);
const END = statement("", "select coalesce(max(seq), 0) as seq from outbox");

const end = async (): Promise<number> => (await pool.one<{ seq: number }>(END, []))?.seq ?? 0;
/** Ids of acme's events after a position, in the log's order. */
const log = async (after: number) => (await pool.rows<{ id: string }>(LOG, [after])).map(({ id }) => id);
const conversations = async (
  count: number,
  speakers: readonly Pick<ServiceHarness, "client">[] = [one, other],
): Promise<ConversationFixture[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const service = speakers[index % speakers.length] as ServiceHarness;
      return conversationFixture(service, await firstChannelId(service));
    }),
  );
/** Each conversation gets `count` messages sequentially; all conversations at once. */
const sendAll = (all: readonly ConversationFixture[], count: number, text = "more") =>
  Promise.all(
    all.map(async ({ sendMessage }) => {
      for (let index = 0; index < count; index += 1) await sendMessage(`${text} ${index}`);
    }),
  );

test("no event is missing, duplicate or out of order while 1,000 events happen and the connection breaks repeatedly", async () => {
  const proxy = await tcpProxy(one, other);
  const first = await openStreamReader({ url: one.url, token: one.token });
  first.disconnect();
  const from = await end();
  const received: StreamItem[] = [];
  const stop = new AbortController();
  let due = Infinity;
  const client = parleyClient({ url: proxy.url, token: one.token });
  const reading = (async () => {
    for await (const item of client.stream.events({ lastEventId: first.cursor ?? "", signal: stop.signal })) {
      received.push(item);
      if (Math.random() < 0.015) proxy.cut();
      if (received.length >= due) return;
    }
  })();
  await sendAll(await conversations(20), 47);
  const loggedIds = await log(from);
  due = loggedIds.length;
  if (received.length >= due) stop.abort();
  await reading;
  await proxy.close();
  expect(due).toBe(1_000);
  expect(received.map(({ data }) => (data as { id: string }).id)).toEqual(loggedIds);
  expect(proxy.cuts()).toBeGreaterThan(0);
});

test("a client that reads nothing is disconnected, delays no other client, and can continue there", async () => {
  const slow = await openStreamReader({ url: one.url, token: one.token });
  const quick = await openStreamReader({ url: one.url, token: one.token });
  const from = await end();
  slow.pause();
  await sendAll(await conversations(10), 30, "x".repeat(60_000));
  const loggedIds = await log(from);
  await quick.until(() => quick.events.length === loggedIds.length);
  quick.disconnect();
  await new Promise((resolve) => setTimeout(resolve, RULES.stallMs));
  slow.resume();
  await slow.ended;
  const before = slow.events.map(({ data }) => data.id);
  expect(before.length).toBeLessThan(loggedIds.length);
  const again = await openStreamReader({ url: other.url, token: one.token, lastEventId: slow.cursor });
  await again.until(() => again.frames.length > loggedIds.length - before.length);
  again.disconnect();
  expect([...before, ...again.events.map(({ data }) => data.id)]).toEqual(loggedIds);
});

test("a stream of one process can be continued at another process, also after the first is killed", async () => {
  const child = await serviceProcess(database);
  const at = await openStreamReader({ url: child.url, token: child.token });
  const inbound = await openStreamReader({ url: one.url, token: one.token });
  const from = await end();
  const all = await conversations(4, [child, one]);
  await sendAll(all, 5);
  await at.until(() => at.events.length > 10);
  await child.kill();
  await at.ended;
  await sendAll(
    all.filter((_, index) => index % 2 === 1),
    5,
  );
  const loggedIds = await log(from);
  await inbound.until(() => inbound.events.length === loggedIds.length);
  expect(inbound.events.map(({ data }) => data.id)).toEqual(loggedIds);
  const on = await openStreamReader({ url: other.url, token: one.token, lastEventId: at.cursor });
  await on.until(() => at.events.length + on.events.length === loggedIds.length);
  expect([...at.events, ...on.events].map(({ data }) => data.id)).toEqual(loggedIds);
  for (const each of [inbound, on]) each.disconnect();
});

test("a service that closes ends its streams at once", async () => {
  const third = await serviceHarness({ database, streamRules: RULES });
  const open = await Promise.all([1, 2, 3].map(() => openStreamReader({ url: third.url, token: one.token })));
  await third.close();
  await Promise.all(open.map(({ ended }) => ended));
});
