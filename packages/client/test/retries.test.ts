import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import { isNoAnswerError, isProblemError, parleyClient, type ClientOptions, type ParleyClient } from "@parley/client";
import { broken, json, no, standIn } from "./stand-in.ts";

let open: Awaited<ReturnType<typeof standIn>> | undefined;
afterEach(() => open?.close());

const TOKEN = "canary-of-the-token";
const against = async (options: Partial<ClientOptions>, ...answers: Parameters<typeof standIn>) => {
  open = await standIn(...answers);
  return { client: parleyClient({ url: open.url, token: TOKEN, ...options }), asked: open.asked };
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
  const busy = no(code, token, { "retry-after": "0" });

  test("a call is sent again, whatever its method, and its body is whole", async () => {
    const { client, asked } = await against({}, busy, busy, json(201, { id: "1" }));
    await expect(client.users.createUser({ body: { first_name: "Ann" } })).resolves.toEqual({ id: "1" });
    expect(asked.map(({ body }) => body)).toEqual(Array.from({ length: 3 }, () => '{"first_name":"Ann"}'));
  });
  test("it gives up after the tries that are allowed, with what the service said", async () => {
    const { client, asked } = await against({ retries: { maxRetries: 2 } }, busy);
    expect(isProblemError(await failureOf(client.agents.listAgents()), token as "TOO_MANY_REQUESTS")).toBe(true);
    expect(asked).toHaveLength(3);
  });
  test("a pause that is longer than the patience is not begun", async () => {
    const { client, asked } = await against(
      { retries: { maxTotalDelayMs: 5_000 } },
      no(code, token, { "retry-after": "6" }),
    );
    expect(await failureOf(client.agents.listAgents())).toMatchObject({ headers: { "retry-after": "6" } });
    expect(asked).toHaveLength(1);
  });
  test("a date is understood too", async () => {
    const past = no(code, token, { "retry-after": new Date(0).toUTCString() });
    const { client, asked } = await against({}, past, json(200, AGENTS));
    await client.agents.listAgents();
    expect(asked).toHaveLength(2);
  });
  test("a pause can be ended", async () => {
    const { client, asked } = await against({}, no(code, token, { "retry-after": "30" }));
    const end = new AbortController();
    const failed = failureOf(client.agents.listAgents({ signal: end.signal }));
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    end.abort();
    expect(await failed).toMatchObject({ name: expect.stringMatching(/AbortError|NoAnswerError/) });
    expect(asked).toHaveLength(1);
  });
});

test.each([400, 404, 409, 422, 500])("%i is not tried again", async (code) => {
  const { client, asked } = await against({}, no(code, "ANY"));
  expect(await failureOf(client.agents.listAgents())).toMatchObject({ problem: { code } });
  expect(asked).toHaveLength(1);
});

describe.each([502, 504])("%i of somebody on the way", (code) => {
  const between = no(code, "ANY", { "retry-after": "0" });

  test("is tried again for what may be sent twice", async () => {
    const { client, asked } = await against({}, between, json(200, AGENTS));
    await client.agents.listAgents();
    expect(asked).toHaveLength(2);
  });
  test("is tried again with the same key for what makes something", async () => {
    const { client, asked } = await against({}, between, json(201, { id: "1" }));
    await client.users.createUser({ body: {} });
    expect(asked.map(({ key }) => key)).toEqual([asked[0]?.key, asked[0]?.key]);
  });
  test("is not tried again for what may not", async () => {
    const { client, asked } = await against({}, between, json(202, {}));
    expect(await failureOf(client.users.deleteUser({ params: { user_id: "1" } }))).toMatchObject({ problem: { code } });
    expect(asked).toHaveLength(1);
  });
});

