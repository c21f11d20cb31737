import type { FastifyReply } from "fastify";
import { type RateLimitState, HOUR_MS } from "../allowance/allowance.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What the answer says of the calls that are left; null as long as nobody counted. */
    standing: RateLimitState | null;
  }
}

type Headers = readonly (readonly [name: string, value: string])[];

/**
 * The headers that say how many calls are left. On a refusal also the fields of the IETF's draft "RateLimit header fields for HTTP".
 * @spec Limits
 * @assumed `X-RateLimitReset` and `Retry-After` count seconds; the window's name in the draft's fields is `hour`.
 */
export const rateLimitHeaders = ({ allowed, limit, remaining, reset }: RateLimitState): Headers => {
  const usual: Headers = [
    ["X-RateLimit-Limit", String(limit)],
    ["X-RateLimit-Remaining", String(remaining)],
    ["X-RateLimitReset", String(reset)],
  ];
  if (allowed) return usual;
  return [
    ...usual,
    ["Retry-After", String(reset)],
    ["RateLimit-Policy", `"hour";q=${limit};w=${HOUR_MS / 1000}`],
    ["RateLimit", `"hour";r=${remaining};t=${reset}`],
  ];
};

/** On the raw reply: the web server's own way writes every name in lower case, and clients look for the specification's spelling. */
export const setRateLimitHeaders = ({ raw }: FastifyReply, standing: RateLimitState): void => {
  for (const [name, value] of rateLimitHeaders(standing)) raw.setHeader(name, value);
};

export const hasRateLimitHeaders = ({ raw }: FastifyReply): boolean => raw.hasHeader("X-RateLimit-Limit");
