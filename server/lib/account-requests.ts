import type { RequestFailure, RequestMethod, RequestOptions, RequestReply } from "@parley/framework/sdk";
import { Postponed } from "./postponed.ts";
import { timeBudget, type TimeBudget } from "./time-budget.ts";

/** An answer, or a refusal that asking again won't change. */
export type Reply<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly status: string };

/** What the calls of one event may take of the account and of time. */
export interface Bounds {
  readonly calls: number;
  /** From the first call on. @units milliseconds */
  readonly milliseconds: number;
  /** Of the account's calls an hour, left to others. @units percent */
  readonly reserve: number;
}
export const HANDLER_BOUNDS: Omit<Bounds, "reserve"> = { calls: 40, milliseconds: 1_600 };

/** Refusals of what is asked for, or of what was done already; others pass, or are the admin's to mend. */
const FINAL = [400, 404, 410, 413, 422];
/** A copy of the same request is under way, or another change came in between: the next try finds how that one ended. */
const BUSY = 409;
const WAIT_SECONDS = { slow: 60, calls: 30, unreachable: 60, refused: 600, turn: 10 } as const;
/** Where the answer does not tell when the next hour begins. */
const HOUR_SECONDS = 3_600;

/** -> the problem's token, "" when the answer is not the messaging API's */
const tokenIn = (response: string): string => {
  try {
    const { status } = JSON.parse(response) as { readonly status?: unknown };
    return typeof status === "string" ? status : "";
  } catch {
    return "";
  }
};

/** Words of the framework for a request that it could not make; anything else might tell of a customer. */
const PLAIN = /^[\w ,.'/-]{1,80}$/;

/** What a rejection says, whatever it is. */
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
 * Asks by the templates of config/requests.json, within the bounds of one event. Without bounds, as on the installation page, all may be
 * asked.
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

  /** @errors PutOff when the next call may not be made */
  const admit = (): void => {
    if (!bounds) return;
    if (low) throw low;
    calls += 1;
    if (calls > bounds.calls)
      throw new Postponed("calls", WAIT_SECONDS.calls, `One event may take ${bounds.calls} calls, and needs more.`);
    if (budget.left() <= 0) throw slow();
  };

  /** The account's agents need calls too: the last ones of the hour are theirs. */
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
    // Without the rejection itself: it holds what was answered, and the host prints errors.
    const said = `The request ${template} failed${status ? ` with ${status}` : ""}: ${reason}.`;
    if (status === 429) {
      const seconds = header(headers, "retry-after") ?? header(headers, "x-ratelimitreset") ?? HOUR_SECONDS;
      throw new Postponed("allowance", seconds, said);
    }
    if (status === BUSY && token) throw new Postponed("turn", WAIT_SECONDS.turn, said);
    if (status === 401 || status === 403) throw new Postponed("refused", WAIT_SECONDS.refused, said);
    throw new Postponed("unreachable", WAIT_SECONDS.unreachable, said);
  };
};
export type Ask = ReturnType<typeof accountRequests>;