describe("the key of a call that makes something", () => {
  const FORM = { name: "a.txt", content_type: "text/plain", content: new TextEncoder().encode("a") };
  type Made = readonly [what: string, call: (client: ParleyClient) => Promise<unknown>];
  const MADE: Made[] = [
    ["with a body", (client) => client.users.createUser({ body: {} })],
    ["with a form", (client) => client.files.uploadFile({ upload: FORM })],
  ];

  test.each(MADE)("is the same for all of its tries, %s", async (_, call) => {
    const { client, asked } = await against({}, broken, no(503, "ANY", { "retry-after": "0" }), json(201, { id: "1" }));
    await call(client);
    expect(asked).toHaveLength(3);
    expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
  test("is another one for another call", async () => {
    const { client, asked } = await against({}, json(201, { id: "1" }));
    for (let time = 0; time < 2; time += 1) await client.users.createUser({ body: {} });
    expect(asked[0]?.key).not.toBe(asked[1]?.key);
  });
  test("may be given", async () => {
    const { client, asked } = await against({}, json(201, { id: "1" }));
    await client.users.createUser({ body: {}, idempotencyKey: "order-17" });
    expect(asked[0]?.key).toBe("order-17");
  });
  test("is sent with nothing else", async () => {
    const { client, asked } = await against({}, json(200, { users: [] }));
    await client.users.fetchUsers({ body: { ids: [] } });
    await client.users.updateUser({ params: { user_id: "1" }, body: {} });
    expect(asked.map(({ key }) => key)).toEqual([undefined, undefined]);
  });
  test("that is in use is tried again, as the service says", async () => {
    const inUse = no(409, "IDEMPOTENCY_KEY_IN_USE", { "retry-after": "0" });
    const { client, asked } = await against({}, inUse, json(201, { id: "1" }));
    await expect(client.users.createUser({ body: {} })).resolves.toEqual({ id: "1" });
    expect(asked).toHaveLength(2);
  });
});

describe("a connection that breaks", () => {
  test("is tried again for what may be sent twice", async () => {
    const { client, asked } = await against({}, broken, json(200, AGENTS));
    await client.agents.listAgents();
    expect(asked).toHaveLength(2);
  });
  test("is not tried again for what may not", async () => {
    const { client, asked } = await against({}, broken, json(202, {}));
    expect(isNoAnswerError(await failureOf(client.users.deleteUser({ params: { user_id: "1" } })))).toBe(true);
    expect(asked).toHaveLength(1);
  });
  test("is thrown without the token, however it is printed", async () => {
    const { client } = await against({ retries: { maxRetries: 0 } }, broken);
    const error = await failureOf(client.agents.listAgents());
    expect(error).toMatchObject({ name: "NoAnswerError", code: "ECONNRESET" });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
    expect(JSON.stringify(error)).not.toContain(TOKEN);
  });
});

describe("a token that is refused", () => {
  const by =
    (good: string) => (request: Parameters<typeof broken>[0], reply: Parameters<ReturnType<typeof json>>[1]) =>
      request.headers.authorization === `Bearer ${good}`
        ? json(200, AGENTS)(request, reply)
        : no(401, "UNAUTHENTICATED")(request, reply);

  test("is renewed once for all the calls that were refused together, and kept", async () => {
    let renewed = 0;
    const onUnauthorized = async () => {
      renewed++;
      return Promise.resolve("fresh");
    };
    const { client, asked } = await against({ onUnauthorized }, by("fresh"));
    await Promise.all(Array.from({ length: 5 }, () => client.agents.listAgents()));
    await client.agents.listAgents();
    expect(renewed).toBe(1);
    expect(asked.at(-1)?.authorization).toBe("Bearer fresh");
  });
  test("is not asked for for ever", async () => {
    let renewed = 0;
    const { client, asked } = await against({ onUnauthorized: () => `bad ${renewed++}` }, by("fresh"));
    expect(await failureOf(client.agents.listAgents())).toMatchObject({ problem: { code: 401 } });
    expect(asked).toHaveLength(2);
  });
  test("is thrown where there is no way to another one", async () => {
    const { client, asked } = await against({}, by("fresh"));
    expect(isProblemError(await failureOf(client.agents.listAgents()), "UNAUTHENTICATED")).toBe(true);
    expect(asked).toHaveLength(1);
  });
  test("a hook that fails is what the call fails with", async () => {
    const onUnauthorized = () => Promise.reject(new Error("the vault is closed"));
    const { client } = await against({ onUnauthorized }, by("fresh"));
    await expect(client.agents.listAgents()).rejects.toThrow("the vault is closed");
  });
});

describe("links that lead astray", () => {
  const page = (href: string) => json(200, { agents: [{ id: "1" }], pagination: {}, links: { next_page: { href } } });
  const walk = async (client: ReturnType<typeof parleyClient>) => {
    let items = 0;
    for await (const _ of client.agents.listAgents.items()) items++;
    return items;
  };

  test("to the same page end the walk", async () => {
    const { client, asked } = await against({}, page("/v2/agents?page=2"));
    expect(await walk(client)).toBe(2);
    expect(asked.map(({ url }) => url)).toEqual(["/v2/agents", "/v2/agents?page=2"]);
  });
  test("to another host are followed here only", async () => {
    const { client, asked } = await against({}, page("https://elsewhere.example/steal?page=2"), json(200, AGENTS));
    expect(await walk(client)).toBe(1);
    expect(asked.map(({ url }) => url)).toEqual(["/v2/agents", "/v2/agents?page=2"]);
  });
});

test("every answer is told of, with what is left of the hour", async () => {
  const told: unknown[] = [];
  const headers = { "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "4", "X-RateLimitReset": "60" };
  const { client } = await against({ onResponse: (response) => told.push(response) }, json(200, AGENTS, headers));
  await client.agents.listAgents();
  expect(told).toEqual([{ route: "GET /agents", code: 200, rateLimit: { limit: 5, remaining: 4, reset: 60 } }]);
});
