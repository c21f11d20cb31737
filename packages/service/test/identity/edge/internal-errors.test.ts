import { logText } from "@parley/telemetry";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  endpoint,
  INVALID_ACTOR,
  NOT_FOUND,
  Refusal,
  refuse,
  SERVICE_UNAVAILABLE,
  TOO_MANY_REQUESTS,
  type Problem,
} from "@parley/contract";
import { QueueFull } from "@parley/database";
import Type from "typebox";
import { createHttpServer } from "../../../src/identity/edge/http-server.ts";
import { folderStore } from "../../../src/base/objects/folder-store.ts";
import { defineRoutes, type ApiCaller } from "../../../src/http/route-handlers.ts";
import { recordResponse } from "../../response-recorder.ts";
import { held } from "../../held.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

const caller = {
  account: { id: 1, name: "acme", configuration: {}, plan_type: "Free", primary_locale: "en", calls_per_hour: null },
  credentialId: "t",
  permissions: new Set(),
} as unknown as ApiCaller;
const rateLimit = { allowed: true, limit: 10, remaining: 9, reset: 60 };

const probes = {
  probe: endpoint({
    route: "GET /probe",
    summary: "s",
    spec: "s",
    access: { token: null },
    reply: { code: 200, body: Type.Object({ id: Type.String() }) },
  }),
};

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** The edge around one handler, as the service builds it. */
const around = async (
  response: () => Promise<{ id: string }>,
  health: () => Promise<string | undefined> = async () => undefined,
  slowRequestMs?: number,
) => {
  const lines: string[] = [];
  const keys: (string | undefined)[] = [];
  const app = await createHttpServer({
    slices: [defineRoutes(probes, { probe: response })],
    callers: () => caller,
    allowance: { count: () => rateLimit, returnIdle: () => Promise.resolve(), end: () => Promise.resolve() },
    guard: { state: () => rateLimit, countFailure: () => rateLimit },
    admit: (request) => {
      request.rateLimit = rateLimit;
      return caller;
    },
    observe: recordResponse,
    health,
    isStopping: () => false,
    objects: {
      objects: folderStore("none"),
      addresses: { open: () => undefined },
      storageHealth: async () => undefined,
    },
    slowRequestMs,
    log: (...line) => {
      keys.push(line[1]?.key);
      lines.push(logText(...line));
    },
  });
  open.push(app);
  return {
    get: (path = "/v2/probe?who=me") => app.inject({ method: "GET", url: path }),
    listen: () => app.listen({ port: 0 }),
    lines,
    keys,
  };
};

const failing = (error: unknown) =>
  around(async () => {
    throw error;
  });

test("a response contains only members of its schema", async () => {
  const { get } = await around(async () => ({ id: "1", secret: "x" }));
  expect((await get()).body).toBe('{"id":"1"}');
});

