import { Readable } from "node:stream";
import {
  BASE_PATH,
  IDEMPOTENCY_REPLAYED,
  refuse,
  routeOf,
  UNSUPPORTED_MEDIA_TYPE,
  type Endpoint,
  type Upload,
} from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { idempotencyKeyIn, createFingerprint, fingerprintOf } from "../../http/idempotency/request-fingerprint.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import type { IdempotentReply, RunIdempotently } from "../../http/idempotency/idempotency.ts";
import type { Admission } from "./admission.ts";
import type { AnswerDeadline } from "./answer-deadline.ts";
import { bodyCheckOf, checkEscapes, queryCheckOf, type RawQuery } from "../../http/request-check.ts";
import { hostAndPathOf } from "./host.ts";
import { isUncounted } from "./load-shedding.ts";
import { parseJson } from "../../http/parse-json.ts";
import { isJsonType, isIdentityEncoding, JSON_TYPE } from "../../http/media-type.ts";
import { compressed, isCompressible } from "../../http/compression.ts";
import { serializerOf } from "../../http/serializer.ts";
import type { HandlerContext, ApiCaller, RequestActor, RouteHandler } from "../../http/route-handlers.ts";
import { REQUEST_ID_HEADER } from "./request-id.ts";
import { rateLimitHeaders, setRateLimitHeaders } from "./rate-limit-headers.ts";
import { PICTURE_HEADERS, type PictureReply } from "../../http/picture-reply.ts";
import { sendStreamedReply, type StreamedLines, type StreamedReply } from "../../http/streamed.ts";
import { withUpload } from "./upload.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: ApiCaller | null;
  }
  interface FastifyContextConfig {
    /** The route of the contract row. */
    route?: string;
    /** Its requests don't count against the load of the process. */
    isUncounted?: boolean;
    addsMessages?: boolean;
    reportsSuccess?: boolean;
  }
}

/** Collects bodies of any type as bytes. Each route parses its own body, since a refusal in this parser would close the connection. */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>("*", { parseAs: "buffer" }, (_, bytes, done) => done(null, bytes));
}

const readBody = (request: FastifyRequest): unknown => {
  const bytes = request.body as Buffer | undefined;
  if (bytes === undefined || bytes.length === 0) return undefined;
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  if (!isIdentityEncoding(encoding))
    refuse(UNSUPPORTED_MEDIA_TYPE, "The body must be sent as it is: leave the Content-Encoding header out.");
  return isJsonType(type) ? parseJson(bytes) : refuse(UNSUPPORTED_MEDIA_TYPE);
};

/** `/conversations/{conversation_id}` -> `/v2/conversations/:conversation_id` */
const patternOf = (path: string, base: string = BASE_PATH): string => base + path.replace(/\{(\w+)\}/g, ":$1");

/** The address without its query, below the requested base path, as links repeat it. */
const pathOf = (url: string, base: string, own: string): string => {
  const end = url.indexOf("?");
  const path = base + url.slice(own.length, end === -1 ? undefined : end);
  return path.endsWith("/") ? path.slice(0, -1) : path;
};

/** The input of a handler with erased types. */
interface Input extends Omit<HandlerContext, "caller" | "claim"> {
  readonly caller: ApiCaller | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  upload: Upload | undefined;
  claim: IdempotencyRecord | undefined;
}

const actorOf = (
  caller: ApiCaller | null,
  address: string,
  other: NonNullable<RouteDeps["otherActor"]>,
): RequestActor => {
  if (!caller) return { type: other, address };
  const { agent, visitor, credentialId, tokenName, account } = caller;
  if (visitor) return { type: "visitor", id: visitor.userId, address };
  return agent
    ? { type: "agent", id: agent.id, name: agent.email, address, agent, accountId: account.id }
    : { type: "token", id: credentialId, ...(tokenName !== undefined && { name: tokenName }), address };
};

/** Whether a page sends the caller's requests. */
const isOfPage = (caller: ApiCaller | null): boolean => caller?.agent !== undefined || caller?.visitor !== undefined;

const NO_CONTENT = 204;
const NO_PARAMETERS = Type.Object({});

