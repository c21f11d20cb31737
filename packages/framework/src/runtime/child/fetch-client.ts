import { sendThroughHost, type DirectQuestion, type HostConnection } from "./client-request.ts";

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Limit of browsers. */
const REDIRECTS_MAX = 20;
/** Statuses of responses without a body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];
/** Headers that must not be sent to another host. */
const PRIVATE_HEADERS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

type FetchRequest = Omit<DirectQuestion, "of">;

const isBodyHeader = (name: string): boolean => name.startsWith("content-");

/** Returns the request that a redirect leads to. */
const redirected = ({ method, url, headers, body }: FetchRequest, status: number, to: URL): FetchRequest => {
  const isGet = (status === 303 && method !== "HEAD") || ([301, 302].includes(status) && method === "POST");
  const isSameOrigin = new URL(url).origin === to.origin;
  const keptHeaders = Object.entries(headers).filter(
    ([name]) => (isSameOrigin || !PRIVATE_HEADERS.includes(name)) && !(isGet && isBodyHeader(name)),
  );
  return {
    method: isGet ? "GET" : method,
    url: to.href,
    headers: Object.fromEntries(keptHeaders),
    ...(isGet || body === undefined ? {} : { body }),
  };
};

function failFetch(error: unknown): never {
  throw new TypeError(`fetch failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

/** Sends a request and follows redirects; the host checks each address. @errors TypeError */
const follow = async (first: FetchRequest, mode: RequestRedirect, connection: HostConnection): Promise<Response> => {
  let hostRequest = first;
  for (let redirects = 0; ; redirects += 1) {
    const reply = await sendThroughHost({ of: "call", ...hostRequest }, connection).catch(failFetch);
    const { location } = reply.headers;
    const isRedirect = REDIRECTS.includes(reply.status) && location !== undefined;
    if (!isRedirect || mode === "manual") {
      const response = new Response(WITHOUT_BODY.includes(reply.status) ? null : new Uint8Array(reply.body), {
        status: reply.status,
        headers: { ...reply.headers },
      });
      return Object.defineProperties(response, {
        url: { value: hostRequest.url },
        redirected: { value: redirects > 0 },
      });
    }
    if (mode === "error" || redirects >= REDIRECTS_MAX) failFetch(new Error(`a redirect to ${location}`));
    hostRequest = redirected(hostRequest, reply.status, new URL(location, hostRequest.url));
  }
};

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    return void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });

/** `fetch` through the host. */
export const fetchOver = (connection: HostConnection) =>
  async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const exchange = async () => {
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const hostRequest: FetchRequest = {
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        ...(body && { body: body.toString("base64") }),
      };
      return follow(hostRequest, request.redirect, connection);
    };
    return unlessAborted(exchange(), request.signal);
  };
