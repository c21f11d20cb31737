import { describe, expect, test } from "@jest/globals";
import type { RequestMethod, RequestReply } from "@parley/framework/sdk";
import { accountRequests, HANDLER_LIMITS } from "../../../server/lib/account-requests.ts";
import { PostponedError } from "../../../server/lib/errors.ts";

/** Reactions to responses within the limits of one event. The responses are given here; tests named "-live" use real responses. */

const BOUNDS = { ...HANDLER_LIMITS, reserve: 20 };
const OK: RequestReply = { status: 200, headers: {}, response: "{}", attempts: 1 };

/** A request method that returns the given responses in order, and then repeats the last response. */
const fakeRequestMethod = (
  ...answers: readonly (Partial<RequestReply> | Error)[]
): RequestMethod & { asked: number } => {
  const method = {
    asked: 0,
    invokeTemplate: () => {
      const answer = answers[Math.min(method.asked, answers.length - 1)] ?? {};
      method.asked += 1;
      if (answer instanceof Error) return Promise.reject(answer);
      const reply = { ...OK, ...answer };
      return reply.status >= 400 ? Promise.reject(Object.assign(new Error("failed"), reply)) : Promise.resolve(reply);
    },
  };
  return method as unknown as RequestMethod & { asked: number };
};
const problem = (status: number, token: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  response: JSON.stringify({ code: status, status: token, message: "…" }),
});
const failureOf = async (promise: Promise<unknown>): Promise<PostponedError> => {
  const failure = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof PostponedError)) throw new Error(`not put off: ${String(failure)}`);
  return failure;
};

describe("a failed request to the account", () => {
  test.each([
    [400, "INVALID_VALUE"],
    [404, "CONVERSATION_NOT_FOUND"],
    [410, "KEPT_ANSWER_REMOVED"],
    [413, "PAYLOAD_TOO_LARGE"],
    [422, "IDEMPOTENCY_KEY_REUSED"],
  ])("is a final refusal for %d with the token %s", async (status, token) => {
    expect(await accountRequests(fakeRequestMethod(problem(status, token)), BOUNDS)("x", {})).toEqual({
      ok: false,
      status: token,
    });
  });

  test.each([
    ["a copy that is under way", problem(409, "IDEMPOTENCY_KEY_IN_USE", { "Retry-After": "1" }), "conflict", 10],
    ["a change that came in between", problem(409, "CONFLICT"), "conflict", 10],
    ["a 409 that is not of the API", { status: 409, response: "" }, "unreachable", 60],
    ["an outage", problem(500, "INTERNAL_ERROR"), "unreachable", 60],
    ["an answer that is not of the API", { status: 404, response: "<html>" }, "unreachable", 60],
    ["a request that could not be made", new Error("Error in establishing connection"), "unreachable", 60],
    ["a key that is refused", problem(401, "UNAUTHENTICATED"), "refused", 600],
    ["a key that may not", problem(403, "FORBIDDEN"), "refused", 600],
    ["an allowance that is used up", problem(429, "TOO_MANY_REQUESTS", { "Retry-After": "90" }), "allowance", 90],
    ["one that tells its reset only", problem(429, "TOO_MANY_REQUESTS", { "X-RateLimitReset": "70" }), "allowance", 70],
    ["one that tells nothing", problem(429, "TOO_MANY_REQUESTS"), "allowance", 3_600],
  ])("postpones the work: %s", async (_title, answer, cause, seconds) => {
    const failure = await failureOf(accountRequests(fakeRequestMethod(answer), BOUNDS)("getUser", {}));
    expect({ cause: failure.cause, seconds: failure.seconds }).toEqual({ cause, seconds });
    expect(failure.message).toMatch(/^The request getUser failed/);
  });

  test("is described without the response's text, which may contain customer data", async () => {
    const failure = await failureOf(
      accountRequests(fakeRequestMethod({ status: 500, response: '{"message": "Ada <ada@example.com>"}' }), BOUNDS)(
        "x",
        {},
      ),
    );
    expect(failure.message).toBe("The request x failed with 500: failed.");
  });
});

describe("the account's rate limit", () => {
  const left = (remaining: string, more: Record<string, string> = {}) => ({
    headers: { "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": remaining, "X-RateLimitReset": "120", ...more },
  });

  test.each([
    ["20", undefined],
    ["19", 120],
    ["0", 120],
  ])("with %s of 100 calls left and 20 % reserved, the next call is postponed: %p", async (remaining, seconds) => {
    const send = accountRequests(fakeRequestMethod(left(remaining)), BOUNDS);
    expect(await send("x", {})).toEqual({ ok: true, body: {} });
    if (seconds === undefined) return expect(await send("x", {})).toEqual({ ok: true, body: {} });
    const failure = await failureOf(send("x", {}));
    expect(failure).toMatchObject({ cause: "allowance", seconds });
    expect(failure.message).toBe(`${remaining} of 100 hourly calls remain, and 20 % are reserved for other clients.`);
  });

  test("is ignored without request limits and without the headers", async () => {
    const free = accountRequests(fakeRequestMethod(left("0")));
    await free("x", {});
    expect(await free("x", {})).toEqual({ ok: true, body: {} });
    const untold = accountRequests(fakeRequestMethod({ headers: { "X-RateLimit-Remaining": "0" } }), BOUNDS);
    await untold("x", {});
    expect(await untold("x", {})).toEqual({ ok: true, body: {} });
  });
});

test("an event is postponed at its limit of calls", async () => {
  const method = fakeRequestMethod({});
  const send = accountRequests(method, { ...BOUNDS, calls: 3 });
  for (let call = 1; call <= 3; call++) expect(await send("x", {})).toEqual({ ok: true, body: {} });
  expect(await failureOf(send("x", {}))).toMatchObject({ cause: "calls", seconds: 30 });
  expect(method.asked).toBe(3);
});

test("a request without a response is postponed at the time limit", async () => {
  const unanswered = { invokeTemplate: () => new Promise(() => undefined) } as unknown as RequestMethod;
  expect(await failureOf(accountRequests(unanswered, { ...BOUNDS, milliseconds: 30 })("x", {}))).toMatchObject({
    cause: "slow",
    seconds: 60,
  });
});

test("an empty response has no body", async () => {
  expect(await accountRequests(fakeRequestMethod({ status: 202, response: "" }), BOUNDS)("x", {})).toEqual({
    ok: true,
  });
});