export interface RouteDeps {
  /** -> null if the request is authenticated by something other than an access token or a session */
  readonly admit: (...request: Parameters<Admission>) => ApiCaller | null | Promise<ApiCaller | null>;
  /** Caller of a request that `admit` returned null for. */
  readonly otherActor?: "operator" | "anonymous";
  /** Prefix of every path. Absent: the API's own base path, or the base path of an account. */
  readonly base?: string;
  /** Origin of absolute addresses by the Host header. */
  readonly originOf: (host: string | undefined) => string;
  /** Renews expired addresses of uploads in a reply. Cheap without such headers. */
  readonly resignUrls?: ((text: string, accountId: number, origin: string) => string) | undefined;
  /** Origin of renewed addresses of uploads by the Host header; that of other addresses when absent. */
  readonly uploadOriginOf?: RouteDeps["originOf"] | undefined;
  /** Handles requests with an idempotency key. Absent: the key is ignored. */
  readonly runIdempotently?: RunIdempotently | undefined;
  /** Bounds the time of the handler; unbounded when absent. */
  readonly deadline?: AnswerDeadline | undefined;
  /** Whether the change itself checks for a stored reply. */
  readonly checksStoredReply?: boolean | undefined;
  /** Reply of this endpoint to a message that is stored as this JSON text; absent: the text itself. */
  readonly replyOfMessage?: ((stored: string) => string) | undefined;
}

