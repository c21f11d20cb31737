import { isSuccess, type HttpReply } from "./http-exchange.ts";
import { ProblemError, type ProblemBody } from "./problem-error.ts";

/** Rate limit state in the headers of a response. @spec Limits */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the allowance is renewed. @units seconds */
  readonly reset: number;
}

/** Undefined if the response has no rate limit headers, for example one of a proxy. */
export const rateLimitStateOf = (headers: Readonly<Record<string, string>>): RateLimit | undefined => {
  const [limit, remaining, reset] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimitreset"].map((name) =>
    Number(headers[name] ?? NaN),
  );
  return Number.isFinite(limit)
    ? { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) }
    : undefined;
};

const isProblem = (body: unknown): body is ProblemBody =>
  typeof body === "object" && body !== null && "code" in body && "status" in body && "message" in body;

/** A proxy between client and service may respond in another format, and HTTP/2 has no status text. */
const problemOf = ({ status, statusText, data }: HttpReply): ProblemBody =>
  isProblem(data)
    ? data
    : {
        code: status,
        status: statusText.toUpperCase().replaceAll(" ", "_") || `STATUS_${status}`,
        message: statusText || `The response has the status code ${status}.`,
      };

/** Returns the body of a 2xx response, undefined for an empty body. @errors ProblemError */
export const bodyOf = (reply: HttpReply): unknown => {
  if (!isSuccess(reply)) throw new ProblemError(problemOf(reply), reply.headers);
  return reply.data === "" ? undefined : reply.data;
};
