import { memberOf, routeOf, rowsOf, type Api, type Endpoint, type InputOf, type ReplyOf } from "@parley/contract";

/** Error response from the service or the app host. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  /** HTTP status code. */
  readonly code: number;
  /** The problem's token; "" if the response has no token. */
  readonly status: string;
  constructor(code: number, status: string, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

interface TestRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: unknown;
}

const CALL_TIMEOUT_MS = 60_000;

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const textAt = (responseBody: unknown, key: string): string => {
  const value: unknown = memberOf(responseBody, key);
  return typeof value === "string" ? value : "";
};

/** Sends one request with a bearer token. -> the JSON of the response; undefined without a JSON body @errors CallRefused */
export async function call<T>({ method, url, token, body }: TestRequest): Promise<T> {
  const reply = await fetch(url, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const responseBody = json(await reply.text());
  if (reply.ok) return responseBody as T;
  const { pathname } = new URL(url);
  const [status, message] = [textAt(responseBody, "status"), textAt(responseBody, "message")];
  throw new CallRefused(
    reply.status,
    status,
    `${method} ${pathname}: ${reply.status} ${[status, message].filter(Boolean).join(": ")}`,
  );
}

/** Makes a query without mandatory members optional. */
type Lenient<I> = I extends { readonly query: infer Q } & (infer R)
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;

/** One function per API endpoint, except uploads. */
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
  const queryEntries = Object.entries(query).filter(([, value]) => value !== undefined);
  return queryEntries.length === 0
    ? path
    : `${path}?${new URLSearchParams(queryEntries as [string, string][]).toString()}`;
};

/** Names that runtimes and test runners ask any object for. */
const PROBED_NAMES = new Set(["then", "toJSON", "constructor", "asymmetricMatch", "nodeType", "tagName", "inspect"]);

/** Refuses names that the object does not have, which tests in plain JavaScript would find out as "is not a function". @errors Error with its names */
const withKnownNames = <T extends object>(subject: string, members: T): T =>
  new Proxy(members, {
    get(target, name, receiver) {
      if (typeof name !== "string" || name in target || PROBED_NAMES.has(name) || !/^[a-z]\w*$/i.test(name))
        return Reflect.get(target, name, receiver) as unknown;
      throw new TypeError(`${subject} has no '${name}'. It has ${Object.keys(target).join(", ")}.`);
    },
  });

/** @shape url: with the version segment @errors CallRefused, of every function */
export const testApi = (url: string, token: string): TestApi => {
  const requestBy = (method: string) => (path: string, body?: unknown) =>
    call({ method, url: `${url}${path}`, token, body });
  const calls: Record<string, Record<string, unknown>> = {};
  for (const { resource, operation, row } of rowsOf()) {
    const { method } = routeOf(row);
    (calls[resource] ??= {})[operation] = (input: Input = {}) => requestBy(method)(addressOf(row, input), input.body);
  }
  const verbs = { get: requestBy("GET"), post: requestBy("POST"), put: requestBy("PUT"), delete: requestBy("DELETE") };
  // The rows' types are erased by the walk; each function is its row's.
  const resources = Object.entries(calls).map(([name, operations]): [string, unknown] => [
    name,
    withKnownNames(`api.${name}`, operations),
  ]);
  const members: Record<string, unknown> = { ...Object.fromEntries(resources), ...verbs };
  return withKnownNames("api", members) as unknown as TestApi;
};
