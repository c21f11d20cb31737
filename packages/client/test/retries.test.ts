import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import { isNoAnswerError, isProblemError, parleyClient, type ClientOptions, type ParleyClient } from "@parley/client";
import { brokenConnection, jsonReply, refusalReply, startFakeService } from "./fake-service.ts";

let open: Awaited<ReturnType<typeof startFakeService>> | undefined;
afterEach(() => open?.close());

const TOKEN = "canary-of-the-token";
const against = async (options: Partial<ClientOptions>, ...replies: Parameters<typeof startFakeService>) => {
  open = await startFakeService(...replies);
  return { client: parleyClient({ url: open.url, token: TOKEN, ...options }), received: open.received };
};
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
const AGENTS = { agents: [], pagination: {}, links: {} };

describe.each([
  [429, "TOO_MANY_REQUESTS"],
  [503, "SERVICE_UNAVAILABLE"],
])("after %i", (code, token) => {
  const busy = refusalReply(code, token, { "retry-after": "0" });

  test("a call is repeated, regardless of its method, with its whole body", async () => {
    const { client, received } = await against({}, busy, busy, jsonReply(201, { id: "1" }));
    await expect(client.users.createUser({ body: { first_name: "Ann" } })).resolves.toEqual({ id: "1" });
    expect(received.map(({ body }) => body)).toEqual(Array.from({ length: 3 }, () => '{"first_name":"Ann"}'));
  });
  test("the call fails after the maximum of attempts, with the service's message", async () => {
    const { client, received } = await against({ retries: { maxRetries: 2 } }, busy);
    expect(isProblemError(await failureOf(client.agents.listAgents()), token as "TOO_MANY_REQUESTS")).toBe(true);
    expect(received).toHaveLength(3);
  });
  test("a delay that exceeds the time limit is not started", async () => {
    const { client, received } = await against(
      { retries: { maxTotalDelayMs: 5_000 } },
      refusalReply(code, token, { "retry-after": "6" }),
    );
    expect(await failureOf(client.agents.listAgents())).toMatchObject({ headers: { "retry-after": "6" } });
    expect(received).toHaveLength(1);
  });
  test("a date in Retry-After is supported", async () => {
    const past = refusalReply(code, token, { "retry-after": new Date(0).toUTCString() });
    const { client, received } = await against({}, past, jsonReply(200, AGENTS));
    await client.agents.listAgents();
    expect(received).toHaveLength(2);
  });
  test("a delay can be cancelled", async () => {
    const { client, received } = await against({}, refusalReply(code, token, { "retry-after": "30" }));
    const end = new AbortController();
    const failed = failureOf(client.agents.listAgents({ signal: end.signal }));
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    end.abort();
    expect(await failed).toMatchObject({ name: expect.stringMatching(/AbortError|NoAnswerError/) });
    expect(received).toHaveLength(1);
  });
});

test.each([400, 404, 409, 422, 500])("%i is not retried", async (code) => {
  const { client, received } = await against({}, refusalReply(code, "ANY"));
  expect(await failureOf(client.agents.listAgents())).toMatchObject({ problem: { code } });
  expect(received).toHaveLength(1);
});

describe.each([502, 504])("%i of an intermediary", (code) => {
  const between = refusalReply(code, "ANY", { "retry-after": "0" });

  test("is retried for idempotent calls", async () => {
    const { client, received } = await against({}, between, jsonReply(200, AGENTS));
    await client.agents.listAgents();
    expect(received).toHaveLength(2);
  });
  test("is retried with the same key for calls that create something", async () => {
    const { client, received } = await against({}, between, jsonReply(201, { id: "1" }));
    await client.users.createUser({ body: {} });
    expect(received.map(({ key }) => key)).toEqual([received[0]?.key, received[0]?.key]);
  });
  test("is not retried for other calls", async () => {
    const { client, received } = await against({}, between, jsonReply(202, {}));
    expect(await failureOf(client.users.deleteUser({ params: { user_id: "1" } }))).toMatchObject({ problem: { code } });
    expect(received).toHaveLength(1);
  });
});

