import { isSuccess, parsedBody, type HttpReply, type HttpRequest, type SendHttp } from "./http-exchange.ts";
import { NoAnswerError } from "./no-answer.ts";

const readBody = async (response: Response, replyAs: HttpRequest["replyAs"]): Promise<unknown> => {
  if (!isSuccess(response) || replyAs === "json") return parsedBody(await response.text());
  return replyAs === "blob" ? response.blob() : response.body;
};

/** The code of a failed connection, as far as the environment tells. */
const codeOf = (error: unknown): string => {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === "string" ? cause.code : "ERR_NETWORK";
};

/** Sends requests by `fetch`, with the cookies of the page's own origin only. */
export const fetchExchange =
  (fetchOf: typeof fetch): SendHttp =>
  async ({ method, url, query, headers, body, replyAs, timeoutMs, signal }: HttpRequest): Promise<HttpReply> => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const search = query.toString();
    const anySignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    // The fetch of Node forgets the signal of a request once the response has begun.
    const aborted = new Promise<never>((_, reject) =>
      anySignal.addEventListener("abort", () => reject(anySignal.reason as Error), { once: true }),
    );
    aborted.catch(() => undefined);
    try {
      const response = await fetchOf(search ? `${url}?${search}` : url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        cache: "no-store",
        credentials: "same-origin",
        redirect: "error",
        signal: anySignal,
      });
      const { status, statusText } = response;
      const data = await Promise.race([readBody(response, replyAs), aborted]);
      return { status, statusText, headers: Object.fromEntries(response.headers), data };
    } catch (error) {
      if (signal?.aborted) throw new NoAnswerError("canceled", "ERR_CANCELED");
      if (timeout.signal.aborted) throw new NoAnswerError(`timeout of ${timeoutMs}ms exceeded`, "ECONNABORTED");
      throw new NoAnswerError(error instanceof Error ? error.message : String(error), codeOf(error));
    } finally {
      // The body of a stream may take longer.
      clearTimeout(timer);
    }
  };
