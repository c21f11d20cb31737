import { BASE_PATH, IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED, LAST_EVENT_ID } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** How long a browser may cache the reply to a preflight request. @units seconds */
const PREFLIGHT_MAX_AGE_S = 600;

const METHODS = "GET, POST, PUT, PATCH, DELETE";
/** Request headers that pages may send. */
const REQUEST_HEADERS = ["Authorization", "Content-Type", "ASSUME-IDENTITY", IDEMPOTENCY_KEY, LAST_EVENT_ID].join(", ");
/** Reply headers that pages may read in addition to the safelisted headers. */
const REPLY_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimitReset",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "Allow",
  "X-Request-Id",
  IDEMPOTENCY_REPLAYED,
].join(", ");

const isApi = (url: string): boolean => url === BASE_PATH || url.startsWith(`${BASE_PATH}/`);

/** Set on the raw reply, since replies of the API bypass Fastify's own header handling. */
const allow = ({ raw }: FastifyReply, origin: string) => {
  raw.setHeader("Access-Control-Allow-Origin", origin);
  raw.setHeader("Access-Control-Expose-Headers", REPLY_HEADERS);
};

const answerPreflight = (reply: FastifyReply) =>
  reply
    .header("access-control-allow-methods", METHODS)
    .header("access-control-allow-headers", REQUEST_HEADERS)
    .header("access-control-max-age", String(PREFLIGHT_MAX_AGE_S))
    .code(204)
    .send();

/**
 * Allows pages of the listed origins to call the API from browsers (Fetch Standard, "CORS protocol"). Credentials are not allowed: a page
 * must send the token itself, so that cookies have no effect. Replies to other origins, and all replies without a list, have no CORS headers.
 */
export const addCors = (app: FastifyInstance, origins: readonly string[]): void => {
  if (origins.length === 0) return;
  const listed = new Set(origins);
  app.addHook("onRequest", (request: FastifyRequest, reply, done) => {
    if (!isApi(request.url.split("?")[0] ?? "")) return done();
    const { origin, "access-control-request-method": requestedMethod } = request.headers;
    // Keeps caches from returning the reply for one origin to another.
    reply.raw.setHeader("Vary", "Origin");
    if (origin === undefined || !listed.has(origin)) return done();
    allow(reply, origin);
    if (request.method !== "OPTIONS" || requestedMethod === undefined) return done();
    void answerPreflight(reply);
  });
};
