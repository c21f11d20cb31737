import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { serviceProcess, type ServiceProcess } from "../../service-process.ts";
import { conversationsOfOnePartition } from "./partition-fixture.ts";
import { entityOf, ofKind, receiver, messageTextOf, type FakeSubscriber } from "./fake-subscriber.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import {
  firstChannelId,
  conversationFixture,
  type ConversationFixture,
} from "../../messaging/conversations/conversation-fixture.ts";

const HOLDERS = statement(
  "",
  `select count(*)::integer as partitions
     from pg_locks
    where locktype = 'advisory' and classid = ${0x7061_7202}::oid and granted
      and database = (select oid from pg_database where datname = current_database())
    group by pid
    order by 1`,
);

const COUNT = statement("", "select count(*)::integer as total from outbox");

const TERMINATE = statement(
  "",
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
);

let database: Database;
let pool: Pool;
let host: FakeSubscriber;
/** Takes some time, so that requests are in progress at any moment. */
const working = (ms: number) => async (): Promise<number> => {
  await setTimeout(ms);
  return 200;
};

beforeEach(async () => {
  database = await testDatabase({
    key: `service ${JSON.stringify(SERVICE_MIGRATIONS)}`,
    run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS),
  });
  pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  host = await receiver(working(5));
});
const started: (ServiceHarness | ServiceProcess)[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => ("kill" in each ? each.kill() : each.close())));
  await database.close();
  await host.close();
});

/** The service in this process; the first one creates the subscription. */
const start = async (): Promise<ServiceHarness> => {
  const w = await serviceHarness({ database });
  started.push(w);
  await w.admin.subscribe({ account: "acme", name: "processes", kind: "app", url: host.url });
  return w;
};

const startProcess = async (): Promise<ServiceProcess> => {
  const child = await serviceProcess(database);
  started.push(child);
  return child;
};

const partitions = async () => (await pool.rows<{ partitions: number }>(HOLDERS, [])).map((row) => row.partitions);
const untilPartitions = async (expected: readonly number[]): Promise<void> => {
  let seen = await partitions();
  await waitUntil(async () => String((seen = await partitions())) === String(expected), {
    details: () => `${String(seen)} in place of ${String(expected)}`,
  });
};

const TEXTS = Array.from({ length: 15 }, (_, index) => `${index}`);
const conversationsOf = async (
  service: Pick<ServiceHarness, "client">,
  count: number,
): Promise<ConversationFixture[]> => {
  const channel = await firstChannelId(service);
  return Promise.all(Array.from({ length: count }, () => conversationFixture(service, channel)));
};

/** Sends all texts in each conversation, until one is not acknowledged. -> the acknowledged ones by conversation */
const sayAll = async (
  conversations: readonly ConversationFixture[],
  before: ReadonlyMap<ConversationFixture, string[]> = new Map(),
): Promise<Map<ConversationFixture, string[]>> => {
  const acknowledged = new Map(conversations.map((each) => [each, [...(before.get(each) ?? ["first"])]]));
  await Promise.all(
    conversations.map(async (each) => {
      for (const text of TEXTS) {
        const isSaid = await each.sendMessage(text).then(
          () => true,
          () => false,
        );
        if (!isSaid) return;
        acknowledged.get(each)?.push(text);
      }
    }),
  );
  return acknowledged;
};

/** Received texts of a conversation, without duplicate event ids. */
const receivedTexts = ({ conversationId }: ConversationFixture): (string | undefined)[] => {
  const own = ofKind(host.accepted, "message_create").filter((event) => entityOf(event) === conversationId);
  return own.filter((event, index) => own.findIndex(({ id }) => id === event.id) === index).map(messageTextOf);
};
const untilReceived = async (acknowledged: ReadonlyMap<ConversationFixture, string[]>): Promise<void> => {
  await host.until(() => [...acknowledged].every(([each, texts]) => receivedTexts(each).length >= texts.length));
  // Requests in progress when a process was killed may have been committed without an acknowledgement.
  for (const [each, texts] of acknowledged) expect(receivedTexts(each).slice(0, texts.length)).toEqual(texts);
};

