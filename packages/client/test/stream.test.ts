import { afterEach, expect, test } from "@jest/globals";
import { isNoAnswerError, isProblemError, parleyClient, type StreamItem } from "@parley/client";
import { brokenConnection, refusalReply, startFakeService } from "./fake-service.ts";
import type { IncomingMessage, ServerResponse } from "node:http";

const STREAM = { "content-type": "text/event-stream" };
/** Responds with these blocks, and ends. */
const streamReply =
  (...blocks: readonly string[]) =>
  (_: IncomingMessage, reply: ServerResponse) =>
    void reply.writeHead(200, STREAM).end(["retry: 5", ...blocks, ""].join("\n\n"));
const event = (id: number) => `id: ${id}\nevent: user_create\ndata: {"id":"e${id}"}`;

let server: Awaited<ReturnType<typeof startFakeService>>;
const seen: (string | undefined)[] = [];
const open = async (...responses: Parameters<typeof startFakeService>) => {
  seen.length = 0;
  server = await startFakeService(
    ...responses.map((response) => (request: IncomingMessage, reply: ServerResponse) => {
      seen.push(request.headers["last-event-id"] as string | undefined);
      response(request, reply);
    }),
  );
  return server;
};
afterEach(() => server.close());

const firstIds = async (count: number, items: AsyncIterable<StreamItem>) => {
  const received: string[] = [];
  for await (const { id } of items) if (received.push(id) >= count) break;
  return received;
};

test("the stream continues where it was after an end, a broken connection, a temporary refusal, and a position without an event", async () => {
  await open(
    streamReply(event(1), event(2), "id: 7"),
    brokenConnection,
    refusalReply(503, "SERVICE_UNAVAILABLE", { "retry-after": "0" }),
    (_, reply) => void reply.writeHead(200, STREAM).end(`${event(8)}\n\n${event(9).slice(0, -4)}`),
    streamReply(event(9)),
  );
  const client = parleyClient({ url: server.url, token: "t" });
  expect(await firstIds(4, client.stream.events({ lastEventId: "0", query: { types: "user_create" } }))).toEqual([
    ..."1289",
  ]);
  expect(seen).toEqual(["0", "7", "7", "7", "8"]);
  expect(server.received[0]?.url).toBe("/v2/stream?types=user_create");
});

test("a permanent refusal is thrown completely; so is a failed first connection", async () => {
  await open(streamReply(event(1)), refusalReply(403, "FORBIDDEN"));
  const client = parleyClient({ url: server.url, token: "t" });
  const ids: string[] = [];
  const walk = async () => {
    for await (const { id } of client.stream.events()) ids.push(id);
  };
  const error: unknown = await walk().catch((reason: unknown) => reason);
  expect(isProblemError(error, "FORBIDDEN")).toBe(true);
  expect(ids).toEqual(["1"]);
  expect(seen).toEqual([undefined, "1"]);
  const nowhere = parleyClient({ url: "http://127.0.0.1:1", token: "t", retries: { maxRetries: 0 } });
  expect(isNoAnswerError(await firstIds(1, nowhere.stream.events()).catch((reason: unknown) => reason))).toBe(true);
});

test("an expired token is renewed, and the stream continues", async () => {
  await open(streamReply(event(1)), refusalReply(401, "UNAUTHENTICATED"), streamReply(event(2)));
  const client = parleyClient({ url: server.url, token: "old", onUnauthorized: () => "new" });
  expect(await firstIds(2, client.stream.events())).toEqual(["1", "2"]);
  expect(server.received.map(({ authorization }) => authorization)).toEqual(["Bearer old", "Bearer old", "Bearer new"]);
});

test("its signal ends it without an error, also while idle; leaving the iteration closes the connection", async () => {
  let closed: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  await open((_, reply) => {
    reply.writeHead(200, STREAM).write(`${event(1)}\n\n`);
    reply.once("close", () => closed?.());
  });
  const client = parleyClient({ url: server.url, token: "t" });
  const stop = new AbortController();
  const ids: string[] = [];
  for await (const { id } of client.stream.events({ signal: stop.signal })) {
    ids.push(id);
    setImmediate(() => stop.abort());
  }
  expect(ids).toEqual(["1"]);
  await gone;
});
