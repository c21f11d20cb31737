import { describe, expect, test } from "@jest/globals";
import type { Egress, FaultInjector, OutgoingFault } from "../src/index.ts";
import { egress } from "../src/index.ts";
import { mappedServerFixture, MAPPED_URL } from "./mapped-server-fixture.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";

const at = mappedServerFixture();

const using = async <T>(faults: FaultInjector, work: (guarded: Egress) => Promise<T>): Promise<T> => {
  const guarded = egress({ hosts: new Map([["acme.example", at.server]]), faults });
  try {
    return await work(guarded);
  } finally {
    await guarded.close();
  }
};
/** Each attempt has its own fault; later attempts have no fault. */
const inTurn = (...faults: (OutgoingFault | undefined)[]): FaultInjector => {
  const left = [...faults];
  return () => left.shift();
};

describe("An injected fault", () => {
  test("is selected by method, host and path", async () => {
    const selections: unknown[] = [];
    await using(
      (request) => void selections.push(request),
      (guarded) => sendRequest(guarded, { url: MAPPED_URL, method: "POST" }),
    );
    expect(selections).toEqual([{ method: "POST", host: "acme.example", path: "/v2/users" }]);
  });

  test("with a latency only takes time, within the attempt's own limit", async () => {
    const slow = inTurn({ kind: "latency", ms: 30 }, { kind: "latency", ms: 60_000 });
    await using(slow, async (guarded) => {
      expect(await sendRequest(guarded, { url: MAPPED_URL })).toMatchObject({ status: 200, body: "ok" });
      expect(await failureOf(guarded, { url: MAPPED_URL, timeoutMs: 50 })).toMatchObject({ reason: "TIMEOUT" });
    });
    expect(at.server.received).toHaveLength(1);
  });

  test("with a status replaces the response, and is retried as that response would be", async () => {
    const busy = inTurn({ kind: "status", status: 503 }, { kind: "status", status: 404, body: "gone" });
    const response = await using(busy, (guarded) => sendRequest(guarded, { url: MAPPED_URL, maxAttempts: 3 }));
    expect(response).toEqual({ status: 404, headers: {}, body: "gone", attempts: 2 });
    expect(at.server.received).toEqual([]);
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("that drops the connection %s the request has reached %i receivers", async (when, requestCount) => {
    const lost = await using(inTurn({ kind: "drop", when }), (guarded) =>
      failureOf(guarded, { url: MAPPED_URL, method: "POST" }),
    );
    expect(lost).toMatchObject({ code: 502, reason: "CONNECTION", attempts: 1 });
    expect(at.server.received).toHaveLength(requestCount);
  });

  test("of one attempt does not affect the next attempt", async () => {
    const once = inTurn({ kind: "drop", when: "after" });
    const response = await using(once, (guarded) =>
      sendRequest(guarded, { url: MAPPED_URL, method: "POST", maxAttempts: 2 }),
    );
    expect(response).toMatchObject({ status: 200, attempts: 2 });
    expect(at.server.received).toHaveLength(2);
  });

  test("can't permit a request that is refused", async () => {
    const refused = await using(
      () => ({ kind: "status", status: 200 }),
      (guarded) => failureOf(guarded, { url: "https://10.0.0.1/" }),
    );
    expect(refused).toMatchObject({ reason: "IP_DISALLOWED" });
  });
});

test("A URL can be checked without a request", () => {
  expect(() => at.egress.check(MAPPED_URL)).not.toThrow();
  expect(() => at.egress.check("https://public.example/")).not.toThrow();
  expect(() => at.egress.check("https://169.254.169.254/")).toThrow("Invalid URL - IP is disallowed");
  expect(() => at.egress.check("http://public.example/")).toThrow("Invalid URL - Must be HTTPS");
  expect(at.server.received).toEqual([]);
});
