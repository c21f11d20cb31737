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
import { keyIn } from "../idempotency/key.ts";
import type { Once } from "../idempotency/once.ts";
import { sealing, sealOf } from "../idempotency/seal.ts";
import type { Admission } from "./admission.ts";
import { bodyCheckOf } from "./body.ts";
import { baseOf } from "./host.ts";
import { parseJson } from "./json.ts";
import { isJsonType, isPlain, JSON_TYPE } from "./media-type.ts";
import { checkEscapes, queryCheckOf, type RawQuery } from "./query.ts";
import { serializerOf } from "./serializer.ts";
import type { Caller, Handler } from "./slice.ts";
import { sendStreamed, type Streamed } from "./streamed.ts";
import { withUpload } from "./upload.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** The contract row's. */
    route?: string;
    addsMessages?: boolean;
  }
}

/** Collects bodies of any type; each route reads its own, since a refusal in here would close the connection. */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>("*", { parseAs: "buffer" }, (_, bytes, done) => done(null, bytes));
}

const readBody = (request: FastifyRequest): unknown => {
  const bytes = request.body as Buffer | undefined;
  if (bytes === undefined || bytes.length === 0) return undefined;
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  if (!isPlain(encoding))
    refuse(UNSUPPORTED_MEDIA_TYPE, "The body must be sent as it is: leave the Content-Encoding header out.");
  return isJsonType(type) ? parseJson(bytes) : refuse(UNSUPPORTED_MEDIA_TYPE);
};

/** `/conversations/{conversation_id}` -> `/v2/conversations/:conversation_id` */
export const patternOf = (path: string, base: string = BASE_PATH): string => base + path.replace(/\{(\w+)\}/g, ":$1");

/** The address without its query, as links repeat it: below the base path that was asked for. */
const pathOf = (url: string, base: string, own: string): string => {
  const end = url.indexOf("?");
  const path = base + url.slice(own.length, end === -1 ? undefined : end);
  return path.endsWith("/") ? path.slice(0, -1) : path;
};

/** What comes in, as far as a key has to do with it. */
interface Asked {
  readonly caller: Caller | null;
  readonly params: unknown;
  readonly query: unknown;
}

const NO_QUERY = { values: {}, sent: {} };

export interface RouteDeps {
  /** -> null where it is no token that lets in. */
  readonly admit: (...request: Parameters<Admission>) => Promise<Caller | null>;
  /** What every path begins with; the API's own base path, or an account's, when absent. */
  readonly base?: string;
  /** Beginning of absolute addresses, by the Host header. */
  readonly originOf: (host: string | undefined) => string;
  /** Makes addresses of uploads in a reply work again; cheap where there are none. */
  readonly fresh?: ((text: string, accountId: number, origin: string) => string) | undefined;
  /** Answers requests with a key; without it they are as those without one. */
  readonly once?: Once | undefined;
}

/** Joins one endpoint to its handler: checks what comes in, lets out what the reply names. */
export function addRoute(
  app: FastifyInstance,
  { admit, originOf, fresh = (text) => text, once, base }: RouteDeps,
  row: Endpoint,
  handler: Handler<Endpoint>,
): void {
  const { method, path } = routeOf(row);
  const checkQuery = row.query ? queryCheckOf(row.query) : () => NO_QUERY;
  const checkBody = row.body ? bodyCheckOf(row.body) : undefined;
  const isEmpty = (row.reply.body as { type?: string }).type === "void";
  const serialize = isEmpty ? () => "" : serializerOf(row.reply.body);
  // Params, query and body have the types of `row`, which is erased here; the checks above are what holds them to it.
  const run = handler as (input: object) => Promise<unknown>;
  const { upload: rule } = row;
  const { code, type } = row.reply;
  const print = (answer: unknown) => (isRaw(answer) ? answer.rawJson : serialize(answer));

  /** Does what is asked, unless a request of the same key was answered. -> the answer's text */
  const answered = async (request: FastifyRequest, reply: FastifyReply, input: Asked, upload?: Upload) => {
    const work = async (more: object) => print(await run({ ...input, ...more }));
    const { caller, params, query } = input;
    const key = once && row.keyed && caller ? keyIn(request.headers) : undefined;
    if (!once || !caller || key === undefined) return work({ upload });
    const head = { route: row.route, params, query };
    const { seal, upload: passing } = upload
      ? sealing(head, upload)
      : { seal: sealOf(head, request.body as Buffer | undefined), upload };
    const keyed = { tokenId: caller.tokenId, key, code, seal, print };
    const { text, isReplay } = await once.answer(keyed, (claim) => work({ upload: passing, claim }));
    if (isReplay) reply.header(IDEMPOTENCY_REPLAYED, "true");
    return text;
  };

  app.route({
    method,
    url: patternOf(path, base),
    config: { route: row.route, addsMessages: row.addsMessages ?? false },
    onRequest: async (request, reply) => {
      request.caller = await admit(request, reply, row.permission);
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const basePath = base ?? baseOf(request.originalUrl).path;
      checkEscapes(request.url);
      const { values, sent } = checkQuery(request.query as RawQuery);
      const origin = originOf(request.headers.host);
      const input = {
        caller: request.caller,
        request: {
          path: pathOf(request.url, basePath, base ?? BASE_PATH),
          basePath,
          query: sent,
          origin,
          header: (name: string) => request.headers[name.toLowerCase()],
        },
        params: request.params,
        query: values,
        // An endpoint without a body tolerates one and doesn't look at it.
        body: checkBody?.(readBody(request)),
      };
      if (type === "text/event-stream") return sendStreamed(request, reply, (await run(input)) as Streamed);
      const text = rule
        ? await withUpload(request, rule, (upload) => answered(request, reply, input, upload))
        : await answered(request, reply, input);
      reply.code(code);
      if (isEmpty) return reply.send();
      reply.header("content-type", JSON_TYPE);
      return reply.send(fresh(text, request.caller?.account.id ?? 0, origin));
    },
  });
}

const isRaw = (answer: unknown): answer is { rawJson: string } =>
  typeof answer === "object" && answer !== null && "rawJson" in answer;
