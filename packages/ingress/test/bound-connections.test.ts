import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { boundConnections, type ConnectionBounds } from "../src/index.ts";

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const echo: RequestHandler = (request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => setImmediate(() => response.end(`<${request.url} ${body}>`)));
};
const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

interface RecordingServer {
  readonly port: number;
  /** Requests that reached the handler. */
  readonly handled: () => number;
  /** Maximum number of concurrent requests. */
  readonly concurrentMax: () => number;
}

/** A real server; without `bounds`, its connections are unbounded. */
const serve = async (reply: RequestHandler, bounds?: Partial<ConnectionBounds>): Promise<RecordingServer> => {
  let [handled, inProgress, concurrentMax] = [0, 0, 0];
  const server: Server = createServer({ keepAliveTimeout: 5_000 }, (request, response) => {
    handled += 1;
    inProgress += 1;
    concurrentMax = Math.max(concurrentMax, inProgress);
    response.prependListener("close", () => (inProgress -= 1));
    reply(request, response);
  });
  if (bounds) boundConnections(server, bounds);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => (server.close(), server.closeAllConnections()) });
  return { port: (server.address() as AddressInfo).port, handled: () => handled, concurrentMax: () => concurrentMax };
};

const dial = (port: number): Socket => {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  open.push({ close: () => socket.destroy() });
  return socket;
};

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Sends pieces, and reads until this number of responses has arrived. */
const exchange = (port: number, pieces: readonly string[], responses: number): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const socket = dial(port);
    const chunks: Buffer[] = [];
    let found = 0;
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      for (let at = chunk.indexOf(">"); at >= 0; at = chunk.indexOf(">", at + 1)) found += 1;
      if (found < responses) return;
      socket.destroy();
      resolve(
        Buffer.concat(chunks)
          .toString()
          .match(/<[^>]*>/g) ?? [],
      );
    });
    socket.on("close", () => reject(new Error(`closed after ${found} answers`)));
    socket.setNoDelay(true);
    const send = async () => {
      for (const piece of pieces) {
        socket.write(piece);
        if (pieces.length > 1) await wait(1);
      }
    };
    void send();
  });

const until = async (holds: () => boolean): Promise<void> => {
  for (let waited = 0; waited < 10_000 && !holds(); waited += 10) await wait(10);
  expect(holds()).toBe(true);
};

