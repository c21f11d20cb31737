import { api, BASE_PATH, IDEMPOTENCY_KEY, LAST_EVENT_ID, routeOf, rowsOf, type Endpoint } from "@parley/contract";
import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from "axios";
import { bodyOf, headersOf, rateLimitStateOf, type RateLimit } from "./response.ts";
import type { CallOptions, KeyOptions, ParleyClient } from "./calls.ts";
import { noAnswer } from "./no-answer.ts";
import { itemsOf, pagesOf, type ListCall, type ListInput } from "./pages.ts";
import { keepAliveAgents, newIdempotencyKey } from "./ports.ts";
import { isRepeatableMethod, defaultRetryRules, sendWithRetries, type RetryRules } from "./retry.ts";
import { readErrorBody, streamItems, streamOptions, type StreamBody, type StreamInput } from "./stream.ts";
import { tokenSource } from "./token.ts";
import { formOf, type UploadContent } from "./upload.ts";

export interface ClientOptions {
  /** Address of the account, with or without its version segment. */
  readonly url: string;
  readonly token: string;
  /** Returns a new token after a 401; the call is then repeated once. */
  readonly onUnauthorized?: () => Promise<string> | string;
  /** Timeout of one attempt. Default: 30 000. @units milliseconds */
  readonly timeoutMs?: number;
  /** Retries after 429 and 503 (observing `Retry-After`), 502, 504 and lost connections. Default: three retries within a minute. */
  readonly retries?: Partial<RetryRules>;
  /** Called for every response, with its rate limit state. */
  readonly onResponse?: (response: {
    readonly route: string;
    readonly code: number;
    readonly rateLimit: RateLimit | undefined;
  }) => void;
  /** An axios instance with your own interceptors and adapters; URL and token are set on each request. */
  readonly axios?: AxiosInstance;
}

interface Input extends CallOptions, KeyOptions, ListInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly upload?: UploadContent;
  readonly lastEventId?: string | undefined;
}

const defaultTimeoutMs = 30_000;

/** Shared by all clients of the process. */
const agents = keepAliveAgents();

const baseOf = (url: string): string => {
  const bare = url.replace(/\/+$/, "");
  return bare.endsWith(BASE_PATH) ? bare : bare + BASE_PATH;
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
  { upload }: Endpoint,
  input: Input,
): Promise<Pick<AxiosRequestConfig<unknown>, "data" | "headers">> => {
  if (upload && input.upload) return { data: await formOf(upload.part, input.upload) };
  if (input.body === undefined) return {};
  return { data: JSON.stringify(input.body), headers: { "content-type": "application/json" } };
};

/**
 * The typed client: `client.<resource>.<operation>({ params, query, body })`, one function per row of the contract. Lists also have
 * `.pages(…)` and `.items(…)`.
 * @errors ProblemError for a response outside 2xx; NoAnswerError if no response was received
 */
export function parleyClient(options: ClientOptions): ParleyClient {
  const { url, timeoutMs = defaultTimeoutMs, onResponse, axios: http = axios.create(agents) } = options;
  const base = baseOf(url);
  const rules = { ...defaultRetryRules, ...options.retries };
  const tokens = tokenSource(options.token, options.onUnauthorized);

  const callOf = (row: Endpoint) => {
    const { method, path } = routeOf(row);
    const isRepeatable = row.acceptsIdempotencyKey === true || isRepeatableMethod(method);
    const isStream = row.reply.type === "text/event-stream";
    return async (input: Input = {}): Promise<unknown> => {
      const { data, headers } = await contentOf(row, input);
      const { signal } = input;
      const key = row.acceptsIdempotencyKey && (input.idempotencyKey ?? newIdempotencyKey());
      const send = async (token: string): Promise<AxiosResponse<unknown>> => {
        const response = await http
          .request<unknown>({
            method,
            url: base + pathOf(path, input.params),
            params: parametersOf(input.query),
            headers: {
              accept: isStream ? "text/event-stream, application/json" : "application/json",
              ...headers,
              ...(input.lastEventId && { [LAST_EVENT_ID]: input.lastEventId }),
              ...(key && { [IDEMPOTENCY_KEY]: key }),
              authorization: `Bearer ${token}`,
            },
            ...(data !== undefined && { data }),
            ...(signal && { signal }),
            ...(isStream && streamOptions(http)),
            timeout: timeoutMs,
            maxRedirects: 0,
            validateStatus: () => true,
          })
          .catch(noAnswer);
        onResponse?.({ route: row.route, code: response.status, rateLimit: rateLimitStateOf(headersOf(response)) });
        return isStream ? readErrorBody(response) : response;
      };
      const sendRetrying = (token: string) => sendWithRetries(() => send(token), { isRepeatable, rules, signal });
      const token = tokens.current();
      const response = await sendRetrying(token);
      const renewed = response.status === 401 && (await tokens.renew(token));
      return bodyOf(renewed ? await sendRetrying(tokens.current()) : response);
    };
  };

  const client: Record<string, Record<string, unknown>> = {};
  for (const { resource, operation, row } of rowsOf(api)) {
    const call = callOf(row);
    const stream = (input: StreamInput = {}) =>
      streamItems(async (lastEventId, signal) => (await call({ ...input, lastEventId, signal })) as StreamBody, input);
    const iterators = {
      pages: (input: Input = {}) => pagesOf(call as ListCall, input),
      items: (input: Input = {}) => itemsOf(call as ListCall, input),
    };
    (client[resource] ??= {})[operation] = row.reply.type
      ? stream
      : isList(row)
        ? Object.assign(call, iterators)
        : call;
  }
  // The loop erases the rows' types; each function has the type of its row.
  return client as ParleyClient;
}

const isList = (row: Endpoint): boolean => {
  const query: { properties?: Record<string, unknown> } | undefined = row.query;
  return "page" in (query?.properties ?? {});
};
