import { Readable } from "node:stream";
import { isHeldElsewhere } from "../../model/held-elsewhere.ts";
import {
  INVALID_VALUE,
  isRefusal,
  PAYLOAD_TOO_LARGE,
  refuse,
  routeOf,
  schemaErrors,
  UNAUTHENTICATED,
  type Endpoint,
  type InputOf,
  type ReplyOf,
  type Resource,
} from "@parley/contract";
import { isUnavailable } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DATABASE_UNAVAILABLE } from "../../state/db/unavailable.ts";
import type { ChangeAuthor } from "../../identity/change-reports.ts";
import { checkTexts } from "../../pages/text-check.ts";

/** Caller of a request. */
interface AdmittedCaller extends ChangeAuthor {
  /** Whether a body is the body that the caller signed. Absent for callers that sign no body. */
  readonly isSignedBody?: (body: Uint8Array) => boolean;
}

/** Decides whether a request is admitted to a row. @errors Refusal */
export type AuthorizeRow = (row: Endpoint, request: FastifyRequest, account?: string) => Promise<AdmittedCaller>;

type RowHandler<E extends Endpoint> = (input: InputOf<E>, author: ChangeAuthor) => Promise<ReplyOf<E>>;
/** One handler for each row. */
type RowHandlers<T extends Resource> = { readonly [K in keyof T]: RowHandler<T[K]> };

/** Maximum size of a JSON body. @units bytes */
const BODY_BYTES_MAX = 512 * 1024;

/** @errors INVALID_VALUE */
const checkShape = (shape: Parameters<typeof schemaErrors>[0] | undefined, value: unknown, what: string): void => {
  const [first] = shape ? schemaErrors(shape, value) : [];
  if (first) refuse(INVALID_VALUE, `${what}${first.pointer} ${first.message}`);
};

/** Reads a body before it is parsed. @errors PAYLOAD_TOO_LARGE */
const readBody = async (payload: Readable): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) refuse(PAYLOAD_TOO_LARGE);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Answers a refusal of the contract as the API does: `{code, status, message}`; 503 while the database can't be used. */
export const refusalErrorHandler =
  (log: Log): Parameters<FastifyInstance["setErrorHandler"]>[0] =>
  async (error, { method, routeOptions }, reply) => {
    if (isRefusal(error)) {
      const { code, status } = error.problem;
      if (error.retryAfter !== undefined) void reply.header("retry-after", error.retryAfter);
      return reply.code(code).send({ code, status, message: error.message });
    }
    if (isUnavailable(error))
      return reply
        .code(503)
        .header("retry-after", DATABASE_UNAVAILABLE.retryAfterSeconds)
        .send({ code: 503, status: "SERVICE_UNAVAILABLE", message: DATABASE_UNAVAILABLE.message });
    const { statusCode = 500, message } = error as Error & { statusCode?: number };
    if (isHeldElsewhere(error))
      return reply.code(503).header("retry-after", 1).send({ code: 503, status: "SERVICE_UNAVAILABLE", message });
    if (statusCode < 500) return reply.code(statusCode).send({ code: statusCode, status: "INVALID_REQUEST", message });
    log(`${method} ${routeOptions.url ?? ""} failed: ${message}`, { level: "error" });
    return reply
      .code(500)
      .send({ code: 500, status: "INTERNAL_SERVER_ERROR", message: "The platform failed; its log says why." });
  };

/** Serves rows of the contract whose bodies are JSON. */
export const serveRows = <const T extends Resource>(
  scope: FastifyInstance,
  rows: T,
  handlers: RowHandlers<T>,
  { authorize }: { readonly authorize: AuthorizeRow },
): void => {
  const callers = new WeakMap<object, AdmittedCaller>();
  for (const [name, row] of Object.entries(rows) as [keyof T & string, Endpoint][]) {
    const { method, path } = routeOf(row);
    scope.route<{ Params: Record<string, string>; Querystring: Record<string, string> }>({
      method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: BODY_BYTES_MAX,
      // Before the body is read.
      async onRequest(request) {
        callers.set(request, await authorize(row, request, request.params["account"]));
      },
      async preParsing(request, _reply, payload) {
        const isSignedBody = callers.get(request)?.isSignedBody;
        if (!isSignedBody) return payload;
        const body = await readBody(payload);
        if (!isSignedBody(body)) refuse(UNAUTHENTICATED, "The body is not the body that the service has signed.");
        return Readable.from([body], { objectMode: false });
      },
      preValidation: checkTexts,
      async handler(request, reply) {
        const { params, query, body } = request;
        void reply.header("cache-control", "no-store");
        const caller = callers.get(request) ?? refuse(UNAUTHENTICATED);
        checkShape(row.query, query, "query");
        // A request without a body is one with an empty object.
        const input = row.body === undefined ? undefined : (body ?? {});
        checkShape(row.body, input, "body");
        const handler = handlers[name] as unknown as (given: object, author: ChangeAuthor) => Promise<unknown>;
        const answer = await handler({ params, query, ...(input !== undefined && { body: input }) }, caller);
        return reply.code(row.reply.code).send(answer);
      },
    });
  }
};
