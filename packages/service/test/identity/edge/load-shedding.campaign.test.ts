import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceProcess, type ServiceProcess } from "../../service-process.ts";
import {
  firstChannelId,
  conversationFixture,
  type ConversationFixture,
} from "../../messaging/conversations/conversation-fixture.ts";

/** A service under more load than it accepts. */
let database: Database;
let pool: Pool;
let service: ServiceProcess;
let conversations: ConversationFixture[];
beforeAll(async () => {
  const key = `service ${JSON.stringify(SERVICE_MIGRATIONS)}`;
  database = await testDatabase({ key, run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS) });
  pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  service = await serviceProcess(database);
  const channel = await firstChannelId(service);
  conversations = [await conversationFixture(service, channel), await conversationFixture(service, channel)];
});
afterAll(async () => {
  await service.kill();
  await database.close();
});

/** Requests that a process accepts at a time. */
const ACCEPTED = 4_096;
/** Requests that are refused before their body is read. */
const REFUSED = 1_904;
const LOCK_CONVERSATION = statement("", "select from conversations where id = $1 for update");

interface TimedResponse {
  readonly status: number;
  readonly retry: string | undefined;
}

const messageOf = ({ userId }: ConversationFixture, content: string) =>
  JSON.stringify({ actor_type: "user", actor_id: userId, message_parts: [{ text: { content } }] });

interface OpenRequest {
  readonly response: Promise<TimedResponse>;
  /** Sends the last byte of the body. */
  readonly complete: () => void;
}

/** A request on its own connection, sent without the last byte of its body. */
const openPost = (each: ConversationFixture, body: string): OpenRequest => {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.write(
    `POST /v2/conversations/${each.conversationId}/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body.slice(0, -1)}`,
  );
  const response = new Promise<TimedResponse>((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("error", reject);
    socket.on("close", () => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      resolve({ status, retry: /retry-after: (\d+)/i.exec(text)?.[1] });
    });
  });
  return { response, complete: () => socket.write(body.slice(-1)) };
};

const post = (each: ConversationFixture, body: string): Promise<TimedResponse> => {
  const { response, complete } = openPost(each, body);
  complete();
  return response;
};

const peakOf = async (pid: number): Promise<number> =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

test("thousands of concurrent requests are all answered, those beyond the limit at once with 503, and memory stays bounded", async () => {
  const [first] = conversations as [ConversationFixture, ConversationFixture];
  const body = messageOf(first, "x".repeat(8_000));
  const before = await peakOf(service.pid);
  const requests = Array.from({ length: ACCEPTED + REFUSED }, () => openPost(first, body));
  // No body is complete, so only the limit can end a request. Without it this waits until the test's time is over.
  const refused: TimedResponse[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const { response } of requests)
      response.then((responses) => void (refused.push(responses) === REFUSED && resolve()), reject);
  });
  expect(new Set(refused.map(({ status, retry }) => `${status} ${retry}`))).toEqual(new Set(["503 1"]));
  for (const { complete } of requests) complete();
  const responses = await Promise.all(requests.map(({ response }) => response));
  const count = (status: number) => responses.filter((response) => response.status === status).length;
  expect(count(200) + count(503)).toBe(ACCEPTED + REFUSED);
  expect(count(200)).toBeGreaterThan(1_000);
  expect((await peakOf(service.pid)) - before).toBeLessThan(400);
});

test("a lock on one conversation ends that conversation's messages with 503, and no other's", async () => {
  const [locked, free] = conversations as [ConversationFixture, ConversationFixture];
  await pool.transaction(async (tx) => {
    await tx.rows(LOCK_CONVERSATION, [locked.conversationId]);
    const [held, other] = await Promise.all([
      post(locked, messageOf(locked, "held")),
      post(free, messageOf(free, "free")),
    ]);
    expect(held).toMatchObject({ status: 503, retry: "1" });
    expect(other.status).toBe(200);
  });
  expect(await post(locked, messageOf(locked, "again"))).toMatchObject({ status: 200 });
});
