import { LIMITS, Refusal, rowsOf, SERVICE_UNAVAILABLE } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

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
const BOUNDS: LoadBounds = { requests: 4_096, bytes: 64 * 1_048_576 };
/** Retry-After of a 503. @units seconds */
const COME_BACK = 1;

/** Endpoints that are not counted here: uploads are streamed to a file, and event streams stay open. */
const APART: ReadonlySet<string> = new Set(
  rowsOf().flatMap(({ row }) => (row.upload || "type" in row.reply ? [row.route] : [])),
);

const weightOf = ({ headers }: FastifyRequest): number => {
  const length = headers["content-length"];
  if (length !== undefined) return Math.min(Number(length) || 0, LIMITS.body_bytes);
  return headers["transfer-encoding"] === undefined ? 0 : LIMITS.body_bytes;
};

const WEIGHT = Symbol("weight");
type Bounded = FastifyReply["raw"] & { [WEIGHT]?: number };

/** Refuses requests beyond the bounds before their body is read, so that memory use is bounded under any load. */
export function addLoadShedding(app: FastifyInstance, bounds: LoadBounds = BOUNDS): void {
  const underWay = { requests: 0, bytes: 0 };
  const leave = function (this: Bounded): void {
    underWay.requests--;
    underWay.bytes -= this[WEIGHT] ?? 0;
  };
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (APART.has(request.routeOptions.config.route ?? "")) return done();
    const bytes = weightOf(request);
    if (underWay.requests >= bounds.requests || underWay.bytes + bytes > bounds.bytes)
      return done(new Refusal(SERVICE_UNAVAILABLE, undefined, COME_BACK));
    underWay.requests++;
    underWay.bytes += bytes;
    const { raw } = reply as { raw: Bounded };
    raw[WEIGHT] = bytes;
    // `close` is emitted once per reply, so that one shared listener is enough and need not be removed.
    raw.on("close", leave);
    done();
  });
}
