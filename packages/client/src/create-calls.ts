import type { CallOptions, KeyOptions } from "./calls.ts";
import type { ClientRoute, ClientRoutes } from "./client-routes.ts";
import { WIRE } from "./contract-values.ts";
import type { HttpReply, HttpRequest, SendHttp } from "./http-exchange.ts";
import { itemsOf, pagesOf, type ListCall, type ListInput } from "./pages.ts";
import { newIdempotencyKey } from "./ports.ts";
import { bodyOf } from "./response.ts";
import { isRepeatableMethod, sendWithRetries, type RetryRules } from "./retry.ts";
import type { StreamBody } from "./stream-body.ts";
import { streamItems, type StreamInput } from "./stream.ts";
import type { TokenSource } from "./token.ts";
import { formDataOf, type UploadContent } from "./upload.ts";

interface Input extends CallOptions, KeyOptions, ListInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly upload?: UploadContent;
  readonly lastEventId?: string | undefined;
}

/** How the calls of a client are sent. */
export interface CallSettings<T extends string | undefined> {
  readonly routes: ClientRoutes;
  /** Precedes every path. */
  readonly base: string;
  readonly send: SendHttp;
  readonly tokens: TokenSource<T>;
  /** Headers of a request with this token. */
  readonly credentialOf: (token: T) => Readonly<Record<string, string>>;
  /** Whether a response refuses the token. */
  readonly isRefused: (reply: HttpReply) => boolean;
  /** Of one attempt. @units milliseconds */
  readonly timeoutMs: number;
  readonly retries: RetryRules;
  /** Whether a stream reconnects also if its first connection fails temporarily. */
  readonly hasPatientStreams: boolean;
  readonly onReply?: ((route: string, reply: HttpReply) => void) | undefined;
}

const EVENT_STREAM = "text/event-stream";
const NO_RETRIES: RetryRules = { maxRetries: 0, maxTotalDelayMs: 0 };

/** How a reply is read, and the media types that are accepted. */
const replyForm = ({ replyType }: ClientRoute): { replyAs: HttpRequest["replyAs"]; accept: string } => {
  if (replyType === undefined) return { replyAs: "json", accept: "application/json" };
  return { replyAs: replyType === EVENT_STREAM ? "stream" : "blob", accept: `${replyType}, application/json` };
};

const pathOf = (path: string, params: Input["params"] = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const parametersOf = (query: Input["query"] = {}): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value as string | number | boolean)]],
    ),
  );

const contentOf = async (
  { uploadPart }: ClientRoute,
  input: Input,
): Promise<{ body?: string | FormData; headers?: Readonly<Record<string, string>> }> => {
  if (uploadPart && input.upload) return { body: await formDataOf(uploadPart, input.upload) };
  if (input.body === undefined) return {};
  return { body: JSON.stringify(input.body), headers: { "content-type": "application/json" } };
};

const createCall = <T extends string | undefined>(row: ClientRoute, settings: CallSettings<T>) => {
  const { base, send: exchange, tokens, credentialOf, isRefused, timeoutMs, onReply } = settings;
  const [method = "", path = ""] = row.route.split(" ");
  const isRepeatable = row.acceptsIdempotencyKey === true || isRepeatableMethod(method);
  const { replyAs, accept } = replyForm(row);
  // A patient stream repeats its connections itself.
  const rules = replyAs === "stream" && settings.hasPatientStreams ? NO_RETRIES : settings.retries;
  return async (input: Input = {}): Promise<unknown> => {
    const { headers, ...content } = await contentOf(row, input);
    const { signal } = input;
    const key = row.acceptsIdempotencyKey && (input.idempotencyKey ?? newIdempotencyKey());
    const send = async (token: T): Promise<HttpReply> => {
      const reply = await exchange({
        method,
        url: base + pathOf(path, input.params),
        query: parametersOf(input.query),
        headers: {
          accept,
          ...headers,
          ...(input.lastEventId && { [WIRE.lastEventId]: input.lastEventId }),
          ...(key && { [WIRE.idempotencyKey]: key }),
          ...credentialOf(token),
        },
        ...content,
        replyAs,
        timeoutMs,
        signal,
      });
      onReply?.(row.route, reply);
      return reply;
    };
    const sendRetrying = (token: T) => sendWithRetries(() => send(token), { isRepeatable, rules, signal });
    const token = tokens.current();
    const reply = await sendRetrying(token);
    const renewed = isRefused(reply) && (await tokens.renew(token));
    return bodyOf(renewed ? await sendRetrying(tokens.current()) : reply);
  };
};

/** Creates one function for each route. The types of the functions are those of the contract's rows. */
export const createCalls = <T extends string | undefined>(
  settings: CallSettings<T>,
): Record<string, Record<string, unknown>> => {
  const operationOf = (row: ClientRoute): unknown => {
    const call = createCall(row, settings);
    if (row.replyType === EVENT_STREAM)
      return (input: StreamInput = {}) =>
        streamItems(
          async (lastEventId, signal) => (await call({ ...input, lastEventId, signal })) as StreamBody,
          input,
          { isPatient: settings.hasPatientStreams },
        );
    if (!row.isList) return call;
    return Object.assign(call, {
      pages: (input: Input = {}) => pagesOf(call as ListCall, input),
      items: (input: Input = {}) => itemsOf(call as ListCall, input),
    });
  };
  const operationsOf = (rows: ClientRoutes[string]) =>
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, operationOf(row)]));
  return Object.fromEntries(Object.entries(settings.routes).map(([name, rows]) => [name, operationsOf(rows)]));
};
