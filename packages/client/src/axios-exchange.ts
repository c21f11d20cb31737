import axios, { isAxiosError, type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from "axios";
import { isSuccess, parsedBody, type HttpReply, type HttpRequest, type SendHttp } from "./http-exchange.ts";
import { NoAnswerError } from "./no-answer.ts";
import { keepAliveAgents } from "./ports.ts";
import { chunksOf, type StreamBody } from "./stream-body.ts";

/** Shared by all clients of the process. */
const agents = keepAliveAgents();

/** An instance that keeps connections alive. */
export const defaultAxios = (): AxiosInstance => axios.create(agents);

/** Replaces an error of axios, which contains the request. Other errors come from the caller's interceptors. */
const noAnswer = (error: unknown): never => {
  if (!isAxiosError(error)) throw error;
  throw new NoAnswerError(error.message, error.code);
};

const headersOf = ({ headers }: AxiosResponse): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

/** Options of a request whose response is read as it arrives. Of the adapters for browsers, only `fetch` provides a stream. */
const streamOptions = ({ defaults }: AxiosInstance): AxiosRequestConfig => ({
  responseType: "stream",
  // The default is a list; a caller's own adapter is kept.
  ...(Array.isArray(defaults.adapter) && { adapter: ["http", "fetch"] }),
});

/** An error response to a stream request arrives as a stream: read it completely and parse it. */
const readErrorBody = async (data: unknown): Promise<unknown> => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(data as StreamBody).chunks) text += decoder.decode(chunk, { stream: true });
  return parsedBody(text);
};

/** Sends requests by an instance of axios. */
export const axiosExchange =
  (http: AxiosInstance): SendHttp =>
  async ({ method, url, query, headers, body, replyAs, timeoutMs, signal }: HttpRequest): Promise<HttpReply> => {
    const isStream = replyAs === "stream";
    const response = await http
      .request<unknown>({
        method,
        url,
        params: query,
        headers,
        ...(body !== undefined && { data: body }),
        ...(signal && { signal }),
        ...(isStream && streamOptions(http)),
        timeout: timeoutMs,
        maxRedirects: 0,
        validateStatus: () => true,
      })
      .catch(noAnswer);
    const { status, statusText, data } = response;
    return {
      status,
      statusText,
      headers: headersOf(response),
      data: isStream && !isSuccess(response) ? await readErrorBody(data) : data,
    };
  };
