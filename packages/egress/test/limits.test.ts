import { once } from "node:events";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { setTimeout as elapse } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { egress } from "../src/index.ts";
import { mappedServerFixture, MAPPED_URL } from "./mapped-server-fixture.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";
import { startLocalServer } from "./local-server.ts";

const at = mappedServerFixture();

describe("Sizes:", () => {
  test("a request over its limit is never sent, measured in bytes", async () => {
    const over = await failureOf(at.egress, {
      method: "POST",
      url: MAPPED_URL,
      body: "é".repeat(6),
      maxRequestBytes: 11,
    });
    expect(over).toMatchObject({ code: 413, reason: "REQUEST_TOO_LARGE", attempts: 0 });
    const bytes = await failureOf(at.egress, {
      method: "POST",
      url: MAPPED_URL,
      body: new Uint8Array(12),
      maxRequestBytes: 11,
    });
    expect(bytes.reason).toBe("REQUEST_TOO_LARGE");
    expect(at.server.received).toEqual([]);
    expect(
      (await sendRequest(at.egress, { method: "POST", url: MAPPED_URL, body: "é".repeat(6), maxRequestBytes: 12 }))
        .status,
    ).toBe(200);
  });

  test("a response may have exactly the maximum size", async () => {
    at.replyWith = (_request, out) => void out.end("x".repeat(1000));
    expect((await sendRequest(at.egress, { url: MAPPED_URL, maxResponseBytes: 1000 })).body).toHaveLength(1000);
    const over = await failureOf(at.egress, { url: MAPPED_URL, maxResponseBytes: 999, maxAttempts: 3 });
    expect(over).toMatchObject({ code: 502, reason: "RESPONSE_TOO_LARGE", attempts: 1 });
  });

  test("a response over 64 KiB is read further only when it is admitted, with the announced size or the maximum", async () => {
    const size = 90_000;
    let isAdmitted = false;
    const asked: number[] = [];
    const admitBody = async (bytes: number) => {
      asked.push(bytes);
      await elapse(50);
      isAdmitted = true;
    };
    at.replyWith = (_request, out) => void out.end("x".repeat(60_000));
    await sendRequest(at.egress, { url: MAPPED_URL, admitBody });
    expect(asked).toEqual([]);
    at.replyWith = (_request, out) => void out.setHeader("content-length", size).end("x".repeat(size));
    const reply = await sendRequest(at.egress, { url: MAPPED_URL, admitBody });
    expect([reply.body.length, isAdmitted, asked]).toEqual([size, true, [size]]);
    at.replyWith = (_request, out) => {
      for (let part = 0; part < 9; part += 1) out.write("x".repeat(10_000));
      out.end();
    };
    expect((await sendRequest(at.egress, { url: MAPPED_URL, admitBody })).body).toHaveLength(size);
    expect(asked).toEqual([size, 100_000]);
  });

  test("a response that is not admitted in time fails like any other that takes too long", async () => {
    at.replyWith = (_request, out) => void out.end("x".repeat(90_000));
    const admitBody = () => new Promise<void>(() => undefined);
    expect((await failureOf(at.egress, { url: MAPPED_URL, admitBody, timeoutMs: 200 })).reason).toBe("TIMEOUT");
  });

  test("a response that announces too much is refused with its first bytes; a response to HEAD has no bytes", async () => {
    const closed = new Promise<void>((resolve) => {
      at.replyWith = (request, out) => {
        out.writeHead(200, { "content-length": 100_000_000 });
        if (request.method === "HEAD") return void out.end();
        out.on("close", resolve);
        return void out.write("x");
      };
    });
    expect((await failureOf(at.egress, { url: MAPPED_URL, maxResponseBytes: 1_000_000 })).reason).toBe(
      "RESPONSE_TOO_LARGE",
    );
    await closed;
    expect((await sendRequest(at.egress, { method: "HEAD", url: MAPPED_URL })).status).toBe(200);
  });

  test("an endless response is cut off", async () => {
    const cut = new Promise<void>((resolve) => {
      at.replyWith = (_request, out) => {
        const flow = setInterval(() => out.write("x".repeat(10_000)), 1);
        out.on("close", () => {
          clearInterval(flow);
          resolve();
        });
      };
    });
    expect((await failureOf(at.egress, { url: MAPPED_URL })).reason).toBe("RESPONSE_TOO_LARGE");
    await cut;
  });

  test("a character that is split between two chunks arrives complete", async () => {
    at.replyWith = (_request, out) => {
      const bytes = Buffer.from("né");
      out.write(bytes.subarray(0, 2));
      setTimeout(() => out.end(bytes.subarray(2)), 20);
    };
    expect((await sendRequest(at.egress, { url: MAPPED_URL })).body).toBe("né");
  });
});

describe("Time:", () => {
  const late = { code: 504, reason: "TIMEOUT", attempts: 1 };

  test("a response that never starts, or never ends, is abandoned and not requested again", async () => {
    at.replyWith = () => undefined;
    expect(await failureOf(at.egress, { url: MAPPED_URL, timeoutMs: 100, maxAttempts: 3 })).toMatchObject(late);
    at.replyWith = (_request, out) => void out.write("begun");
    expect(await failureOf(at.egress, { url: MAPPED_URL, timeoutMs: 100, maxAttempts: 3 })).toMatchObject(late);
    expect(at.server.received).toHaveLength(2);
  });

  test("slow bytes do not extend the time limit", async () => {
    const stopped = new Promise<void>((resolve) => {
      at.replyWith = (_request, out) => {
        const drip = setInterval(() => out.write("."), 20);
        out.on("close", () => {
          clearInterval(drip);
          resolve();
        });
      };
    });
    expect(await failureOf(at.egress, { url: MAPPED_URL, timeoutMs: 200 })).toMatchObject(late);
    await stopped;
  });

  test("a name that is resolved too late is not connected to", async () => {
    let resolveName: (addresses: [{ address: string; family: 4 }]) => void = () => undefined;
    const slow = egress({ allowLoopback: true, lookup: () => new Promise((resolve) => (resolveName = resolve)) });
    const untouched = await startLocalServer((_request, out) => void out.end());
    expect(await failureOf(slow, { url: `http://name.example:${untouched.port}/`, timeoutMs: 50 })).toMatchObject(late);
    resolveName([{ address: "127.0.0.1", family: 4 }]);
    // A request that began later is answered by another server.
    await sendRequest(at.egress, { url: MAPPED_URL });
    expect(untouched.connections()).toBe(0);
    await slow.close();
    await untouched.close();
  });

  test("a name that is never resolved and a handshake that never ends count too", async () => {
    const unresolved = egress({ lookup: () => new Promise(() => undefined) });
    expect(await failureOf(unresolved, { url: MAPPED_URL, timeoutMs: 100 })).toMatchObject(late);
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const { port } = mute.address() as { port: number };
    const silent = egress({ allowLoopback: true });
    expect(await failureOf(silent, { url: `https://127.0.0.1:${port}/`, timeoutMs: 100 })).toMatchObject(late);
    await Promise.all([unresolved.close(), silent.close()]);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});
