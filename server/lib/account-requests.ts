import type { RequestFailure, RequestMethod, RequestOptions, RequestReply } from "@parley/framework/sdk";
import { PostponedError } from "./errors.ts";

/** A response, or a refusal that a repeated request would receive again. */
export type AccountReply<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly status: string };

/** Limits for the calls of one event. */
export interface RequestLimits {
  readonly calls: number;
  /** Time since the first call. @units milliseconds */
  readonly milliseconds: number;
  /** Share of the account's hourly calls that Concierge leaves to others. @units percent */
  readonly reserve: number;
}
export const HANDLER_LIMITS: Omit<RequestLimits, "reserve"> = { calls: 40, milliseconds: 1_600 };

/** Statuses of requests that can't succeed later. Other failures are temporary, or the admin can resolve them. */
const PERMANENT_STATUSES = [400, 404, 410, 413, 422];
/** Status of a request whose copy is in progress, or that conflicts with another change. The next attempt finds the result. */
const CONFLICT_STATUS = 409;
const WAIT_SECONDS = { timeoutError: 60, calls: 30, unreachable: 60, refused: 600, conflict: 10 } as const;
/** Assumed wait when the response does not state when the next hour begins. */
const HOUR_SECONDS = 3_600;

/** -> the token of the problem; "" when the response is not from the messaging API */
const problemTokenIn = (response: string): string => {
  try {
    const { status } = JSON.parse(response) as { readonly status?: unknown };
    return typeof status === "string" ? status : "";
  } catch {
    return "";
  }
};

/** Matches the framework's messages for requests that it could not send. Other texts may contain customer data. */
const FRAMEWORK_MESSAGE = /^[\w ,.'/-]{1,80}$/;

/** Reads the members of a rejection of any shape. */
const failureOf = (error: unknown) => {
  const { status = 0, headers = {}, response = "", message = "" } = (error ?? {}) as Partial<RequestFailure & Error>;
  const token = problemTokenIn(response);
  const reason = token || [response, message].find((text) => FRAMEWORK_MESSAGE.test(text)) || "no reason given";
  return { status, headers, token, reason };
};

const header = (headers: RequestReply["headers"], name: string): number | undefined => {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return found === undefined || found === "" ? undefined : Number(found);
};

/**
 * Sends requests by the templates of config/requests.json, within the limits of one event. Without limits, as on the installation page,
 * every request is permitted.
 */
export const accountRequests = (
  request: RequestMethod,
  limits?: RequestLimits,
  budget: TimeBudget = createTimeBudget(limits?.milliseconds),
) => {
  let calls = 0;
  let postponed: PostponedError | undefined;

  const slow = () =>
    new PostponedError(
      "slow",
      WAIT_SECONDS.timeoutError,
      `The messaging API took more than ${limits?.milliseconds} ms to answer.`,
    );

  /** @errors PostponedError when the limits permit no further call */
  const checkLimits = (): void => {
    if (!limits) return;
    if (postponed) throw postponed;
    calls += 1;
    if (calls > limits.calls)
      throw new PostponedError(
        "calls",
        WAIT_SECONDS.calls,
        `The limit of ${limits.calls} calls for one event is reached.`,
      );
    if (budget.remainingMs() <= 0) throw slow();
  };

  /** Reads the remaining calls: the reserve of the hour belongs to the account's agents. */
  const readRateLimit = (headers: RequestReply["headers"]): void => {
    const [limit, remaining] = [header(headers, "x-ratelimit-limit"), header(headers, "x-ratelimit-remaining")];
    if (!limits || limit === undefined || remaining === undefined) return;
    if (remaining >= (limit * limits.reserve) / 100) return;
    const seconds = header(headers, "x-ratelimitreset") ?? HOUR_SECONDS;
    postponed = new PostponedError(
      "allowance",
      seconds,
      `${remaining} of ${limit} hourly calls remain, and ${limits.reserve} % are reserved for other clients.`,
    );
  };

  return async <T>(template: string, options: RequestOptions): Promise<AccountReply<T>> => {
    checkLimits();
    const response = request.invokeTemplate(template, options).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ failure: failureOf(error) }),
    );
    const result = await budget.within(response);
    if (result === "timeout") throw slow();
    if ("reply" in result) {
      readRateLimit(result.reply.headers);
      return { ok: true, body: (result.reply.response ? JSON.parse(result.reply.response) : undefined) as T };
    }
    const { status, headers, token, reason } = result.failure;
    if (PERMANENT_STATUSES.includes(status) && token) return { ok: false, status: token };
    // The rejection itself is not included: it contains the response, and the host prints errors.
    const message = `The request ${template} failed${status ? ` with ${status}` : ""}: ${reason}.`;
    if (status === 429) {
      const seconds = header(headers, "retry-after") ?? header(headers, "x-ratelimitreset") ?? HOUR_SECONDS;
      throw new PostponedError("allowance", seconds, message);
    }
    if (status === CONFLICT_STATUS && token) throw new PostponedError("conflict", WAIT_SECONDS.conflict, message);
    if (status === 401 || status === 403) throw new PostponedError("refused", WAIT_SECONDS.refused, message);
    throw new PostponedError("unreachable", WAIT_SECONDS.unreachable, message);
  };
};

/** Resolves after a time if the runtime has timers; without them never, and the time is checked between requests only. */
const createTimeout = (milliseconds: number): { readonly expired: Promise<"timeout">; readonly clear: () => void } => {
  if (typeof setTimeout !== "function") return { expired: new Promise(() => undefined), clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<"timeout">((resolve) => (timer = setTimeout(resolve, milliseconds, "timeout")));
  return { expired, clear: () => clearTimeout(timer) };
};

/** Time limit for all requests of one event together, starting with the first request. @units milliseconds */
export const createTimeBudget = (milliseconds = Infinity) => {
  let startedAt: number | undefined;
  return {
    milliseconds,
    /** -> the remaining time; the first call starts it */
    remainingMs(): number {
      startedAt ??= performance.now();
      return startedAt + milliseconds - performance.now();
    },
    /** -> "timeout" if it takes longer than the remaining time */
    async within<T>(promise: Promise<T>): Promise<T | "timeout"> {
      const remaining = this.remainingMs();
      if (!Number.isFinite(remaining)) return promise;
      const timer = createTimeout(remaining);
      const result = await Promise.race([promise, timer.expired]);
      timer.clear();
      return result;
    },
  };
};
export type TimeBudget = ReturnType<typeof createTimeBudget>;
