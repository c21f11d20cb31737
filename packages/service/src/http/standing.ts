import type { FastifyReply } from "fastify";
import type { Standing } from "../allowance/allowance.ts";
import { HOUR } from "../allowance/window.ts";

type Headers = readonly (readonly [name: string, value: string | number])[];

/**
 * The headers that say how many calls are left. On a refusal also the fields of the IETF's draft "RateLimit header fields for HTTP".
 * @spec Limits
 * @assumed `X-RateLimitReset` and `Retry-After` count seconds; the window's name in the draft's fields is `hour`.
 */
export const standingHeaders = ({ allowed, limit, remaining, reset }: Standing): Headers => {
  const usual: Headers = [
    ["X-RateLimit-Limit", limit],
    ["X-RateLimit-Remaining", remaining],
    ["X-RateLimitReset", reset],
  ];
  if (allowed) return usual;
  return [
    ...usual,
    ["Retry-After", reset],
    ["RateLimit-Policy", `"hour";q=${limit};w=${HOUR / 1000}`],
    ["RateLimit", `"hour";r=${remaining};t=${reset}`],
  ];
};

/** On the raw reply: the web server's own way writes every name in lower case, and clients look for the specification's spelling. */
export const tell = ({ raw }: FastifyReply, standing: Standing): void => {
  for (const [name, value] of standingHeaders(standing)) raw.setHeader(name, value);
};

export const isTold = ({ raw }: FastifyReply): boolean => raw.hasHeader("X-RateLimit-Limit");
