import { describe, expect, test } from "@jest/globals";
import { egressTo, mappedServerFixture, MAPPED_URL } from "./mapped-server-fixture.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";
import type { ReplyToRequest } from "./local-server.ts";
import { startLocalServer } from "./local-server.ts";

const at = mappedServerFixture();

/** Responds with these statuses in order; 0 closes the connection. */
const inTurn =
  (...statuses: number[]): ReplyToRequest =>
  (_request, out) => {
    const status = statuses.shift() ?? 200;
    if (status === 0) out.destroy();
    else out.writeHead(status).end(`status ${status}`);
  };

describe("Attempts:", () => {
  test.each([
    ["one attempt by default", [500, 200], undefined, 500, 1],
    ["a 500 is tried again", [500, 200], 3, 200, 2],
    ["a 429 and a 503 are tried again", [429, 503, 201], 5, 201, 3],
    ["a lost connection is tried again", [0, 200], 2, 200, 2],
    ["the last reply counts", [500, 503, 502], 3, 502, 3],
    ["a 400 is an answer", [400, 200], 3, 400, 1],
    ["a 404 is an answer", [404, 200], 3, 404, 1],
    ["a 304 is an answer", [304, 200], 3, 304, 1],
  ])("%s", async (_title, statuses, maxAttempts, status, attempts) => {
    at.replyWith = inTurn(...statuses);
    const request = { method: "POST", url: MAPPED_URL, body: "again", ...(maxAttempts && { maxAttempts }) };
    expect(await sendRequest(at.egress, request)).toMatchObject({ status, attempts });
    expect(at.server.received.map(({ body }) => body)).toEqual(Array<string>(attempts).fill("again"));
  });

  test("a connection that always fails is reported with the number of attempts", async () => {
    at.replyWith = inTurn(0, 0, 0);
    const lost = await failureOf(at.egress, { url: MAPPED_URL, maxAttempts: 3 });
    expect(lost).toMatchObject({ code: 502, reason: "CONNECTION", attempts: 3 });
    const gone = await startLocalServer(() => undefined);
    await gone.close();
    const nowhere = egressTo(gone);
    expect((await failureOf(nowhere, { url: MAPPED_URL })).cause).toMatchObject({ code: "ECONNREFUSED" });
    await nowhere.close();
  });

  test("the delay between two attempts is kept", async () => {
    const refused = new Set<string>();
    at.replyWith = ({ body }, out) => {
      out.writeHead(refused.has(body) ? 200 : 500).end();
      refused.add(body);
    };
    const ended: string[] = [];
    const send = (body: string, retryDelayMs: number) =>
      sendRequest(at.egress, { method: "POST", url: MAPPED_URL, body, maxAttempts: 2, retryDelayMs }).then(
        () => void ended.push(body),
      );
    await Promise.all([send("longer", 90), send("shorter", 1)]);
    expect([ended, at.server.received.length]).toEqual([["shorter", "longer"], 4]);
  });
});

describe("A cancelled request", () => {
  const reason = new Error("no longer wanted");

  test("before sending sends nothing", async () => {
    await expect(sendRequest(at.egress, { url: MAPPED_URL, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(at.server.received).toEqual([]);
  });

  test("while waiting for the response rejects with the caller's reason, and closes the connection", async () => {
    const caller = new AbortController();
    const ended = new Promise<void>((resolve) => {
      at.replyWith = (_request, out) => {
        out.on("close", resolve);
        caller.abort(reason);
      };
    });
    await expect(sendRequest(at.egress, { url: MAPPED_URL, signal: caller.signal, maxAttempts: 3 })).rejects.toBe(
      reason,
    );
    await ended;
    expect(at.server.received).toHaveLength(1);
  });

  test("between two attempts does not wait for the next attempt", async () => {
    const caller = new AbortController();
    at.replyWith = (_request, out) => {
      out.writeHead(500).end();
      setTimeout(() => caller.abort(reason), 50);
    };
    const waiting = sendRequest(at.egress, {
      url: MAPPED_URL,
      signal: caller.signal,
      maxAttempts: 2,
      retryDelayMs: 60_000,
    });
    await expect(waiting).rejects.toBe(reason);
    expect(at.server.received).toHaveLength(1);
  });
});
