/** A request of a call, in the form that each HTTP library is given. */
export interface HttpRequest {
  readonly method: string;
  /** Without the query. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  /** How the body of a 2xx response is read. Other responses are read as JSON. */
  readonly replyAs: "json" | "blob" | "stream";
  /** @units milliseconds */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A response. */
export interface HttpReply {
  readonly status: number;
  readonly statusText: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As requested; text for a body that is not JSON. */
  readonly data: unknown;
}

/** Sends one request, without retries. Follows no redirect, which would lead the credential elsewhere. @errors NoAnswerError */
export type SendHttp = (request: HttpRequest) => Promise<HttpReply>;

export const isSuccess = ({ status }: Pick<HttpReply, "status">): boolean => status >= 200 && status <= 299;

/** -> the value of JSON, or the text itself if it is not JSON */
export const parsedBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