describe("requests of one connection are answered", () => {
  test.each([1, 8, 100, 5_000])("in their order, one at a time, when %i arrive together", async (count) => {
    const { port, concurrentMax } = await serve(echo, {});
    const paths = Array.from({ length: count }, (_, place) => `/${place}`);
    expect(await exchange(port, [paths.map(get).join("")], count)).toEqual(paths.map((path) => `<${path} >`));
    expect(concurrentMax()).toBe(1);
  });

  test("for any bodies, and for any division of their bytes into chunks", async () => {
    const { port } = await serve(echo, {});
    // From now on connections are read in slices.
    await exchange(port, [get("/deep").repeat(100)], 100);
    const bodies = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(bodies, cuts, async (lengths, sizes) => {
        const text = lengths.map((length, place) => post(`/${place}`, "x".repeat(length))).join("");
        const pieces: string[] = [];
        let from = 0;
        for (const size of sizes) pieces.push(text.slice(from, (from += size)));
        const expected = lengths.map((length, place) => `</${place} ${"x".repeat(length)}>`);
        expect(await exchange(port, [...pieces, text.slice(from)].filter(Boolean), lengths.length)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test("when each response is large", async () => {
    const { port } = await serve(
      (request, response) => void response.end(`<${request.url} ${"x".repeat(300_000)}>`),
      {},
    );
    const paths = Array.from({ length: 60 }, (_, place) => `/${place}`);
    const responses = await exchange(port, [paths.map(get).join("")], paths.length);
    expect(responses.map((text) => text.split(" ")[0])).toEqual(paths.map((path) => `<${path}`));
  });

  test("when a handler reads its body late while another request waits", async () => {
    const { port } = await serve((request, response) => void setTimeout(() => echo(request, response), 20), {});
    const body = "x".repeat(200_000);
    expect(await exchange(port, [post("/a", body) + get("/b")], 2)).toEqual([`</a ${body}>`, "</b >"]);
  });
});

describe("a client that reads no responses", () => {
  const large: RequestHandler = (_request, response) => void response.end("x".repeat(1_000_000));
  const flood = (port: number) => {
    for (let each = 0; each < 20; each++) dial(port).pause().write(get("/").repeat(2_000));
  };

  test("has one request handled at a time, and other clients get responses", async () => {
    const { port, handled } = await serve(
      (request, response) => (request.url === "/good" ? echo : large)(request, response),
      {},
    );
    flood(port);
    for (let index = 0; index < 150; index++) expect(await exchange(port, [get("/good")], 1)).toEqual(["</good >"]);
    // A few answers of each connection are in the system's own buffers.
    expect(handled()).toBeLessThan(150 + 20 * 20);
  });

  test("has all its responses in memory if the connections are unbounded", async () => {
    const { port, handled, concurrentMax } = await serve((_request, response) => void response.end("x"));
    const unbounded = await serve(large);
    flood(port);
    dial(unbounded.port).pause().write(get("/").repeat(200));
    await until(() => handled() === 40_000 && unbounded.handled() === 200);
    expect(concurrentMax()).toBeGreaterThan(1_000);
    expect(unbounded.concurrentMax()).toBeGreaterThan(150);
  });

  test("is disconnected after the time limit, and a client whose response is not ready is not", async () => {
    const closed: string[] = [];
    let slow: ServerResponse | undefined;
    const { port } = await serve(
      (request, response) => {
        request.socket.on("close", () => closed.push(request.url ?? ""));
        if (request.url === "/large") response.end("x".repeat(20_000_000));
        else slow = response;
      },
      { stallTimeoutMs: 90, sweepMs: 20 },
    );
    const late = exchange(port, [get("/slow")], 1);
    await until(() => slow !== undefined);
    // Both begin to wait for a client after the response began to wait for its handler.
    for (const count of [1, 2]) {
      dial(port).pause().write(get("/large"));
      await until(() => closed.length === count);
    }
    expect(closed).toEqual(["/large", "/large"]);
    slow?.end("<late>");
    expect(await late).toEqual(["<late>"]);
  });

  test("is disconnected when the unsent bytes of all connections exceed the bound, and clients with few unsent bytes are not", async () => {
    const sockets: Socket[] = [];
    const { port } = await serve(
      (request, response) => {
        sockets.push(request.socket);
        response.end("x".repeat(request.url === "/large" ? 20_000_000 : 8_000_000));
      },
      { maxUnsentBytes: 50_000_000, sweepMs: 20 },
    );
    for (const path of ["/small", "/large", "/large", "/large"]) dial(port).pause().write(get(path));
    await until(() => sockets.length === 4 && sockets.some(({ destroyed }) => destroyed));
    // Four further checks of the unsent bytes.
    await wait(80);
    expect(
      sockets
        .filter(({ destroyed }) => !destroyed)
        .map(({ writableLength }) => writableLength > 10_000_000)
        .sort(),
    ).toEqual([false, true, true]);
  });
});

test("a connection that ends releases its waiting requests", async () => {
  const { port, handled } = await serve(
    (request, response) => {
      if (request.url === "/good") return echo(request, response);
      return undefined;
    },
    { maxWaitingRequests: 300 },
  );
  for (let each = 0; each < 5; each++) {
    const socket = dial(port);
    socket.write(get("/never").repeat(200));
    await until(() => handled() === each * 2 + 1);
    socket.destroy();
    expect(await exchange(port, [get("/good")], 1)).toEqual(["</good >"]);
  }
});

test("a connection over the maximum of waiting requests, or of connections, is closed", async () => {
  const closed = (socket: Socket) => new Promise((resolve) => socket.resume().once("close", resolve));
  const never = await serve(() => undefined, { maxWaitingRequests: 100 });
  const deep = dial(never.port);
  deep.write(get("/").repeat(200));
  await closed(deep);
  const { port } = await serve(echo, { maxConnections: 2 });
  await exchange(port, [get("/a")], 1);
  const two = [dial(port), dial(port)];
  await Promise.all(two.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  await closed(dial(port));
  expect(two.map(({ destroyed }) => destroyed)).toEqual([false, false]);
});
