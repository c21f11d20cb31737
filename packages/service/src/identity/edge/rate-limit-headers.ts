import type { FastifyReply } from "fastify";
import { type RateLimitState, HOUR_MS } from "../allowance/allowance.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The rate limit for the headers of the reply; null until the request is counted. */
    rateLimit: RateLimitState | null;
  }
}

const HOUR = { name: "hour", seconds: HOUR_MS / 1_000 } as const;

type Headers = readonly (readonly [name: string, value: string])[];

/**
 * The rate limit headers. A refusal also has the fields of the IETF draft "RateLimit header fields for HTTP".
 * @spec Limits
 * @assumed `X-RateLimitReset` and `Retry-After` are in seconds; the policy in the draft's fields is named `hour`, that of
 * sessions `minute`.
 */
export const rateLimitHeaders = ({ allowed, limit, remaining, reset, window = HOUR }: RateLimitState): Headers => {
  const common: Headers = [
    ["X-RateLimit-Limit", String(limit)],
    ["X-RateLimit-Remaining", String(remaining)],
    ["X-RateLimitReset", String(reset)],
  ];
  if (allowed) return common;
  return [
    ...common,
    ["Retry-After", String(reset)],
    ["RateLimit-Policy", `"${window.name}";q=${limit};w=${window.seconds}`],
    ["RateLimit", `"${window.name}";r=${remaining};t=${reset}`],
  ];
};

/** Set on the raw reply: Fastify writes header names in lower case, and clients expect the specification's spelling. */
export const setRateLimitHeaders = ({ raw }: FastifyReply, rateLimit: RateLimitState): void => {
  for (const [name, value] of rateLimitHeaders(rateLimit)) raw.setHeader(name, value);
};

export const hasRateLimitHeaders = ({ raw }: FastifyReply): boolean => raw.hasHeader("X-RateLimit-Limit");
