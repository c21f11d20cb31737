import { LIMITS, Refusal, SERVICE_UNAVAILABLE, type Endpoint } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RequestLog } from "./request-log.ts";

/** Maximum load of one process. */
export interface LoadBounds {
  readonly requests: number;
  /** Total size of the bodies in memory. @units bytes */
  readonly bytes: number;
}

/**
 * @assumed A process handles at most 4096 requests at a time, with 64 MiB of bodies. Requests beyond this are refused with 503 and
 * `Retry-After: 1` instead of waiting.
 */
const DEFAULT_BOUNDS: LoadBounds = { requests: 4_096, bytes: 64 * 1_048_576 };
/** Retry-After of a 503. @units seconds */
const RETRY_AFTER_S = 1;

/** Whether requests of an endpoint are not counted here: uploads are streamed to a file, and event streams stay open. */
export const isUncounted = ({ upload, reply }: Endpoint): boolean => upload !== undefined || "type" in reply;

const bodyBytesOf = ({ headers }: FastifyRequest): number => {
  const length = headers["content-length"];
  if (length !== undefined) return Math.min(Number(length) || 0, LIMITS.body_bytes);
  return headers["transfer-encoding"] === undefined ? 0 : LIMITS.body_bytes;
};

interface InFlight {
  readonly request: FastifyRequest;
  /** Of the body in memory. */
  readonly bytes: number;
  /** Time of its headers. @units milliseconds */
  readonly beginMs: number;
}

const IN_FLIGHT = Symbol("in flight");
type CountedReply = FastifyReply["raw"] & { [IN_FLIGHT]?: InFlight };

interface LoadSheddingDeps {
  /** The default when absent. */
  readonly bounds?: LoadBounds | undefined;
  /** Called when a counted request has ended. */
  readonly ended: RequestLog["ended"];
}

/** Refuses requests beyond the bounds before their body is read, so that memory use is bounded under any load. */
export function addLoadShedding(app: FastifyInstance, { bounds = DEFAULT_BOUNDS, ended }: LoadSheddingDeps): void {
  const inFlight = { requests: 0, bytes: 0 };
  const release = function (this: CountedReply): void {
    const counted = this[IN_FLIGHT];
    if (!counted) return;
    inFlight.requests--;
    inFlight.bytes -= counted.bytes;
    ended(counted.request, this, performance.now() - counted.beginMs);
  };
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (request.routeOptions.config.isUncounted) return done();
    const bytes = bodyBytesOf(request);
    if (inFlight.requests >= bounds.requests || inFlight.bytes + bytes > bounds.bytes)
      return done(new Refusal(SERVICE_UNAVAILABLE, undefined, RETRY_AFTER_S));
    inFlight.requests++;
    inFlight.bytes += bytes;
    const { raw } = reply as { raw: CountedReply };
    raw[IN_FLIGHT] = { request, bytes, beginMs: performance.now() };
    // `close` is emitted once per reply, so that one shared listener is enough and need not be removed.
    raw.on("close", release);
    done();
  });
}