describe("the idempotency key of a call that creates something", () => {
  const FORM = { name: "a.txt", content_type: "text/plain", content: new TextEncoder().encode("a") };
  type CreatingCall = readonly [what: string, call: (client: ParleyClient) => Promise<unknown>];
  const CREATING_CALLS: CreatingCall[] = [
    ["with a body", (client) => client.users.createUser({ body: {} })],
    ["with a form", (client) => client.files.uploadFile({ upload: FORM })],
  ];

  test.each(CREATING_CALLS)("is the same for all of its attempts, %s", async (_, call) => {
    const { client, received } = await against(
      {},
      brokenConnection,
      refusalReply(503, "ANY", { "retry-after": "0" }),
      jsonReply(201, { id: "1" }),
    );
    await call(client);
    expect(received).toHaveLength(3);
    expect(received[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
  });
  test("differs between calls", async () => {
    const { client, received } = await against({}, jsonReply(201, { id: "1" }));
    for (let time = 0; time < 2; time += 1) await client.users.createUser({ body: {} });
    expect(received[0]?.key).not.toBe(received[1]?.key);
  });
  test("may be given", async () => {
    const { client, received } = await against({}, jsonReply(201, { id: "1" }));
    await client.users.createUser({ body: {}, idempotencyKey: "order-17" });
    expect(received[0]?.key).toBe("order-17");
  });
  test("is not sent with other calls", async () => {
    const { client, received } = await against({}, jsonReply(200, { users: [] }));
    await client.users.fetchUsers({ body: { ids: [] } });
    await client.users.updateUser({ params: { user_id: "1" }, body: {} });
    expect(received.map(({ key }) => key)).toEqual([undefined, undefined]);
  });
  test("that is in use causes a retry, as the service requests", async () => {
    const inUse = refusalReply(409, "IDEMPOTENCY_KEY_IN_USE", { "retry-after": "0" });
    const { client, received } = await against({}, inUse, jsonReply(201, { id: "1" }));
    await expect(client.users.createUser({ body: {} })).resolves.toEqual({ id: "1" });
    expect(received).toHaveLength(2);
  });
});

describe("a broken connection", () => {
  test("causes a retry of idempotent calls", async () => {
    const { client, received } = await against({}, brokenConnection, jsonReply(200, AGENTS));
    await client.agents.listAgents();
    expect(received).toHaveLength(2);
  });
  test("causes no retry of other calls", async () => {
    const { client, received } = await against({}, brokenConnection, jsonReply(202, {}));
    expect(isNoAnswerError(await failureOf(client.users.deleteUser({ params: { user_id: "1" } })))).toBe(true);
    expect(received).toHaveLength(1);
  });
  test("is thrown without the token, however it is printed", async () => {
    const { client } = await against({ retries: { maxRetries: 0 } }, brokenConnection);
    const error = await failureOf(client.agents.listAgents());
    expect(error).toMatchObject({ name: "NoAnswerError", code: "ECONNRESET" });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
    expect(JSON.stringify(error)).not.toContain(TOKEN);
  });
});

describe("a refused token", () => {
  const by =
    (good: string) =>
    (request: Parameters<typeof brokenConnection>[0], reply: Parameters<ReturnType<typeof jsonReply>>[1]) =>
      request.headers.authorization === `Bearer ${good}`
        ? jsonReply(200, AGENTS)(request, reply)
        : refusalReply(401, "UNAUTHENTICATED")(request, reply);

  test("is renewed once for all concurrently refused calls, and stored", async () => {
    let renewed = 0;
    const onUnauthorized = async () => {
      renewed++;
      return Promise.resolve("fresh");
    };
    const { client, received } = await against({ onUnauthorized }, by("fresh"));
    await Promise.all(Array.from({ length: 5 }, () => client.agents.listAgents()));
    await client.agents.listAgents();
    expect(renewed).toBe(1);
    expect(received.at(-1)?.authorization).toBe("Bearer fresh");
  });
  test("is not renewed endlessly", async () => {
    let renewed = 0;
    const { client, received } = await against({ onUnauthorized: () => `bad ${renewed++}` }, by("fresh"));
    expect(await failureOf(client.agents.listAgents())).toMatchObject({ problem: { code: 401 } });
    expect(received).toHaveLength(2);
  });
  test("is thrown if it can't be renewed", async () => {
    const { client, received } = await against({}, by("fresh"));
    expect(isProblemError(await failureOf(client.agents.listAgents()), "UNAUTHENTICATED")).toBe(true);
    expect(received).toHaveLength(1);
  });
  test("and a failure of the renewal is thrown", async () => {
    const onUnauthorized = () => Promise.reject(new Error("the vault is closed"));
    const { client } = await against({ onUnauthorized }, by("fresh"));
    await expect(client.agents.listAgents()).rejects.toThrow("the vault is closed");
  });
});

describe("an unusual link", () => {
  const page = (href: string) =>
    jsonReply(200, { agents: [{ id: "1" }], pagination: {}, links: { next_page: { href } } });
  const walk = async (client: ReturnType<typeof parleyClient>) => {
    let items = 0;
    for await (const _ of client.agents.listAgents.items()) items++;
    return items;
  };

  test("to the same page ends the iteration", async () => {
    const { client, received } = await against({}, page("/v2/agents?page=2"));
    expect(await walk(client)).toBe(2);
    expect(received.map(({ url }) => url)).toEqual(["/v2/agents", "/v2/agents?page=2"]);
  });
  test("to another host is followed on this host only", async () => {
    const { client, received } = await against(
      {},
      page("https://elsewhere.example/steal?page=2"),
      jsonReply(200, AGENTS),
    );
    expect(await walk(client)).toBe(1);
    expect(received.map(({ url }) => url)).toEqual(["/v2/agents", "/v2/agents?page=2"]);
  });
});

test("every response is reported, with the remaining calls of the hour", async () => {
  const responses: unknown[] = [];
  const headers = { "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "4", "X-RateLimitReset": "60" };
  const { client } = await against(
    { onResponse: (response) => responses.push(response) },
    jsonReply(200, AGENTS, headers),
  );
  await client.agents.listAgents();
  expect(responses).toEqual([{ route: "GET /agents", code: 200, rateLimit: { limit: 5, remaining: 4, reset: 60 } }]);
});
