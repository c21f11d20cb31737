import type { RequestFailure, RequestMethod, RequestOptions, RequestReply } from "@parley/framework/sdk";
import { Postponed } from "./errors.ts";

/** A response, or a refusal that a repeated request would receive again. */
export type Reply<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly status: string };

/** Limits for the calls of one event. */
export interface Bounds {
  readonly calls: number;
  /** Time since the first call. @units milliseconds */
  readonly milliseconds: number;
  /** Share of the account's hourly calls that Concierge leaves to others. @units percent */
  readonly reserve: number;
}
export const HANDLER_BOUNDS: Omit<Bounds, "reserve"> = { calls: 40, milliseconds: 1_600 };

/** Statuses of requests that can't succeed later. Other failures are temporary, or the admin can resolve them. */
const FINAL = [400, 404, 410, 413, 422];
/** Status of a request whose copy is in progress, or that conflicts with another change. The next attempt finds the result. */
const CONFLICT_STATUS = 409;
const WAIT_SECONDS = { slow: 60, calls: 30, unreachable: 60, refused: 600, turn: 10 } as const;
/** Assumed wait when the response does not state when the next hour begins. */
const HOUR_SECONDS = 3_600;

/** -> the token of the problem; "" when the response is not from the messaging API */
const tokenIn = (response: string): string => {
  try {
    const { status } = JSON.parse(response) as { readonly status?: unknown };
    return typeof status === "string" ? status : "";
  } catch {
    return "";
  }
};

/** Matches the framework's messages for requests that it could not send. Other texts may contain customer data. */
const PLAIN = /^[\w ,.'/-]{1,80}$/;

/** Reads the members of a rejection of any shape. */
const failureOf = (error: unknown) => {
  const { status = 0, headers = {}, response = "", message = "" } = (error ?? {}) as Partial<RequestFailure & Error>;
  const token = tokenIn(response);
  const reason = token || [response, message].find((text) => PLAIN.test(text)) || "no reason given";
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
  bounds?: Bounds,
  budget: TimeBudget = timeBudget(bounds?.milliseconds),
) => {
  let calls = 0;
  let low: Postponed | undefined;

  const slow = () =>
    new Postponed("slow", WAIT_SECONDS.slow, `The messaging API took more than ${bounds?.milliseconds} ms to answer.`);

  /** @errors Postponed when the limits permit no further call */
  const admit = (): void => {
    if (!bounds) return;
    if (low) throw low;
    calls += 1;
    if (calls > bounds.calls)
      throw new Postponed("calls", WAIT_SECONDS.calls, `One event may take ${bounds.calls} calls, and needs more.`);
    if (budget.left() <= 0) throw slow();
  };

  /** Reads the remaining calls: the reserve of the hour belongs to the account's agents. */
  const heed = (headers: RequestReply["headers"]): void => {
    const [limit, remaining] = [header(headers, "x-ratelimit-limit"), header(headers, "x-ratelimit-remaining")];
    if (!bounds || limit === undefined || remaining === undefined) return;
    if (remaining >= (limit * bounds.reserve) / 100) return;
    const seconds = header(headers, "x-ratelimitreset") ?? HOUR_SECONDS;
    low = new Postponed(
      "allowance",
      seconds,
      `Of ${limit} calls an hour ${remaining} are left, and ${bounds.reserve} % are kept for others.`,
    );
  };

  return async <T>(template: string, options: RequestOptions): Promise<Reply<T>> => {
    admit();
    const asked = request.invokeTemplate(template, options).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ failure: failureOf(error) }),
    );
    const answer = await budget.within(asked);
    if (answer === "over") throw slow();
    if ("reply" in answer) {
      heed(answer.reply.headers);
      return { ok: true, body: (answer.reply.response ? JSON.parse(answer.reply.response) : undefined) as T };
    }
    const { status, headers, token, reason } = answer.failure;
    if (FINAL.includes(status) && token) return { ok: false, status: token };
    // The rejection itself is not included: it contains the response, and the host prints errors.
    const said = `The request ${template} failed${status ? ` with ${status}` : ""}: ${reason}.`;
    if (status === 429) {
      const seconds = header(headers, "retry-after") ?? header(headers, "x-ratelimitreset") ?? HOUR_SECONDS;
      throw new Postponed("allowance", seconds, said);
    }
    if (status === CONFLICT_STATUS && token) throw new Postponed("turn", WAIT_SECONDS.turn, said);
    if (status === 401 || status === 403) throw new Postponed("refused", WAIT_SECONDS.refused, said);
    throw new Postponed("unreachable", WAIT_SECONDS.unreachable, said);
  };
};
export type Ask = ReturnType<typeof accountRequests>;

/** Resolves after a time if the runtime has timers; without them never, and the time is checked between requests only. */
const after = (milliseconds: number): { readonly over: Promise<"over">; readonly clear: () => void } => {
  if (typeof setTimeout !== "function") return { over: new Promise(() => undefined), clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"over">((resolve) => (timer = setTimeout(resolve, milliseconds, "over")));
  return { over, clear: () => clearTimeout(timer) };
};

/** Time limit for all requests of one event together, starting with the first one. @units milliseconds */
export const timeBudget = (milliseconds = Infinity) => {
  let begun: number | undefined;
  return {
    milliseconds,
    /** -> the remaining time; the first call starts it */
    left(): number {
      begun ??= performance.now();
      return begun + milliseconds - performance.now();
    },
    /** -> "over" if it takes longer than the remaining time */
    async within<T>(asked: Promise<T>): Promise<T | "over"> {
      const left = this.left();
      if (!Number.isFinite(left)) return asked;
      const timer = after(left);
      const answer = await Promise.race([asked, timer.over]);
      timer.clear();
      return answer;
    },
  };
};
export type TimeBudget = ReturnType<typeof timeBudget>;
