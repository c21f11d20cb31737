import type { IncomingMessage, ServerResponse } from "node:http";
import { mock } from "node:test";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  isNoAnswerError,
  isProblemError,
  sessionClient,
  type SessionClientOptions,
  type StreamState,
} from "@parley/client/session";
import { brokenConnection, jsonReply, refusalReply, startFakeService } from "./fake-service.ts";

let open: Awaited<ReturnType<typeof startFakeService>> | undefined;
afterEach(() => {
  mock.timers.reset();
  open?.close();
});

const TOKEN = "canary-of-the-token";
const headers: IncomingMessage["headers"][] = [];
const against = async (options: Partial<SessionClientOptions>, ...replies: Parameters<typeof startFakeService>) => {
  headers.length = 0;
  open = await startFakeService(
    ...replies.map((reply) => (request: IncomingMessage, response: ServerResponse) => {
      headers.push(request.headers);
      reply(request, response);
    }),
  );
  return {
    client: sessionClient({ url: open.url, sessionToken: () => TOKEN, ...options }),
    received: open.received,
  };
};
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
/** Lets connections proceed, also while the timers are those of the test. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Collects objects that nothing refers to. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};
const busy = refusalReply(503, "SERVICE_UNAVAILABLE", { "retry-after": "0" });
const DRAFTS = jsonReply(200, { drafts: [] });

describe("a call", () => {
  test("of each table reaches its path with the token of the session", async () => {
    const { client, received } = await against({}, jsonReply(200, {}));
    await client.users.getUser({ params: { user_id: "a/b" } });
    await client.sessions.getSession();
    await client.inbox.listInbox({ query: { status: "open", limit: 5 } });
    await client.conversations.updateConversation({ params: { conversation_id: "1" }, body: { status: "resolved" } });
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v2/users/a%2Fb",
      "GET /identity/session",
      "GET /console/api/conversations?status=open&limit=5",
      "PUT /v2/conversations/1",
    ]);
    expect(headers.map(({ "x-session-token": token }) => token)).toEqual(Array.from({ length: 4 }, () => TOKEN));
    expect(received[3]?.body).toBe('{"status":"resolved"}');
  });
  test("without a session has no token", async () => {
    const { client } = await against({ sessionToken: () => undefined }, jsonReply(200, {}));
    await client.signIn.getSignInMethods();
    expect(headers[0]).not.toHaveProperty("x-session-token");
  });
  test("that creates something is repeated with the same idempotency key", async () => {
    const { client, received } = await against({}, brokenConnection, busy, jsonReply(201, { id: "1" }));
    await expect(client.users.createUser({ body: { first_name: "Ann" } })).resolves.toEqual({ id: "1" });
    expect(received).toHaveLength(3);
    expect(received[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
  });
  test("that is refused throws the problem, with headers", async () => {
    const { client, received } = await against({}, refusalReply(404, "USER_NOT_FOUND", { "x-one": "1" }));
    const error = await failureOf(client.users.getUser({ params: { user_id: "1" } }));
    expect(isProblemError(error, "USER_NOT_FOUND") && error.headers["x-one"]).toBe("1");
    expect(received).toHaveLength(1);
  });
  test("to a proxy that answers in HTML throws a problem with the status", async () => {
    const html = (_: IncomingMessage, reply: ServerResponse) => void reply.writeHead(500).end("<h1>Failed</h1>");
    const { client } = await against({}, html);
    expect(await failureOf(client.drafts.listDrafts())).toMatchObject({
      problem: { code: 500, status: "INTERNAL_SERVER_ERROR" },
    });
  });
  test("is not redirected", async () => {
    const moved = (_: IncomingMessage, reply: ServerResponse) =>
      void reply.writeHead(302, { location: "/elsewhere" }).end();
    const { client, received } = await against({ retries: { maxRetries: 0 } }, moved);
    expect(isNoAnswerError(await failureOf(client.drafts.listDrafts()))).toBe(true);
    expect(received).toHaveLength(1);
  });
  test("without a response throws an error without the token", async () => {
    const { client } = await against({ retries: { maxRetries: 0 } }, brokenConnection);
    const error = await failureOf(client.drafts.listDrafts());
    expect(error).toMatchObject({ name: "NoAnswerError", lost: true });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  });
  test("ends after its time limit, and by its signal", async () => {
    const { client } = await against({ timeoutMs: 50, retries: { maxRetries: 0 } }, () => undefined);
    expect(await failureOf(client.drafts.listDrafts())).toMatchObject({ code: "ECONNABORTED", lost: false });
    const stop = new AbortController();
    const failed = failureOf(client.drafts.listDrafts({ signal: stop.signal }));
    stop.abort();
    expect(await failed).toMatchObject({ code: "ERR_CANCELED", lost: false });
  });
  test("ends after its time limit and by its signal also if the response stays incomplete", async () => {
    const stalling = (_: IncomingMessage, reply: ServerResponse) => void reply.writeHead(200).write("{");
    const { client, received } = await against({ timeoutMs: 300, retries: { maxRetries: 0 } }, stalling);
    const stop = new AbortController();
    const late = failureOf(client.drafts.listDrafts());
    const canceled = failureOf(client.drafts.listDrafts({ signal: stop.signal }));
    while (received.length < 2) await turn();
    collectGarbage();
    stop.abort();
    expect(await canceled).toMatchObject({ code: "ERR_CANCELED" });
    expect(await late).toMatchObject({ code: "ECONNABORTED" });
  });
  test("uploads a file of the page as a form", async () => {
    const { client, received } = await against({}, jsonReply(201, { file_hash: "h" }));
    const content = new File(["text"], "ignored.txt");
    await client.files.uploadFile({ upload: { name: "a.txt", content_type: "text/plain", content } });
    expect(received[0]?.body).toMatch(/name="file"; filename="a\.txt"\r\nContent-Type: text\/plain\r\n\r\ntext\r\n/);
  });
  test("of a list iterates over its pages", async () => {
    const { client, received } = await against(
      {},
      jsonReply(200, { agents: [{ id: "1" }], links: { next_page: { href: "/v2/agents?page=2" } } }),
      jsonReply(200, { agents: [{ id: "2" }], links: {} }),
    );
    const ids: string[] = [];
    for await (const { id } of client.agents.listAgents.items()) ids.push(id);
    expect(ids).toEqual(["1", "2"]);
    expect(received[1]?.url).toBe("/v2/agents?page=2");
  });
  test("of an export resolves to a file", async () => {
    const lines = (_: IncomingMessage, reply: ServerResponse) =>
      void reply.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"kind":"user"}\n');
    const { client } = await against({}, lines);
    const file = await client.customers.exportCustomer({ params: { user_id: "1" } });
    expect(await file.text()).toBe('{"kind":"user"}\n');
  });
});

describe("a refused session", () => {
  const admits =
    (good: string) =>
    (request: IncomingMessage, reply: ServerResponse): void =>
      (request.headers["x-session-token"] === good ? DRAFTS : refusalReply(401, "UNAUTHENTICATED"))(request, reply);

  test("is reported once for concurrent calls, which are repeated with the new token", async () => {
    let token = "old";
    let reports = 0;
    const onUnauthorized = async () => {
      reports++;
      token = await Promise.resolve("new");
    };
    const { client } = await against({ sessionToken: () => token, onUnauthorized }, admits("new"));
    await Promise.all(Array.from({ length: 5 }, () => client.drafts.listDrafts()));
    expect(reports).toBe(1);
  });
  test("throws if there is no new token", async () => {
    let reports = 0;
    const { client, received } = await against({ onUnauthorized: () => void reports++ }, admits("new"));
    expect(isProblemError(await failureOf(client.drafts.listDrafts()), "UNAUTHENTICATED")).toBe(true);
    expect([reports, received.length]).toEqual([1, 1]);
  });
  test("is repeated with a token that another tab has stored, also without a listener", async () => {
    const tokens = ["old", "new", "new"];
    const { client } = await against({ sessionToken: () => tokens.shift() }, admits("new"));
    await expect(client.drafts.listDrafts()).resolves.toEqual({ drafts: [] });
  });
  test("is not what a wrong password means", async () => {
    let reports = 0;
    const { client } = await against({ onUnauthorized: () => void reports++ }, refusalReply(401, "SIGN_IN_FAILED"));
    const call = client.signIn.signInByPassword({ body: { email: "a@acme.example", password: "p" } });
    expect(isProblemError(await failureOf(call), "SIGN_IN_FAILED")).toBe(true);
    expect(reports).toBe(0);
  });
});

const STREAM = { "content-type": "text/event-stream" };
const streamReply =
  (...blocks: readonly string[]) =>
  (_: IncomingMessage, reply: ServerResponse) =>
    void reply.writeHead(200, STREAM).end(["retry: 5", ...blocks, ""].join("\n\n"));
const START = 'event: stream_start\ndata: {"stream_id":"s"}';
const event = (id: number) => `id: ${id}\nevent: user_create\ndata: {"id":"e${id}"}`;

describe("the stream of the console", () => {
  const positions = () => headers.map(({ "last-event-id": position }) => position);

  test("reconnects from its first connection on, continues where it was, and reports its state", async () => {
    const { client } = await against(
      {},
      brokenConnection,
      busy,
      streamReply("id: 1", START, event(2)),
      streamReply(START, event(3)),
    );
    const states: StreamState[] = [];
    const items: string[] = [];
    for await (const item of client.live.streamConsole({ onState: (state) => states.push(state) })) {
      items.push(`${item.event} ${item.id}`);
      if (item.event === "user_create" && item.data.id === "e3") break;
    }
    expect(items).toEqual(["stream_start 1", "user_create 2", "stream_start 2", "user_create 3"]);
    expect(positions()).toEqual([undefined, undefined, undefined, "2"]);
    const round = ["connecting", "waiting"];
    expect(states).toEqual([...round, ...round, "connecting", "open", "waiting", "connecting", "open"]);
  });
  test("waits as long as a refusal asks for", async () => {
    const full = refusalReply(429, "TOO_MANY_STREAMS", { "retry-after": "600" });
    const { client, received } = await against({}, full, streamReply(event(1)));
    mock.timers.enable({ apis: ["setTimeout"] });
    let isWaiting = false;
    const onState = (state: StreamState) => void (isWaiting = state === "waiting");
    const items = client.live.streamConsole({ lastEventId: "0", onState })[Symbol.asyncIterator]();
    const first = items.next();
    while (!isWaiting) await turn();
    mock.timers.tick(599_999);
    for (let turns = 0; turns < 100; turns++) await turn();
    expect(received).toHaveLength(1);
    while (received.length < 2) {
      mock.timers.tick(1);
      await turn();
    }
    const { value } = (await first) as { readonly value: { readonly id: string } };
    expect([value.id, positions()]).toEqual(["1", ["0", "0"]]);
    await items.return?.();
  });
  test("ends by its signal while it is idle, and closes its connection", async () => {
    let [isOpen, isClosed] = [false, false];
    const { client } = await against({}, (_, reply) => {
      reply.once("close", () => (isClosed = true));
      reply.writeHead(200, STREAM).write(`${START}\n\n`);
    });
    const stop = new AbortController();
    const walk = async () => {
      const onState = (state: StreamState) => void (isOpen ||= state === "open");
      for await (const item of client.live.streamConsole({ signal: stop.signal, onState }))
        if (item.event === "reset") break;
    };
    const ended = walk();
    while (!isOpen) await turn();
    collectGarbage();
    stop.abort();
    await ended;
    while (!isClosed) await turn();
  });
  test("ends with a refusal that no reconnect solves, and by its signal", async () => {
    const { client } = await against({}, refusalReply(401, "UNAUTHENTICATED"));
    const walk = async (signal?: AbortSignal) => {
      const ids: string[] = [];
      for await (const { id } of client.live.streamConsole(signal && { signal })) ids.push(id);
      return ids;
    };
    expect(isProblemError(await failureOf(walk()), "UNAUTHENTICATED")).toBe(true);
    expect(await walk(AbortSignal.abort())).toEqual([]);
  });
});

/** Checked by the compiler, never called. */
export const types = async () => {
  const client = sessionClient({ sessionToken: () => undefined });
  for await (const item of client.live.streamConsole()) {
    if (item.event === "presence") return item.data.agents[0]?.state === "typing";
    if (item.event === "own_change") return item.data.kind === "draft";
    if (item.event === "message_create") return item.data.data.message?.conversation_id;
    // @ts-expect-error an unknown event
    if (item.event === "message_delete") return undefined;
  }
  // @ts-expect-error ratings are sent by integrations only
  await client.csat.createCsat;
  // @ts-expect-error a mandatory body
  await client.drafts.saveDraft({ params: { conversation_id: "1" } });
  // @ts-expect-error an unknown state
  await client.live.reportPresence({ params: { conversation_id: "1" }, body: { state: "gone" } });
  return (await client.inbox.countInbox()).by_agent["1"];
};