describe("an internal error", () => {
  test("gets a response without internal details, and is logged completely with its cause", async () => {
    const { get, lines } = await failing(new Error("the canary sings", { cause: new Error("a cat") }));
    const reply = await get();
    expect(reply.statusCode).toBe(500);
    expect(reply.json()).toEqual({
      code: 500,
      status: "INTERNAL_SERVER_ERROR",
      message: "The service met an unexpected error. It has been logged.",
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^error: GET \/v2\/probe failed: Error: the canary sings[\s\S]+internal-errors\.test[\s\S]+a cat/,
    );
    expect(lines[0]).not.toContain("who=me");
  });

  test("includes a response that does not match its schema", async () => {
    const { get, lines } = await around(async () => ({}) as { id: string });
    expect((await get()).statusCode).toBe(500);
    expect(lines[0]).toMatch(/"id" is required/);
  });

  test("includes a thrown value that is not an Error", async () => {
    const { get } = await failing("text");
    expect((await get()).json()).toMatchObject({ status: "INTERNAL_SERVER_ERROR" });
  });
});

describe("a temporary condition is answered 503 with Retry-After", () => {
  const coded = (code: string) => Object.assign(new Error("canary"), { code });
  const passing: [string, unknown][] = [
    ["a full queue", new QueueFull("canary")],
    ["a database that goes down", coded("57P01")],
    ["a database that ended an idle session", coded("57P05")],
    ["a read-only database", coded("25006")],
    ["a full disk", coded("53100")],
    ["a database out of memory", coded("53200")],
    ["no connection left", coded("53300")],
    ["a limit of the configuration", coded("53400")],
    ["a disk that fails", coded("58030")],
    ["a lock that was not given", coded("55P03")],
    ["a broken connection", coded("08006")],
    ["a database that is not there", coded("ECONNREFUSED")],
    ["a statement that took too long", coded("57014")],
    ["a deadlock", coded("40P01")],
  ];
  test.each(passing)("%s", async (_, error) => {
    const { get } = await failing(error);
    const reply = await get();
    expect(reply.statusCode).toBe(503);
    expect(reply.headers["retry-after"]).toBe("1");
    expect(reply.json()).toMatchObject({ status: "SERVICE_UNAVAILABLE" });
    expect(reply.body).not.toContain("canary");
  });

  test("except for corrupted data, which waiting does not repair: it is an internal error", async () => {
    const { get } = await failing(coded("XX001"));
    expect((await get()).statusCode).toBe(500);
  });

  test("by /health when the database accepts no writes, with the reason", async () => {
    const { get } = await around(
      async () => ({ id: "1" }),
      async () => "The disk is full.",
    );
    const reply = await get("/health");
    expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([503, "1"]);
    expect(reply.json()).toEqual({ code: 503, status: "SERVICE_UNAVAILABLE", message: "The disk is full." });
  });
});

describe("the log", () => {
  const refusing = (problem: Problem) =>
    around(async () => {
      throw new Refusal(problem, "The canary sleeps.");
    });

  test.each([
    ["a refusal because of load", SERVICE_UNAVAILABLE, "warn"],
    ["a refusal beyond a limit", TOO_MANY_REQUESTS, "info"],
  ])("has the id of %s, with the reason", async (_, problem, level) => {
    const { get, lines } = await refusing(problem);
    const { headers } = await get();
    expect(lines).toEqual([
      `${level === "info" ? "" : "warn: "}requests: GET /v2/probe was refused: ${problem.code} ${problem.status}: The canary sleeps.` +
        ` account=acme request_id=${String(headers["x-request-id"])}`,
    ]);
  });

  test("says which queue was full, which the response does not", async () => {
    const { get, lines } = await failing(new QueueFull("1000 wait for a connection already"));
    const reply = await get();
    expect(reply.body).not.toContain("connection");
    expect(lines).toEqual([expect.stringContaining("503 SERVICE_UNAVAILABLE: 1000 wait for a connection already")]);
  });

  test.each([
    ["a wrong request", INVALID_ACTOR],
    ["an object that is not there", NOT_FOUND],
  ])("has no line about %s", async (_, problem) => {
    const { get, lines } = await refusing(problem);
    await get();
    expect(lines).toEqual([]);
  });

  test("has no line about a probe that is refused", async () => {
    const { get, lines } = await around(
      async () => ({ id: "1" }),
      async () => "The disk is full.",
    );
    expect([(await get("/health")).statusCode, (await get("/ready")).statusCode]).toEqual([503, 503]);
    expect(lines).toEqual([]);
  });

  test("has the id and the duration of a slow request", async () => {
    const { listen, lines } = await around(async () => ({ id: "1" }), undefined, 0);
    const { headers } = await fetch(`${await listen()}/v2/probe?who=me`);
    await waitUntil(() => lines.length === 1);
    const id = headers.get("x-request-id");
    expect(lines[0]).toMatch(/^warn: requests: GET \/v2\/probe took \d+\.\d s: 200 account=acme request_id=/);
    expect(lines[0]).toMatch(new RegExp(` request_id=${id}$`));
  });

  test("has the id of a request whose client disconnected before the response", async () => {
    const [begun, answer] = [held(), held<{ id: string }>()];
    const response = () => {
      begun.release();
      return answer.promise;
    };
    const { listen, lines } = await around(response, undefined, 0);
    const stop = new AbortController();
    const headers = { "x-request-id": "mine" };
    const reply = fetch(`${await listen()}/v2/probe`, { headers, signal: stop.signal }).catch(() => undefined);
    await begun.promise;
    stop.abort();
    await reply;
    await waitUntil(() => lines.length === 1);
    answer.release({ id: "1" });
    expect(lines[0]).toMatch(/no response, because the client disconnected account=acme request_id=mine$/);
  });

  test("has one key for lines with one reason, so that they are counted", async () => {
    let waiting = 1_000;
    const refusing = await around(async () => refuse(SERVICE_UNAVAILABLE, `${(waiting += 1)} wait already.`));
    for (const path of ["/v2/probe?who=me", "/v2/probe/"]) await refusing.get(path);
    const slow = await around(async () => ({ id: "1" }), undefined, 0);
    const url = await slow.listen();
    for (const id of ["a", "b"]) await (await fetch(`${url}/v2/probe`, { headers: { "x-request-id": id } })).text();
    await waitUntil(() => slow.keys.length === 2);
    for (const { keys } of [refusing, slow]) expect(keys).toEqual([expect.any(String), keys[0]]);
  });

  test("has no line about a request that is not slow", async () => {
    const { get, lines } = await around(async () => ({ id: "1" }), undefined, Infinity);
    expect((await get()).statusCode).toBe(200);
    expect(lines).toEqual([]);
  });
});

test("a message that can't be added is refused with its category beside the common members", async () => {
  const { get } = await around(async () => refuse(INVALID_ACTOR, "The actor is unknown."));
  expect((await get()).json()).toEqual({
    code: 400,
    status: "INVALID_ACTOR",
    message: "The actor is unknown.",
    error_code: 400,
    error_message: "The actor is unknown.",
    error_category: "USER",
  });
});
