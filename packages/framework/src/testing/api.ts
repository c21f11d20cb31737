import { routeOf, rowsOf, type Api, type Endpoint, type InputOf, type ReplyOf } from "@parley/contract";
import { call } from "./call.ts";

/** A query that has no mandatory members may be left out. */
type Lenient<I> = I extends { readonly query: infer Q } & infer R
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;

/** One function an endpoint of the API, but for uploads. */
export type ApiCalls = {
  readonly [R in keyof Api]: {
    readonly [O in keyof Api[R]]: Api[R][O] extends Endpoint
      ? (input: Lenient<InputOf<Api[R][O]>>) => Promise<ReplyOf<Api[R][O]>>
      : never;
  };
};

/** The service's API with a token that may do everything: by operation, or by address. */
export interface TestApi extends ApiCalls {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  put<T>(path: string, body?: unknown): Promise<T>;
  delete<T>(path: string): Promise<T>;
}

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const addressOf = (row: Endpoint, { params = {}, query = {} }: Input): string => {
  const path = routeOf(row).path.replace(/\{(\w+)\}/g, (_, hole: string) => encodeURIComponent(params[hole] ?? ""));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][]).toString()}`;
};

/** @shape url: with the version segment @errors CallRefused, of every function */
export const testApi = (url: string, token: string): TestApi => {
  const ask = (method: string) => (path: string, body?: unknown) => call({ method, url: `${url}${path}`, token, body });
  const calls: Record<string, Record<string, unknown>> = {};
  for (const { resource, operation, row } of rowsOf()) {
    const { method } = routeOf(row);
    (calls[resource] ??= {})[operation] = (input: Input = {}) => ask(method)(addressOf(row, input), input.body);
  }
  const verbs = { get: ask("GET"), post: ask("POST"), put: ask("PUT"), delete: ask("DELETE") };
  // The rows' types are erased by the walk; each function is its row's.
  return { ...calls, ...verbs } as unknown as TestApi;
};
