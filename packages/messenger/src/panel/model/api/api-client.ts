import type { InputOf, MessengerApi, ReplyOf } from "@parley/contract";
import { ROUTES, WIRE } from "../contract-values.ts";
import { createBackoff } from "./backoff.ts";
import { isRefusedWith, isTemporary, noReply, refusalOf } from "./request-error.ts";

/** Endpoints that the panel calls, by operation. Uploads and the stream are sent otherwise. */
type Operations = MessengerApi["messengerConfiguration"] &
  MessengerApi["visitors"] &
  MessengerApi["signedIdentity"] &
  MessengerApi["messengerConversations"] &
  Omit<MessengerApi["messengerLive"], "streamMessenger">;
type OperationName = keyof Operations;

interface RequestOptions {
  /** A call with a key is done once, however often it is sent. */
  readonly idempotencyKey?: string;
  /** Sent also while the page is being left. */
  readonly isLast?: boolean;
  /** Default: the token of the current session. */
  readonly token?: string;
}
type OperationInput<K extends OperationName> = InputOf<Operations[K]>;

export interface ApiClient {
  /** Reads are retried a few times, other calls are not. @errors RequestError */
  readonly call: <K extends OperationName>(
    operation: K,
    input: OperationInput<K>,
    options?: RequestOptions,
  ) => Promise<ReplyOf<Operations[K]>>;
  /** Opens the stream of events. @errors RequestError */
  readonly openStream: (lastEventId: string | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
}

interface ApiClientDeps {
  /** -> secret of the current session */
  readonly token: () => string | undefined;
  /** The service does not accept the token. */
  readonly onUnauthenticated: (token: string) => void;
  /** The service answers only visitors whose site has signed their identity. */
  readonly onSignatureRequired: () => void;
}

/** Time for a reply. @units milliseconds */
const TIMEOUT_MS = 30_000;
const RETRIES_MAX = 3;
/** A longer pause is not waited for. @units milliseconds */
const PAUSE_MS_MAX = 10_000;

export const routeOf = (operation: string): readonly [method: string, path: string] => {
  const [method = "", path = ""] = (ROUTES[operation] ?? "").split(" ");
  return [method, path];
};

const pathWith = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const queryOf = (query: Readonly<Record<string, unknown>> = {}): string => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** Calls the endpoints of the messenger at the panel's own origin. */
export const createApiClient = (deps: ApiClientDeps): ApiClient => {
  const { token: currentToken, onUnauthenticated, onSignatureRequired } = deps;
  const send = async (path: string, init: RequestInit, token: string | undefined): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(path, {
        ...init,
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        headers: { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) },
      });
    } catch {
      throw noReply();
    }
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    const refusal = refusalOf(response.status, text, response.headers.get("retry-after"));
    if (isRefusedWith(refusal, "UNAUTHENTICATED") && token) onUnauthenticated(token);
    if (isRefusedWith(refusal, "SIGNED_IDENTITY_REQUIRED")) onSignatureRequired();
    throw refusal;
  };

  const sendOnce = async (
    method: string,
    path: string,
    body: unknown,
    { idempotencyKey, isLast = false, token = currentToken() }: RequestOptions,
  ): Promise<unknown> => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
    try {
      const response = await send(
        path,
        {
          method,
          signal: timeout.signal,
          keepalive: isLast,
          headers: {
            ...(body !== undefined && { "content-type": "application/json" }),
            ...(idempotencyKey && { [WIRE.idempotencyKey]: idempotencyKey }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        token,
      );
      if (response.status === 204) return undefined;
      return await response.json().catch(() => {
        throw noReply();
      });
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async call(operation, input, options = {}) {
      const { params, query, body } = input as {
        readonly params?: Record<string, string>;
        readonly query?: Record<string, unknown>;
        readonly body?: unknown;
      };
      const [method, path] = routeOf(operation);
      const address = pathWith(path, params) + queryOf(query);
      const backoff = createBackoff();
      for (;;) {
        try {
          return (await sendOnce(method, address, body, options)) as never;
        } catch (error) {
          const isRepeated = method === "GET" && isTemporary(error) && backoff.fail() <= RETRIES_MAX;
          if (!isRepeated || error.retryAfterMs > PAUSE_MS_MAX) throw error;
          await backoff.wait(error.retryAfterMs);
        }
      }
    },
    async openStream(lastEventId, signal) {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { [WIRE.lastEventId]: lastEventId };
      const [, path] = routeOf("streamMessenger");
      const { body } = await send(path, { signal, headers }, currentToken());
      if (!body) throw noReply();
      return body;
    },
  };
};