describe("two processes on one database", () => {
  test("share the partitions, notify each other, and keep each conversation's order", async () => {
    const one = await start();
    const other = await start();
    await untilPartitions([32, 32]);
    const acknowledged = await sayAll([...(await conversationsOf(one, 8)), ...(await conversationsOf(other, 8))]);
    await untilReceived(acknowledged);
    expect(host.accepted).toHaveLength(16 * (TEXTS.length + 3));
    expect(host.received.every(({ inProgressOfEntity }) => inProgressOfEntity === 1)).toBe(true);
    await other.close();
    await untilPartitions([64]);
  });

  test("lose no event when one of them is killed during deliveries: the other one continues", async () => {
    const one = await start();
    const other = await startProcess();
    await untilPartitions([32, 32]);
    const saying = sayAll(await conversationsOf(one, 16));
    await host.until(({ received }) => received.length >= 80);
    await other.kill();
    await untilPartitions([64]);
    await untilReceived(await saying);
  });
});

test("a process that is suspended loses its partitions, and delivers nothing out of order when it resumes", async () => {
  const one = await start();
  const other = await startProcess();
  await untilPartitions([32, 32]);
  const conversations = await conversationsOf(one, 16);
  const saying = sayAll(conversations);
  await host.until(({ received }) => received.length >= 80);
  other.signal("SIGSTOP");
  const acknowledged = await saying;
  await untilPartitions([64]);
  await untilReceived(acknowledged);
  other.signal("SIGCONT");
  await untilPartitions([32, 32]);
  await untilReceived(await sayAll(conversations, acknowledged));
});

describe("a process that loses all its connections to the database", () => {
  test("reconnects, leases its partitions again and delivers every event in order", async () => {
    const one = await start();
    await untilPartitions([64]);
    host.replyWith(working(60));
    const acknowledged = await sayAll(await conversationsOf(one, 16));
    expect(host.accepted.length).toBeLessThan(16 * (TEXTS.length + 3));
    await pool.rows(TERMINATE, []);
    await untilPartitions([64]);
    await untilReceived(acknowledged);
    const after = (await conversationsOf(one, 1))[0] as ConversationFixture;
    await after.sendMessage("after");
    await host.until(() => receivedTexts(after).includes("after"));
  });
});

describe("a process that starts in place of another process", () => {
  test("that was killed during deliveries delivers every acknowledged event in order", async () => {
    await (await start()).close();
    const killed = await startProcess();
    const saying = sayAll(await conversationsOf(killed, 16));
    await host.until(({ received }) => received.length >= 80);
    await killed.kill();
    const acknowledged = await saying;
    await start();
    await untilReceived(acknowledged);
  });

  test("that was stopped with pending events continues there, and repeats none that was accepted", async () => {
    const closed = await start();
    const [failing, other] = await conversationsOfOnePartition(closed, await firstChannelId(closed));
    let isFailing = true;
    host.replyWith(async ({ event }) => {
      await setTimeout(60);
      return isFailing && messageTextOf(event) === "refused" ? 500 : 200;
    });
    await failing.sendMessage("refused");
    // Accepted although an earlier event of the partition is pending.
    await other.sendMessage("accepted");
    await host.until(() => receivedTexts(other).includes("accepted"));
    const acknowledged = await sayAll(await conversationsOf(closed, 16));
    await closed.close();
    const before = new Set(host.accepted.map(({ id }) => id));
    isFailing = false;
    await start();
    await untilReceived(acknowledged);
    const [{ total } = { total: 0 }] = await pool.rows<{ total: number }>(COUNT, []);
    expect(before.size).toBeLessThan(total);
    await host.until(({ accepted }) => new Set(accepted.map(({ id }) => id)).size >= total);
    expect(receivedTexts(failing)).toEqual(["first", "refused"]);
    expect(host.accepted.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index)).toEqual([]);
  });
});
