import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import {
  api,
  BASE_PATH,
  routeOf,
  rowsOf,
  type Api,
  type Endpoint,
  type InputOf,
  type ReplyOf,
  type Resource,
} from "@parley/contract";
import axios, { type AxiosInstance, type AxiosResponse } from "axios";
import { ProblemError, type ProblemBody } from "./problem-error.ts";

export interface ClientOptions {
  /** Address of the account, with or without its version segment. */
  readonly url: string;
  readonly token: string;
  /** @units milliseconds; 30 000 when absent */
  readonly timeoutMs?: number;
  /** An instance of one's own, for interceptors and adapters; address and token are set on each request. */
  readonly axios?: AxiosInstance;
}

/** Nothing to give: nothing to write. */
type Arguments<I> = unknown extends I ? [] : object extends I ? [input?: I] : [input: I];
/** An endpoint without mandatory members of its query may be called without any. */
type Lenient<I> = I extends { readonly query: infer Q } & infer R
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;
type Call<E extends Endpoint> = (...input: Arguments<Lenient<InputOf<E>>>) => Promise<ReplyOf<E>>;
type Calls<R extends Resource> = { readonly [K in keyof R]: Call<R[K]> };
export type ParleyClient = { readonly [K in keyof Api]: Calls<Api[K]> };

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

const TIMEOUT = 30_000;

/** One connection pool a process: keep-alive spares each call a handshake. */
const agents = { httpAgent: new HttpAgent({ keepAlive: true }), httpsAgent: new HttpsAgent({ keepAlive: true }) };

const baseOf = (url: string): string => {
  const bare = url.replace(/\/+$/, "");
  return bare.endsWith(BASE_PATH) ? bare : bare + BASE_PATH;
};

const pathOf = (path: string, params: Input["params"] = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, hole: string) => encodeURIComponent(params[hole] ?? ""));

const parametersOf = (query: Input["query"] = {}): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

const headersOf = ({ headers }: AxiosResponse): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

const isProblem = (body: unknown): body is ProblemBody =>
  typeof body === "object" && body !== null && "code" in body && "status" in body && "message" in body;

/** Somebody between here and the service may answer in another shape. */
const problemOf = ({ status, statusText, data }: AxiosResponse<unknown>): ProblemBody =>
  isProblem(data) ? data : { code: status, status: statusText.toUpperCase().replaceAll(" ", "_"), message: statusText };

/**
 * The typed client: `client.<resource>.<operation>({ params, query, body })`, one function for each row of the contract.
 * @errors ProblemError for an answer outside 2xx; what axios throws where no answer came
 */
export function parleyClient({
  url,
  token,
  timeoutMs = TIMEOUT,
  axios: http = axios.create(agents),
}: ClientOptions): ParleyClient {
  const base = baseOf(url);
  const callOf = (row: Endpoint) => {
    const { method, path } = routeOf(row);
    return async ({ params, query, body }: Input = {}): Promise<unknown> => {
      const response = await http.request<unknown>({
        method,
        url: base + pathOf(path, params),
        params: parametersOf(query),
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { data: JSON.stringify(body) }),
        timeout: timeoutMs,
        maxRedirects: 0,
        validateStatus: () => true,
      });
      if (response.status < 200 || response.status > 299)
        throw new ProblemError(problemOf(response), headersOf(response));
      return response.data === "" ? undefined : response.data;
    };
  };
  const client: Record<string, Record<string, unknown>> = {};
  for (const { resource, operation, row } of rowsOf(api)) (client[resource] ??= {})[operation] = callOf(row);
  // The rows' types are erased by the walk; each function is its row's.
  return client as ParleyClient;
}