/** Adds an endpoint with its handler. The input is checked, and the reply contains only the members of its schema. */
export function addRoute(
  app: FastifyInstance,
  {
    admit,
    originOf,
    resignUrls = (text) => text,
    uploadOriginOf = originOf,
    runIdempotently,
    deadline,
    checksStoredReply = false,
    replyOfMessage,
    base,
    otherActor = "anonymous",
  }: RouteDeps,
  row: Endpoint,
  handler: RouteHandler<Endpoint>,
): void {
  const { method, path } = routeOf(row);
  const checkQuery = queryCheckOf(row.query ?? NO_PARAMETERS);
  const checkBody = row.body ? bodyCheckOf(row.body) : undefined;
  const isEmpty = (row.reply.body as { type?: string }).type === "void";
  const serialize = isEmpty ? () => "" : serializerOf(row.reply.body);
  // The types of `row` are erased here; the checks above enforce them at run time.
  const run = handler as (input: Input) => Promise<unknown>;
  const { route, upload: rule, addsMessages = false, reportsSuccess = false } = row;
  const { code, type } = row.reply;
  const serializeReply = (answer: unknown) => (isRaw(answer) ? answer.rawJson : serialize(answer));

  const work = async (input: Input): Promise<string> => serializeReply(await run(input));

  /** Runs a request with an idempotency key, or returns the stored reply of an earlier request. */
  const runWithKey = (
    idempotency: RunIdempotently,
    key: string,
    credentialId: string,
    request: FastifyRequest,
    input: Input,
  ) => {
    const head = { route, params: input.params, query: input.query };
    const { requestFingerprint, upload } = input.upload
      ? createFingerprint(head, input.upload)
      : { requestFingerprint: fingerprintOf(head, request.body as Buffer | undefined), upload: undefined };
    input.upload = upload;
    return idempotency.answer(
      { tokenId: credentialId, key, code, requestFingerprint, checksStoredReply, serializeReply, replyOfMessage },
      (claim) => {
        input.claim = claim;
        return work(input);
      },
    );
  };

  const respond = async (request: FastifyRequest, input: Input): Promise<IdempotentReply> => {
    const { caller } = input;
    const key = runIdempotently && row.acceptsIdempotencyKey && caller ? idempotencyKeyIn(request.headers) : undefined;
    return runIdempotently && caller && key !== undefined
      ? runWithKey(runIdempotently, key, caller.credentialId, request, input)
      : { text: await work(input), isReplay: false };
  };

  /**
   * Writes the raw reply: Fastify's reply would write every header name in lower case and copy all headers. Only a reply that is compressed
   * comes later: a promise costs each of the others a turn.
   */
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    { text, isReplay }: IdempotentReply,
    { origin, own }: { readonly origin: string; readonly own: readonly string[] },
  ): FastifyReply | Promise<FastifyReply> => {
    const headers = request.rateLimit ? rateLimitHeaders(request.rateLimit).flat() : [];
    headers.push(REQUEST_ID_HEADER, request.id, ...own);
    if (isReplay) headers.push(IDEMPOTENCY_REPLAYED, "true");
    const body = isEmpty ? "" : resignUrls(text, request.caller?.account.id ?? 0, origin);
    if (!isEmpty) headers.push("content-type", JSON_TYPE);
    const write = (content: string | Buffer): FastifyReply => {
      if (code !== NO_CONTENT) headers.push("content-length", String(Buffer.byteLength(content)));
      const { raw } = reply.hijack();
      raw.writeHead(code, headers);
      raw.end(content);
      return reply;
    };
    // Pages read long lists. Programs read short replies, for which compression costs more than it saves.
    if (!isOfPage(request.caller)) return write(body);
    headers.push("vary", "Accept-Encoding");
    if (!isCompressible(body, request.headers["accept-encoding"])) return write(body);
    headers.push("content-encoding", "gzip");
    return compressed(body).then(write);
  };

  app.route({
    method,
    url: patternOf(path, base),
    config: { route, isUncounted: isUncounted(row), addsMessages, reportsSuccess },
    onRequest: (request, _, done) => {
      const begun = deadline?.checksDone() ?? 0;
      const admitCaller = (caller: ApiCaller | null) => {
        request.caller = caller;
        if (deadline) request.admissionChecks = deadline.checksDone() - begun;
        done();
      };
      let caller: ReturnType<RouteDeps["admit"]>;
      try {
        caller = admit(request, row.access);
      } catch (error) {
        return done(error as Error);
      }
      // Outside of the try block: an error of code that runs in `done` must not call `done` again.
      if (caller instanceof Promise) caller.then(admitCaller, done);
      else admitCaller(caller);
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const basePath = base ?? hostAndPathOf(request.originalUrl).path;
      checkEscapes(request.url);
      const { values, sent } = checkQuery(request.query as RawQuery);
      const origin = originOf(request.headers.host);
      // Browsers keep no copy of what an agent or a visitor has seen.
      const own: string[] = isOfPage(request.caller) ? ["Cache-Control", "no-store"] : [];
      const input: Input = {
        caller: request.caller,
        actor: actorOf(request.caller, request.ip, otherActor),
        setHeader: (name, value) => void own.push(name, value),
        request: {
          path: pathOf(request.url, basePath, base ?? BASE_PATH),
          basePath,
          query: sent,
          origin,
          header: (name: string) => request.headers[name.toLowerCase()] as string | undefined,
        },
        params: request.params,
        query: values,
        // An endpoint without a body ignores the body of a request.
        body: checkBody?.(readBody(request)),
        upload: undefined,
        claim: undefined,
      };
      if (type === "text/event-stream") {
        const streamed = (await run(input)) as StreamedReply;
        if (request.rateLimit) setRateLimitHeaders(reply, request.rateLimit);
        return sendStreamedReply(request, reply, streamed);
      }
      if (type === "application/x-ndjson") {
        const { lines } = (await run(input)) as StreamedLines;
        if (request.rateLimit) setRateLimitHeaders(reply, request.rateLimit);
        return reply
          .code(code)
          .header("content-type", type)
          .send(Readable.from(lines, { objectMode: false }));
      }
      if (type === "image/*") {
        const { contentType, content } = (await run(input)) as PictureReply;
        if (request.rateLimit) setRateLimitHeaders(reply, request.rateLimit);
        return reply
          .code(code)
          .headers({ ...PICTURE_HEADERS, "content-type": contentType })
          .send(content);
      }
      const waiting = deadline?.begin(request, reply);
      let answer: IdempotentReply;
      try {
        answer = rule
          ? await withUpload(request, rule, (upload) => respond(request, Object.assign(input, { upload })))
          : await respond(request, input);
      } finally {
        if (waiting) deadline?.end(waiting);
      }
      // After the deadline the reply is only recorded.
      if (reply.sent) return reply;
      return send(request, reply, answer, { origin: uploadOriginOf(request.headers.host), own });
    },
  });
}

const isRaw = (answer: unknown): answer is { rawJson: string } =>
  typeof answer === "object" && answer !== null && "rawJson" in answer;
