import { LIMITS, Refusal, rowsOf, SERVICE_UNAVAILABLE } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** What one process has under way at most. */
export interface LoadBounds {
  readonly requests: number;
  /** Of their bodies, as far as these stand in memory. @units bytes */
  readonly bytes: number;
}

/**
 * @assumed A process has 4096 requests under way at most, with 64 MiB of bodies; the next one is answered 503 with `Retry-After: 1`
 * instead of waiting.
 */
const BOUNDS: LoadBounds = { requests: 4_096, bytes: 64 * 1_048_576 };
/** @units seconds */
const COME_BACK = 1;

/** Endpoints with bounds of their own: a form goes to a file as it arrives, and a stream of events stays. */
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

/** Says no to what comes beyond the bounds before its body is read, so that memory is bounded whatever comes. */
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
    // Emitted once: nothing needs to be taken off, and one listener serves all.
    raw.on("close", leave);
    done();
  });
}
