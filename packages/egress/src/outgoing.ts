import { EgressFailure } from "./failure.ts";
import { requestHeaders } from "./headers.ts";

export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Headers for hosts of this installation, whose addresses are overridden. Other hosts do not receive them. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** Timeout of each attempt: DNS, connection, headers and body. @units milliseconds */
  readonly timeoutMs: number;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  /** Default: 1. */
  readonly maxAttempts?: number;
  /** Default: 0. @units milliseconds */
  readonly retryDelayMs?: number;
  /** Waits until a response larger than 64 KiB may be read into memory. @units bytes at most */
  readonly admitBody?: ((bytes: number) => Promise<void>) | undefined;
  readonly signal?: AbortSignal;
  /** Encoding of the response body as text. Default: "utf8". */
  readonly replyEncoding?: "utf8" | "base64";
}

export interface OutgoingReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** @assumed Decoded as UTF-8 whatever the response's content type, unless `replyEncoding` says otherwise. */
  readonly body: string;
  readonly attempts: number;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** The request as sent, after the caller's input has been checked. */
export interface OutgoingMessage {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array | null;
}

const methodOf = ({ method }: EgressRequest): OutgoingMessage["method"] => {
  const supported = METHODS.find((name) => name === method.toUpperCase());
  if (!supported) throw new EgressFailure("METHOD_DISALLOWED");
  return supported;
};

const bodyOf = ({ body, maxRequestBytes }: EgressRequest): Uint8Array | null => {
  if (body === undefined) return null;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.byteLength > maxRequestBytes) throw new EgressFailure("REQUEST_TOO_LARGE");
  return bytes;
};

/** @errors METHOD_DISALLOWED, HEADER_DISALLOWED, REQUEST_TOO_LARGE */
export const buildMessage = (
  request: EgressRequest,
  url: URL,
  ownHeaders?: EgressRequest["ownHeaders"],
): OutgoingMessage => ({
  method: methodOf(request),
  path: url.pathname + url.search,
  headers: requestHeaders(url.host, { ...request.headers, ...ownHeaders }),
  body: bodyOf(request),
});
